from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from markdown_pages import show_outputs, simplify, write_lists
from sphinx.testing.util import SphinxTestApp
from sphinx_design.shared import PassthroughTextElement

from tests.extensions.conftest import seven_bits

INDEX = """\
# The site

What it is about.

```{toctree}
second
first
```
"""
FIRST = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
myst:
  html_meta:
    keywords: "one, two"
    "description lang=en": "About the first."
---
# First

```{code-cell} python
print(6 * 7)
```

```{code-cell} python
class Both:
    def _repr_html_(self): return "<b>" + "html</b>"
    def __repr__(self): return "plain words"
Both()
```

```{code-cell} python
from IPython.display import Math
Math("x_1")
```

:::{admonition} Beware
Of *this*.
:::

```{raw} html
<p>only in a browser</p>
```
"""
SECOND = """\
# Second

$x_1$

::::{grid} 2
:::{grid-item-card} Learn
:link: first
:link-type: doc
In order
:::
::::

```
no language
```

{abbr}`VJP (vector-Jacobian product)`
"""


@pytest.fixture
def build(tmp_path: Path) -> Callable[[str], Any]:
    """Build a small site; a second build finds what the first one left."""
    for name, text in {"index": INDEX, "first": FIRST, "second": SECOND}.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    (tmp_path / "conf.py").write_text("", encoding="utf-8")
    settings = {
        "extensions": ["myst_nb_fork", "myst_nb", "sphinx_design", "markdown_pages"],
        "html_theme": "basic",
        "html_title": "A site",
        "exclude_patterns": ["_build"],
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "myst_update_mathjax": False,
        "nb_execution_mode": "inline",
    }

    def run(builder: str) -> Any:
        app = SphinxTestApp(builder, srcdir=tmp_path, confoverrides=settings)
        app.build()
        app.cleanup()
        return app

    return run


def test_the_pages_hold_what_ran_and_nothing_runs_again(build: Callable[[str], Any]) -> None:
    html = build("html")
    assert not (html.outdir / "llms.txt").exists()
    app = build("markdown")
    assert app.warning.getvalue() == ""
    assert "0 added, 0 changed, 0 removed" in app.status.getvalue()

    first = (app.outdir / "first.md").read_text(encoding="utf-8")
    assert "```python\nprint(6 * 7)\n```\n\n```text\n42\n```" in first
    assert "```text\nplain words\n```" in first
    assert "$$\n\\displaystyle x_1\n$$" in first
    assert "> **Beware**\n\n> Of *this*." in first
    assert "<b>html</b>" not in first
    assert "only in a browser" not in first
    second = (app.outdir / "second.md").read_text(encoding="utf-8")
    assert "Learn" in second
    assert "In order" in second
    assert "VJP" in second
    assert "```\nno language\n```" in second


def test_the_list_says_what_each_page_is_about(build: Callable[[str], Any]) -> None:
    outdir = build("markdown").outdir
    assert (outdir / "llms.txt").read_text(encoding="utf-8") == (
        "# A site\n\n> What it is about.\n\n"
        "- [The site](index.md): What it is about.\n"
        "- [Second](second.md): VJP\n"
        "- [First](first.md): About the first.\n"
    )
    full = (outdir / "llms-full.txt").read_text(encoding="utf-8")
    assert full.index("# The site") < full.index("# Second") < full.index("# First")


def test_other_builders_keep_what_they_can_show(build: Callable[[str], Any]) -> None:
    page = (build("html").outdir / "first.html").read_text(encoding="utf-8")
    assert "<b>html</b>" in page
    assert "only in a browser" in page


def test_the_forms_of_an_output_are_ranked_after_those_that_are_asked_for() -> None:
    config: Any = SimpleNamespace(nb_mime_priority_overrides=[("html", "text/plain", 1)])
    show_outputs(config, config)
    assert config.nb_mime_priority_overrides == [
        ("html", "text/plain", 1),
        ("markdown", "text/markdown", 0),
        ("markdown", "text/latex", 1),
        ("markdown", "text/plain", 2),
    ]


def made() -> nodes.document:
    """A page with what the builder has no Markdown for, twice."""
    page = new_document("page")
    for _ in range(2):
        section = nodes.section("", nodes.title("", "Title"), nodes.meta("", content="me"))
        abbreviated = nodes.abbreviation("", "VJP", explanation="product")
        passed = PassthroughTextElement("", nodes.Text("one"), nodes.emphasis("", "two"))
        section += nodes.paragraph("", "", nodes.Text("A "), abbreviated, passed)
        title = nodes.title("", "Of ", nodes.emphasis("", "this"))
        section += nodes.admonition("", title, nodes.paragraph("", "a"), nodes.paragraph("", "b"))
        section += nodes.note("", nodes.paragraph("", "note"))
        section += nodes.raw("", "<b>", format="html")
        page += section
    return page


SIMPLE = (
    "<section><title>Title</title><paragraph>A VJPone<emphasis>two</emphasis></paragraph>"
    "<block_quote><paragraph><strong>Of <emphasis>this</emphasis></strong></paragraph>"
    "<paragraph>a</paragraph><paragraph>b</paragraph></block_quote>"
    "<note><paragraph>note</paragraph></note></section>"
)


@pytest.mark.parametrize(
    ("builder", "parts"), [("markdown", [SIMPLE] * 2), ("html", [str(part) for part in made()])]
)
def test_what_has_no_markdown_becomes_what_has(builder: str, parts: list[str]) -> None:
    app: Any = SimpleNamespace(builder=SimpleNamespace(name=builder))
    page = made()
    simplify(app, page, "page")
    assert [str(part) for part in page] == parts


def site(folder: Path) -> Any:
    """A site whose pages the builder has written."""
    doctrees, titles = {}, {}
    for name, about in {"home": "All “that”.", "a/b": "", "c": "Of c."}.items():
        (folder / f"{name}.md").parent.mkdir(exist_ok=True)
        written = f"# {name}\n\n```ipython3\nx\n```\n\n ```myst-ansi\n```default\n```none\n“\n```"
        (folder / f"{name}.md").write_text(written, encoding="utf-8")
        titles[name] = nodes.title("", "", nodes.emphasis("", f"Page {name}"))
        doctrees[name] = new_document(name)
        doctrees[name] += nodes.section(
            "", titles[name], *[nodes.paragraph("", about)][: len(about)]
        )
    env = SimpleNamespace(
        toctree_includes={"home": ["c", "a/b"]}, titles=titles, get_doctree=doctrees.__getitem__
    )
    config = SimpleNamespace(root_doc="home", html_title="Site")
    builder = SimpleNamespace(name="markdown")
    return SimpleNamespace(outdir=folder, env=env, config=config, builder=builder)


def test_fences_name_their_language_and_the_lists_name_every_page(tmp_path: Path) -> None:
    with seven_bits():
        write_lists(site(tmp_path), None)
    code = "\n\n```python\nx\n```\n\n ```myst-ansi\n```\n```none\n“\n```"
    pages = {name: f"# {name}{code}" for name in ("home", "c", "a/b")}
    assert {name: (tmp_path / f"{name}.md").read_text(encoding="utf-8") for name in pages} == pages
    assert (tmp_path / "llms-full.txt").read_text("utf-8") == "\n\n".join(pages.values())
    assert (tmp_path / "llms.txt").read_text(encoding="utf-8") == (
        "# Site\n\n> All “that”.\n\n- [Page home](home.md): All “that”.\n- [Page c](c.md): Of c.\n"
        "- [Page a/b](a/b.md)\n"
    )


@pytest.mark.parametrize(("builder", "error"), [("html", None), ("markdown", OSError("full"))])
def test_after_another_build_or_a_failed_one_nothing_is_listed(
    builder: str, error: Exception | None, tmp_path: Path
) -> None:
    app = site(tmp_path)
    app.builder.name = builder
    write_lists(app, error)
    assert "ipython3" in (tmp_path / "home.md").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("llms*"))
