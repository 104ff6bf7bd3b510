from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sphinx.testing.util import SphinxTestApp

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
        "extensions": ["page_executor", "myst_nb", "sphinx_design", "markdown_pages"],
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
