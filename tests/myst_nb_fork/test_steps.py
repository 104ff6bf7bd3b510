"""What a page will run is seen before it is asked for, with the lines where it stands."""

from typing import Any

import nbformat
import pytest

from myst_nb_fork.messages import Step
from myst_nb_fork.steps import cell_step, eval_step, expected_steps, first_line


def code(source: str, *tags: str) -> Any:
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def prose(source: str, *tags: str) -> Any:
    return nbformat.v4.new_markdown_cell(source, metadata={"tags": list(tags)} if tags else {})


def notebook(*cells: Any, starts: list[int] | None = None) -> Any:
    metadata = {} if starts is None else {"source_map": starts}
    return nbformat.v4.new_notebook(cells=list(cells), metadata=metadata)


PAGE = ["# Title", "", "```{code-cell}", ":tags: [x]", "", "x = 1", "y = 2", "```", "", "y = 2"]


@pytest.mark.parametrize(
    ("cell", "raises", "step"),
    [
        (code("x = 1\ny = 2"), False, Step("cell", "x = 1\ny = 2", False, 6, 2)),
        (code("x = 1\ny = 2"), True, Step("cell", "x = 1\ny = 2", True, 6, 2)),
        (code("y = 2", "raises-exception"), False, Step("cell", "y = 2", True, 7, 2)),
        (code("y = 2", "hide-input"), False, Step("cell", "y = 2", False, 7, 2)),
        (code("z"), False, Step("cell", "z", False, None, 2)),
        (code("y = 2", "skip-execution"), False, None),
        (code("  \n"), False, None),
        (prose("y = 2"), False, None),
    ],
)
def test_a_cell_is_a_step_unless_there_is_nothing_to_run(
    cell: Any, raises: bool, step: Step | None
) -> None:
    assert cell_step(notebook(prose(""), cell, starts=[0, 3]), 1, PAGE, raises) == step


def test_where_a_cell_stands_is_not_known_without_a_page() -> None:
    assert cell_step(notebook(code("x = 1")), 0, PAGE, False) == Step("cell", "x = 1", cell=1)


@pytest.mark.parametrize(
    ("text", "expressions"),
    [
        ("Now {eval}`x` and {eval}`f(y)`.", ["x", "f(y)"]),
        ("{eval}``d[`a`]`` then {eval}`b`", ["d[`a`]", "b"]),
        ("{eval}`a\nb`", ["a\nb"]),
        ("`x`, {other}`x`, eval`x`, {eval}", []),
        ("```{eval} x\n```", ["x"]),
        ("text\n\n  ~~~{eval:figure}\tx y\n~~~\n", ["x"]),
        (":::{eval} len(x)\n:::\n```{eval}   z\n```", ["len(x)", "z"]),
        ("``{eval} x\n``", []),
        ("a ```{eval} x", []),
        ("{eval}`1`, {eval}`x`", ["x"]),
    ],
)
def test_expressions_are_seen_by_their_looks(text: str, expressions: list[str]) -> None:
    found = expected_steps(notebook(prose(text)), [], False, "[a-z]")
    assert list(found) == [eval_step(expression) for expression in expressions]


@pytest.mark.parametrize("tag", ["remove-cell", "remove_cell"])
def test_a_removed_cell_runs_with_the_next_that_is_shown(tag: str) -> None:
    cells = [
        code("a", "other"),
        prose("{eval}`b`"),
        code("c", tag),
        prose("{eval}`gone`", tag),
        prose("{eval}`d`"),
        code("e", tag),
        code("f"),
        code("g"),
        code("h", tag),
        prose("{eval}`i`"),
        code("", tag),
    ]
    found = expected_steps(notebook(*cells), [], False, "")
    assert [step.source for step in found] == ["a", "b", "d", "c", "e", "f", "g", "i", "h"]


def test_expected_cells_know_their_lines_and_whether_they_may_raise() -> None:
    book = notebook(code("x = 1\ny = 2"), code("y = 2"), starts=[0, 8])
    first, second = (list(expected_steps(book, PAGE, raises, "")) for raises in (False, True))
    assert [(step.line, step.may_raise) for step in first] == [(6, False), (10, False)]
    assert [(step.line, step.may_raise) for step in second] == [(6, True), (10, True)]


@pytest.mark.parametrize(
    ("start", "source", "line"),
    [
        (0, "x = 1", 6),
        (5, "x = 1", 6),
        (6, "x = 1", None),
        (0, "y = 2", 7),
        (7, "y = 2", 10),
        (9, "y = 2", 10),
        (0, "y = 2\n```", 7),
        (8, "y = 2\n```", None),
        (0, "x = 1\nz = 3", None),
    ],
)
def test_the_line_is_that_of_the_first_cell_with_the_code(
    start: int, source: str, line: int | None
) -> None:
    assert first_line(PAGE, start, source) == line
