"""What a cell writes to its error stream is quoted, unless the cell declares it."""

from types import SimpleNamespace
from typing import Any

import pytest
from executed_page import Cell
from stray_warnings import stray

from tests.extensions.conftest import Build

PAGE = """
# Page

```{{code-cell}} python
{options}
import sys, warnings
print("out")
warnings.warn("deprecated", stacklevel=1)
print("more", file=sys.stderr)
```
"""


def test_a_warning_is_quoted_with_the_line_of_its_cell(build: Build) -> None:
    warnings = build("stray_warnings", builder="dummy", page=PAGE.format(options=""))
    assert "page.md:8: WARNING: the cell was to warn of nothing\nbut wrote\n    " in warnings
    assert "UserWarning: deprecated\n      warnings.warn(" in warnings
    assert "\n    more [stray_warnings]\n" in warnings


def test_a_declared_warning_passes(build: Build) -> None:
    page = PAGE.format(options=":mystnb: {output_stderr: show}\n")
    assert build("stray_warnings", builder="dummy", page=page) == ""


def test_an_error_is_not_taken_for_a_warning(build: Build) -> None:
    options = ":tags: [raises-exception]\n\nprint(1)\n1 / 0\n"
    assert build("stray_warnings", builder="dummy", page=PAGE.format(options=options)) == ""


def test_a_page_without_cells_passes(build: Build) -> None:
    assert build("stray_warnings", builder="dummy", page="\n# Page\n") == ""


ERROR, TOLD = {"output_type": "stream", "name": "stderr", "text": "a\n"}, {"output_stderr": "show"}


@pytest.mark.parametrize(
    ("options", "outputs", "said"),
    [
        ({}, [], ""),
        ({}, [ERROR, ERROR | {"text": "b"}], "a\nb"),
        ({}, [ERROR | {"name": "stdout"}, {"output_type": "execute_result"}, ERROR], "a\n"),
        ({"tags": ["a"], "mystnb": {"number_source_lines": True}}, [ERROR], "a\n"),
        ({"mystnb": TOLD}, [ERROR], ""),
    ],
)
def test_what_is_stray_is_the_undeclared_text_of_the_error_stream(
    options: dict[str, Any], outputs: list[dict[str, str]], said: str
) -> None:
    cell = Cell(0, "source", options, [SimpleNamespace(**output) for output in outputs], 1)
    assert stray(cell) == said
