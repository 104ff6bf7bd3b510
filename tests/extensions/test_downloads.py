from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document
from downloads import add_links, note_values, taken_along, write
from downloads.plain import FormlessError, plain
from downloads.script import runnable

from tests.extensions.conftest import FRONT_MATTER, Build, seven_bits

TEMPLATES = Path(__file__).parents[2] / "conf" / "templates"
SETTINGS = {
    "html_theme": "furo",
    "templates_path": [str(TEMPLATES)],
    "extensions": ["myst_nb_fork", "myst_nb", "downloads"],
    "html_context": {"versions_line": "Outputs computed by torch "},
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


V4: Any = nbformat.v4
KERNEL = {"name": "python3", "display_name": "Python 3"}
RAN = [
    V4.new_markdown_cell("(label)=\n# A páge\n\nIs {eval}`x`."),
    V4.new_code_cell(
        "x = 2\nx",
        execution_count=1,
        metadata={"tags": ["shown"]},
        outputs=[V4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)],
    ),
    V4.new_markdown_cell("(no-more-than-a-label)="),
    V4.new_code_cell(
        "1 / 0",
        execution_count=2,
        outputs=[
            V4.new_output("error", ename="ZeroDivisionError", evalue="by 0", traceback=["/me"])
        ],
    ),
    V4.new_code_cell("print(x)", execution_count=3, outputs=[V4.new_output("stream", text="2\n")]),
]
SCRIPT = """\
# %% [markdown]
# # A páge
#
# Is 2.

# %%
x = 2
print(x)

# %%
try:
    1 / 0
except ZeroDivisionError as error:
    import sys

    sys.last_value = error  # as an interactive Python does
    print(f"ZeroDivisionError: {error}")

# %%
print(x)

# %% [markdown]
# Outputs computed by torch"""


def site(folder: Path, **values: list[str] | None) -> Any:
    """A site of pages with the same cells: what their roles gave, None for one that never ran."""
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "more": 1}
    for name in values:
        (folder / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        notebook = V4.new_notebook(cells=RAN, metadata=metadata)
        nbformat.write(notebook, folder / "run" / f"{name}.ipynb")  # type: ignore[no-untyped-call]
    env = SimpleNamespace(
        found_docs=set(values),
        metadata={
            name: {"kernelspec": {}} if given is None else {"kernelspec": {}, "evaluated": given}
            for name, given in values.items()
        },
        mystnb_config=SimpleNamespace(output_folder=str(folder / "run")),
        doc2path=lambda name: folder / f"{name}.md",
    )
    builder = SimpleNamespace(format="html")
    config = SimpleNamespace(html_context=SETTINGS["html_context"])
    return SimpleNamespace(env=env, builder=builder, config=config, outdir=folder / "html")


def files(folder: Path) -> list[str]:
    found = (file for file in (folder / "html").rglob("*") if file.is_file())
    return sorted(file.relative_to(folder / "html").as_posix() for file in found)


def test_a_notebook_holds_what_ran_and_nothing_of_the_machine(tmp_path: Path) -> None:
    text, _ = taken_along(site(tmp_path, page=["2"]), "page")
    assert text.endswith("}\n")
    page = json.loads(text)
    assert page["metadata"] == {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
    }
    *cells, closing = page["cells"]
    shown = {"output_type": "execute_result", "data": {"text/plain": ["2"]}, "metadata": {}}
    raised = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by 0"}
    assert cells == [
        {
            "cell_type": "markdown",
            "id": "cell-0",
            "metadata": {},
            "source": ["# A páge\n", "\n", "Is 2."],
        },
        {
            "cell_type": "code",
            "id": "cell-1",
            "execution_count": 1,
            "metadata": {},
            "outputs": [shown | {"execution_count": 1}],
            "source": ["x = 2\n", "x"],
        },
        {
            "cell_type": "code",
            "id": "cell-3",
            "execution_count": 2,
            "metadata": {},
            "outputs": [raised | {"traceback": ["ZeroDivisionError: by 0"]}],
            "source": ["1 / 0"],
        },
        {
            "cell_type": "code",
            "id": "cell-4",
            "execution_count": 3,
            "metadata": {},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["2\n"]}],
            "source": ["print(x)"],
        },
    ]
    (said,) = closing.pop("source")
    assert said.startswith("Outputs computed by torch ")
    assert closing == {"cell_type": "markdown", "id": "versions", "metadata": {}}


