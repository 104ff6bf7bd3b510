"""A cell raises exactly what it declares, and the page shows that text."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from executed_page import Cell
from expected_errors import complaint

from tests.extensions.conftest import Build

RIGHT = """
# Page

```{code-cell} python
:tags: [raises-exception]
:raises: "ZeroDivisionError: division by zero"

print("before")
1 / 0
```
"""
BLOCKS = re.compile(
    r'<div class="output (.*?)"><div class="highlight"><pre><span></span>(.*?)</p', re.S
)


def test_the_declared_error_passes_and_replaces_the_traceback(build: Build, tmp_path: Path) -> None:
    assert build("expected_errors", page=RIGHT) == ""
    html = (tmp_path / "html" / "page.html").read_text()
    assert BLOCKS.findall(html) == [
        ("stream highlight-myst-ansi notranslate", "before\n"),
        ("traceback highlight-none notranslate", "ZeroDivisionError: division by zero\n"),
    ]


def cell(options: dict[str, Any], *outputs: tuple[str, str]) -> Cell:
    """A cell that has printed something, and ended in errors."""
    errors = [SimpleNamespace(output_type="error", ename=n, evalue=v) for n, v in outputs]
    printed = SimpleNamespace(output_type="stream", name="stdout", text="before")
    return Cell(0, "source", options, [printed, *errors], 1)


TAGGED: dict[str, Any] = {"tags": ["remove-input", "raises-exception"]}
DECLARED = TAGGED | {"raises": "ValueError: no"}


@pytest.mark.parametrize(
    ("options", "outputs"),
    [
        ({}, []),
        ({}, [("ValueError", "no")]),
        ({"tags": ["remove-input"]}, []),
        (DECLARED, [("ValueError", "no")]),
    ],
)
def test_what_is_as_declared_passes(
    options: dict[str, Any], outputs: list[tuple[str, str]]
) -> None:
    assert complaint(cell(options, *outputs)) is None


@pytest.mark.parametrize(
    ("options", "outputs", "said"),
    [
        (DECLARED, [], "the cell was to raise\n    ValueError: no\nbut raised nothing"),
        (
            DECLARED,
            [("ValueError", "yes")],
            "the cell was to raise\n    ValueError: no\nbut raised\n    ValueError: yes",
        ),
        (
            TAGGED,
            [("ValueError", "no")],
            'a cell tagged raises-exception must declare `:raises: "Type: message"`',
        ),
        (
            {"raises": "ValueError: no"},
            [],
            "a cell with `:raises:` also needs `:tags: [raises-exception]`",
        ),
    ],
)
def test_what_is_not_is_said(
    options: dict[str, Any], outputs: list[tuple[str, str]], said: str
) -> None:
    assert complaint(cell(options, *outputs)) == said


def test_a_cell_that_raises_something_else_is_named_with_its_line(build: Build) -> None:
    warnings = build("expected_errors", builder="dummy", page=RIGHT.replace("1 / 0", "1 % 0"))
    assert "page.md:8: WARNING: the cell was to raise\n    ZeroDivisionError: div" in warnings
    assert warnings.endswith("    ZeroDivisionError: integer modulo by zero [expected_errors]\n")


def test_a_cell_whose_output_is_not_shown_leaves_the_others_theirs(
    build: Build, tmp_path: Path
) -> None:
    hidden = RIGHT.replace("raises-exception", "raises-exception, remove-output")
    shown = RIGHT.replace("# Page", "").replace("1 / 0", "int('a')")
    message = "invalid literal for int() with base 10: 'a'"
    shown = shown.replace("ZeroDivisionError: division by zero", f"ValueError: {message}")
    assert build("expected_errors", page=hidden + shown) == ""
    html = (tmp_path / "html" / "page.html").read_text()
    assert "invalid literal" in html
    assert "division by zero" not in html.replace("&quot;", "")


def test_an_ordinary_page_passes(build: Build) -> None:
    assert build("expected_errors", page="\n# Page\n\n```{code-cell} python\n1 + 1\n```\n") == ""
