"""A page that runs can be taken along: a notebook that is whole, a script that runs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from reading.downloads import needs
from reading.downloads.plain import plain
from reading.downloads.script import runnable
from reading.library import NAME

from tests.extensions.conftest import FRONT_MATTER, built
from tests.extensions.reading.conftest import PAGES, SETTINGS, Site

NEEDS = (
    f"Needs the library of this site, `vtj`: `pip install {NAME}`, a file in the folder "
    "`downloads` of the site."
)
SCRIPT = """\
# %% [markdown]
# # A page
#
# It has a link and a [site](https://example.org).

# %%
import sys
a = 2
print(a + 1)

# %%
try:
    raise ValueError("as it should")
except ValueError as error:
    import sys

    sys.last_value = error  # as an interactive Python does
    print(f"ValueError: {error}")

# %%
print(sys.last_value)

# %% [markdown]
# Twice that is 4.

# %% [markdown]
# Outputs computed by a test.
"""


def test_a_notebook_is_valid_and_holds_what_ran_and_nothing_of_the_machine(site: Site) -> None:
    text = site.text("downloads/runs.ipynb")
    assert text.endswith("}\n")
    nbformat.validate(nbformat.reads(text, as_version=4))  # type: ignore[no-untyped-call]
    page = json.loads(text)
    assert page["metadata"].keys() == {"kernelspec", "language_info"}
    assert [(cell["id"], "".join(cell["source"])) for cell in page["cells"]] == [
        ("cell-0", "# A page\n\nIt has a link and a [site](https://example.org)."),
        ("cell-1", "import sys\na = 2\na + 1"),
        ("cell-2", 'raise ValueError("as it should")'),
        ("cell-3", "print(sys.last_value)"),
        ("cell-5", "Twice that is 4."),
        ("versions", "Outputs computed by a test."),
    ]
    assert all(cell["metadata"] == {} for cell in page["cells"])
    shown, raised, printed = (cell["outputs"][0] for cell in page["cells"][1:4])
    assert shown["data"]["text/plain"] == ["3"]
    assert raised["traceback"] == ["ValueError: as it should"]
    assert printed["text"] == ["as it should\n"]
    assert str(site.folder) not in text


def test_a_script_holds_the_page_and_runs_to_its_end(site: Site) -> None:
    assert site.text("downloads/runs.py") == SCRIPT
    script = site.folder / "html" / "downloads" / "runs.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("3\nValueError: as it should\nas it should\n", "")


def test_what_a_page_needs_stands_in_its_first_lines(site: Site) -> None:
    assert json.loads(site.text("downloads/first.ipynb"))["cells"][0]["source"] == [NEEDS]
    assert site.text("downloads/first.py").startswith(f"# %% [markdown]\n# {NEEDS}\n\n# %% ")


def test_a_page_that_runs_says_where_its_downloads_are(site: Site) -> None:
    for page in (*PAGES, "index", "search"):
        links = [link["href"] for link in site.soup(page).select(".versions-line a[download]")]
        ran = page in ("runs", "first")
        assert links == ([f"downloads/{page}.ipynb", f"downloads/{page}.py"] if ran else [])
    files = [file.name for file in (site.folder / "html" / "downloads").rglob("*")]
    assert sorted(files) == ["first.ipynb", "first.py", "runs.ipynb", "runs.py", NAME]


def test_a_page_that_was_not_run_offers_nothing(tmp_path: Path) -> None:
    more = {"nb_execution_mode": "off", "folded_sections": {}, "page_data": {}}
    built(tmp_path, {"page": PAGES["runs"]}, SETTINGS | more)
    assert "Take this page along" not in (tmp_path / "html" / "page.html").read_text("utf-8")
    assert [file.name for file in (tmp_path / "html" / "downloads").iterdir()] == [NAME]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import torch\nx = 'import vtj'", ""),
        ("import vtjson", ""),
        ("from vtj.cases import Example", NEEDS),
        ("if True:\n    import vtj", NEEDS),
        ("import vtj\nfrom vtj_site.figures import cost", "Needs a clone of this site's reposit"),
        ("from tests.zoo.score import score", "Needs a clone of this site's repository"),
    ],
)
def test_a_reader_is_told_what_the_cells_need(code: str, said: str) -> None:
    assert needs(["x = 1", code], "", "").startswith(said)
    assert bool(needs([code], "", "https://example.org/source")) == bool(said)


FORMLESS = {
    "figure": ("```{figure} picture.svg\n```\n", 0, "the directive {figure} has no plain form"),
    "text": (
        '```{code-cell} python\n:tags: [raises-exception]\nraise ValueError("""a\nb""")\n```\n',
        2,
        "a string over several lines cannot be indented",
    ),
    "value": ("\n`` {eval}`1` `` is {eval}`2`.\n", 1, "no value is known for {eval}`2`"),
    "glue": (
        '```{code-cell} python\nfrom myst_nb import glue\nglue("a", 1)\n```\n{glue}`a`\n',
        4,
        "1 values of the page have no place in its notebook: {glue} has none",
    ),
}
"""A part of a page, which of its lines is named, and what is said."""
BEFORE = f"{FRONT_MATTER}# A page\n\n```{{code-cell}} python\n1\n```\n\n"


@pytest.fixture(scope="module")
def warnings(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = SETTINGS | {"folded_sections": {}, "page_data": {}}
    pages = {name: BEFORE + text for name, (text, _, _) in FORMLESS.items()}
    return built(tmp_path_factory.mktemp("formless"), pages, settings)


@pytest.mark.parametrize("name", FORMLESS)
def test_what_cannot_be_taken_along_fails_the_build(name: str, warnings: str) -> None:
    _, line, said = FORMLESS[name]
    place = f"{name}.md:{BEFORE.count(chr(10)) + 1 + line}: WARNING: downloads: {said}"
    assert place in warnings


QUOTED = "“weird results” (a#1), since torch 1.3.0"
BOX = "> **Tip**\n>\n> one\n>\n> :two:"
NESTED = "> **Note**\n>\n> **Part**\n> ```\n> :::\n> ```"


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("{doc}`the other <page>` and {term}`VJP`", "the other and VJP"),
        ("```python\n(label)=\n{eval}`1`\n```", "```python\n(label)=\n{eval}`1`\n```"),
        ("{quoted}`weird results <a#1>`, {recorded}`since torch 1.3.0 <q>`", QUOTED),
        (":::{note}\nOne.\n\nTwo.\n:::", "> **Note**\n>\n> One.\n>\n> Two."),
        (":::{admonition} Beware\n:class: warning\n\nOf it.\n:::", "> **Beware**\n>\n> Of it."),
        (":::{dropdown} Answer\nForty\n:::", "> **Answer**\n>\n> Forty"),
        ("```{error-message}\n:until: 1.2.0\nboom\n```", "```text\nboom\n```"),
        ("```{toctree}\na\nb\n```\nafter", "after"),
        ("```{rubric} Part\n```", "**Part**"),
        ("```{explorer}\n```", "*On the site, the explorer stands here.*"),
        ("```{landscape}\n:function: bowl\n```", "*On the site, you can turn v here.*"),
        ("```{count-of-statements}\n```", "*On the site, a table stands here.*"),
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


def cell(source: str, *outputs: dict[str, Any]) -> Any:
    made = nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call]
    made.outputs = [nbformat.from_dict(output) for output in outputs]  # type: ignore[no-untyped-call]
    return made


SHOWN: dict[str, Any] = {"output_type": "execute_result", "data": {}}
PRINTED = {"output_type": "stream", "name": "stdout", "text": "1"}
RAISED = {"output_type": "error", "ename": "KeyError", "evalue": "a", "traceback": []}


CAUGHT = """\
try:
    a = {}

    a['a']
