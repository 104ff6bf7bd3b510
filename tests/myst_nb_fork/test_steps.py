"""What a page will run is seen before it is asked for, with the lines where it stands."""

from typing import Any

import nbformat
import pytest

from myst_nb_fork.steps import eval_step, expected_steps


def code(source: str, *tags: str) -> Any:
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def prose(source: str, *tags: str) -> Any:
    return nbformat.v4.new_markdown_cell(source, metadata={"tags": list(tags)} if tags else {})


def notebook(*cells: Any) -> Any:
    return nbformat.v4.new_notebook(cells=list(cells))


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