def test_a_script_holds_the_page_and_runs_to_its_end(tmp_path: Path) -> None:
    _, script = taken_along(site(tmp_path, page=["2"]), "page")
    before, after = script.split(" by torch")
    assert f"{before} by torch" == SCRIPT
    assert after.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "said", "text"),
    [
        ([], "downloads: no value is known for {eval}`x`", "{eval}`x`"),
        (
            ["2", "3", "4"],
            "downloads: 2 values of the page have no place in its notebook: {glue} has none",
            "{glue}",
        ),
    ],
)
def test_a_value_without_its_place_is_refused(
    given: list[str], said: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(FormlessError, match=f"^{re.escape(said)}$") as refused:
        taken_along(site(tmp_path, page=given), "page")
    assert refused.value.text == text


TAKEN = ("c/d.ipynb", "c/d.py", "e.ipynb", "e.py")


def test_every_page_that_ran_is_written_whatever_becomes_of_the_others(tmp_path: Path) -> None:
    app = site(tmp_path, **{"a": None, "b": [], "c/d": ["2"], "e": ["2"]})
    (tmp_path / "b.md").write_text("Nothing")
    with seven_bits():
        write(app, None)
    assert files(tmp_path) == [f"downloads/{name}" for name in TAKEN]
    for file in TAKEN:
        assert (tmp_path / "html" / "downloads" / file).read_text("utf-8").count("A páge") == 1


@pytest.mark.parametrize(
    ("builder", "error"), [("html", RuntimeError("the build failed")), ("latex", None)]
)
def test_a_build_that_failed_or_makes_no_pages_leaves_nothing_to_take_along(
    builder: str, error: Exception | None, tmp_path: Path
) -> None:
    app = site(tmp_path, page=["2"])
    app.builder.format = builder
    write(app, error)
    assert files(tmp_path) == []


def test_a_page_that_ran_says_where_its_downloads_are(tmp_path: Path) -> None:
    app = site(tmp_path, ran=[], still=None)
    assert added(app, "ran") == {
        "downloads": {"notebook": "downloads/ran.ipynb", "script": "downloads/ran.py"}
    }
    assert added(app, "still") == added(app, "search") == {}


def added(app: Any, page: str) -> dict[str, Any]:
    context: dict[str, Any] = {}
    add_links(app, page, "page.html", context, None)
    return context


def doctree() -> nodes.document:
    """A page with two values of roles, and words that are none."""
    document = new_document("page")
    for number, classes in enumerate(["output text_plain", "output", "text_plain output more", ""]):
        document += nodes.paragraph("", "", nodes.inline("", str(number), classes=classes.split()))
    return document


@pytest.mark.parametrize(
    ("kernel", "count", "kept"),
    [
        ({"kernelspec": {}}, 1, {"kernelspec": {}, "evaluated": ["0", "2"]}),
        ({}, 1, {}),
        ({"kernelspec": {}}, None, {"kernelspec": {}}),
    ],
)
def test_what_the_roles_gave_is_kept_in_order_where_a_cell_ran(
    kernel: dict[str, Any], count: int | None, kept: dict[str, Any], tmp_path: Path
) -> None:
    app = site(tmp_path)
    (tmp_path / "run").mkdir()
    app.env.docname, app.env.metadata["page"] = "page", kernel
    note_values(app, doctree())
    assert "evaluated" not in kernel
    cells = [V4.new_markdown_cell("# Page"), V4.new_code_cell("1", execution_count=count)]
    nbformat.write(V4.new_notebook(cells=cells), tmp_path / "run" / "page.ipynb")  # type: ignore[no-untyped-call]
    note_values(app, doctree())
    assert app.env.metadata["page"] == kept


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
    assert f"page.md:{number}: WARNING: downloads: " in warnings
    assert "[downloads]" in warnings


BOX = "> **Tip**\n>\n> one\n>\n> :two:"
NESTED = "> **Note**\n>\n> **Part**\n> ```\n> :::\n> ```"


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
        ("~~~\n:::{note}\n~~~\n(gone)=\n{term}`x`", "~~~\n:::{note}\n~~~\nx"),
        (":::{note}\nnever closed", "> **Note**\n>\n> never closed"),
        ("```{toctree}\na\n``` \nafter\n\n(gone)=\n", "after"),
        (":::{tip}\n:class: a\n\n:name: b\n \n\none\n\n:two:\n:::", BOX),
        ("```{admonition} On {term}`x`\n```", "> **On x**\n>"),
        ("::::{note}\n:::{rubric} Part\n:::\n```\n:::\n```\n::::", NESTED),
        ("```{error-box}\n```\n```{contents}\n```\n```{eval-rst}\nx\n```\nafter", "after"),
    ],
)
def test_myst_becomes_plain_markdown(myst: str, markdown: str) -> None:
    assert plain(myst, iter(["value"])) == markdown


