from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from downloads import write
from downloads.plain import plain
from downloads.script import runnable

from tests.extensions.conftest import FRONT_MATTER, Build

TEMPLATES = Path(__file__).parents[2] / "conf" / "templates"
SETTINGS = {
    "html_theme": "furo",
    "templates_path": [str(TEMPLATES)],
    "extensions": ["myst_nb", "versions_line", "downloads"],
    "nb_execution_raise_on_error": False,
}
PAGE = """\
(label)=
# A page

It has a {doc}`link <other>` and a [site](https://example.org).

```{code-cell} python
import sys
a = 2
a + 1
```

```{code-cell} python
:tags: [raises-exception]
raise ValueError("as it should")
```

```{code-cell} python
print(sys.last_value)
```

Twice that is {eval}`2 * a`.
"""


def notebook_of(tmp_path: Path) -> Any:
    file = tmp_path / "html" / "downloads" / "page.ipynb"
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]


def test_a_page_can_be_taken_along(build: Build, tmp_path: Path) -> None:
    other = "# Other\n\nNothing runs here.\n"
    assert "downloads" not in build("downloads", config=SETTINGS, page=PAGE, other=other)

    notebook = notebook_of(tmp_path)
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert sources[0] == "# A page\n\nIt has a link and a [site](https://example.org)."
    assert sources[4] == "Twice that is 4."
    assert sources[5].startswith("Outputs computed by torch ")
    assert notebook.cells[1].outputs[0].data["text/plain"] == "3"
    assert notebook.cells[2].outputs[0].traceback == ["ValueError: as it should"]

    script = tmp_path / "html" / "downloads" / "page.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout == "3\nValueError: as it should\nas it should\n"

    page = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<a href="downloads/page.ipynb" download>notebook</a>' in page
    assert '<a href="downloads/page.py" download>Python script</a>' in page


@pytest.mark.parametrize("mode", ["inline", "off"])
def test_a_page_that_does_not_run_offers_nothing(mode: str, build: Build, tmp_path: Path) -> None:
    settings = SETTINGS | {"nb_execution_mode": mode}
    assert build("downloads", config=settings, page="# A page\n") == ""
    assert "Take this page along" not in (tmp_path / "html" / "page.html").read_text("utf-8")
    assert not (tmp_path / "html" / "downloads").exists()


def test_pages_that_are_no_notebooks_offer_nothing(build: Build, tmp_path: Path) -> None:
    build("downloads", config=SETTINGS, page="# A page\n")
    assert "Take this page along" not in (tmp_path / "html" / "index.html").read_text("utf-8")
    assert not (tmp_path / "html" / "downloads" / "index.ipynb").exists()


def test_a_build_that_failed_leaves_nothing_to_take_along(tmp_path: Path) -> None:
    class Failed:
        outdir = tmp_path

    write(Failed(), RuntimeError("the build failed"))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("```{figure} picture.svg\n```\n", 0, "the directive {figure} has no plain form"),
        (
            '```{code-cell} python\n:tags: [raises-exception]\nraise ValueError("""a\nb""")\n```\n',
            2,
            "a string over several lines cannot be indented",
        ),
        ("\n`` {eval}`1` `` is {eval}`2`.\n", 1, "no value is known for {eval}`2`"),
        (
            '```{code-cell} python\nfrom myst_nb import glue\nglue("a", 1)\n```\n{glue}`a`\n',
            4,
            "1 values of the page have no place",
        ),
    ],
)
def test_what_cannot_be_taken_along_fails_the_build(
    text: str, line: int, said: str, build: Build
) -> None:
    before = "# A page\n\n```{code-cell} python\n1\n```\n\n"
    number = f"{FRONT_MATTER}{before}".count("\n") + 1 + line
    warnings = build("downloads", config=SETTINGS, page=before + text)
    assert said in warnings
    assert f"page.md:{number}: WARNING: downloads" in warnings


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("{doc}`the other <page>` and {term}`VJP`", "the other and VJP"),
        ("```python\n(label)=\n{eval}`1`\n```", "```python\n(label)=\n{eval}`1`\n```"),
        (":::{note}\nOne.\n\nTwo.\n:::", "> **Note**\n>\n> One.\n>\n> Two."),
        (":::{admonition} Beware\n:class: warning\n\nOf it.\n:::", "> **Beware**\n>\n> Of it."),
        (":::{dropdown} Answer\nForty\n:::", "> **Answer**\n>\n> Forty"),
        ("```{error-message}\n:since: 1.3.0\nboom\n```", "```text\nboom\n```"),
        ("```{toctree}\na\nb\n```\nafter", "after"),
        ("```{rubric} Part\n```", "**Part**"),
        ("```{explorer}\n```", "*On the site, the explorer stands here.*"),
        (
            "::::{grid} 2\n:gutter: 2\n\n:::{grid-item-card} Learn\n:link: a\nIn order\n:::\n::::",
            "- **Learn**: In order",
        ),
        ("a [link](../b.md#c) and [another](#d)", "a link and another"),
        ("```python\nnever closed", "```python\nnever closed"),
    ],
)
def test_myst_becomes_plain_markdown(myst: str, markdown: str) -> None:
    assert plain(myst, iter(["value"])) == markdown


def cell(source: str, *outputs: dict[str, Any]) -> Any:
    made = nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]
    made.outputs = [nbformat.from_dict(output) for output in outputs]  # type: ignore[no-untyped-call]
    return made


def test_what_a_notebook_shows_a_script_prints() -> None:
    shown = {"output_type": "execute_result", "data": {}}
    assert runnable(cell("é = 1; (é +\n 2);", shown)) == "é = 1; print((é +\n 2))"
    assert runnable(cell("x = 1")) == "x = 1"


def test_an_incremental_build_writes_what_has_run_again(build: Build, tmp_path: Path) -> None:
    pages = {"page": PAGE, "other": PAGE.replace("a = 2", "a = 3")}
    build("downloads", config=SETTINGS, **pages)
    script = tmp_path / "html" / "downloads" / "page.py"
    other = script.with_name("other.py")
    script.write_text("left alone")
    other.write_text("written again")
    pages["other"] = PAGE.replace("a = 2", "a = 4")
    build("downloads", config=SETTINGS, fresh=False, **pages)
    assert script.read_text() == "left alone"
    assert "a = 4" in other.read_text()