except KeyError as error:
    import sys

    sys.last_value = error  # as an interactive Python does
    print(f"KeyError: {error}")"""


@pytest.mark.parametrize(
    ("source", "script", "outputs"),
    [
        ("x", "print(x)", [PRINTED, SHOWN]),
        ("x;  \n", "print(x)", [SHOWN]),
        ("v @ X", "print(v @ X)", [SHOWN]),
        ("x  # small", "print(x)  # small", [SHOWN]),
        ("é = 1; (é +\n 2);", "é = 1; print((é +\n 2))", [SHOWN]),
        ("if x:\n    y\n'é'; x.a", "if x:\n    y\n'é'; print(x.a)", [SHOWN]),
        ("a\nb\nc", "a\nb\nprint(c)", [SHOWN]),
        ("x = 1\nx;", "x = 1\nx;", []),
        ("x = 1\nx;", "x = 1\nx;", [PRINTED]),
        ("%matplotlib inline", "%matplotlib inline", [PRINTED]),
        ("a = {}\n\na['a']", CAUGHT, [PRINTED, RAISED]),
    ],
)
def test_a_script_prints_what_a_notebook_shows_and_runs_on_after_an_error(
    source: str, script: str, outputs: list[dict[str, Any]]
) -> None:
    assert runnable(cell(source, *outputs)) == script