def test_values_stand_where_their_roles_stood() -> None:
    myst = ":::{note} {eval}`a`, {eval}`b`\n{eval}`c`\n:::\n{eval}`d`\n"
    values = iter(["1", "2", "3", "4", "of the next cell"])
    assert plain(myst, values) == "> **1, 2**\n>\n> 3\n4"
    assert list(values) == ["of the next cell"]


@pytest.mark.parametrize(
    ("myst", "said", "text"),
    [
        (
            "```{figure} picture.svg\n```",
            "downloads: the directive {figure} has no plain form in a notebook",
            "{figure}",
        ),
        ("is {eval}`a + b`.", "downloads: no value is known for {eval}`a + b`", "{eval}`a + b`"),
    ],
)
def test_what_has_no_plain_form_is_named(myst: str, said: str, text: str) -> None:
    with pytest.raises(FormlessError, match=f"^{re.escape(said)}$") as refused:
        plain(myst, iter(()))
    assert refused.value.text == text


def cell(source: str, *outputs: dict[str, Any]) -> Any:
    made = nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]
    made.outputs = [nbformat.from_dict(output) for output in outputs]  # type: ignore[no-untyped-call]
    return made


SHOWN: dict[str, Any] = {"output_type": "execute_result", "data": {}}
PRINTED = {"output_type": "stream", "name": "stdout", "text": "1"}
RAISED = {"output_type": "error", "ename": "KeyError", "evalue": "a", "traceback": []}


@pytest.mark.parametrize(
    ("source", "script"),
    [
        ("x", "print(x)"),
        ("x;  \n", "print(x)"),
        ("v @ X", "print(v @ X)"),
        ("é = 1; (é +\n 2);", "é = 1; print((é +\n 2))"),
        ("if x:\n    y\n'é'; x.a", "if x:\n    y\n'é'; print(x.a)"),
        ("a\nb\nc", "a\nb\nprint(c)"),
    ],
)
def test_what_a_notebook_shows_a_script_prints(source: str, script: str) -> None:
    assert runnable(cell(source, PRINTED, SHOWN)) == script


@pytest.mark.parametrize("outputs", [(), (PRINTED,)])
def test_what_shows_nothing_stays_as_it_is(outputs: tuple[dict[str, Any], ...]) -> None:
    assert runnable(cell("x = 1\nx;", *outputs)) == "x = 1\nx;"


def test_an_error_that_a_cell_is_there_to_show_does_not_end_the_script() -> None:
    assert runnable(cell("a = {}\n\na['a']", PRINTED, RAISED)) == (
        "try:\n    a = {}\n\n    a['a']\nexcept KeyError as error:\n    import sys\n\n"
        "    sys.last_value = error  # as an interactive Python does\n"
        '    print(f"KeyError: {error}")'
    )


def test_what_cannot_be_indented_is_refused() -> None:
    source = 'x = """a\nb"""'
    said = f"downloads: a string over several lines cannot be indented:\n{source}"
    with pytest.raises(FormlessError, match=f"^{re.escape(said)}$") as refused:
        runnable(cell(source, RAISED))
    assert refused.value.text == source.splitlines()[0]
