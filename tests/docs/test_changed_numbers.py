"""Change any number in any cell of a tutorial, and the page fails."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.page_cells import PageCell, cells_of, changed, run

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
PAGES = sorted(path.stem for path in TUTORIALS.glob("*.md") if path.stem != "index")


def numbers(code: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, other number) for each number, indices and slices left out."""
    starts = [0]
    for line in code.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    tree = ast.parse(code)
    looked_at = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in looked_at:
            continue
        if type(node.value) in (int, float):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            yield start, end, repr(node.value + 1)


def mutants(cells: list[PageCell]) -> Iterator[tuple[str, list[PageCell]]]:
    """Yield every page that differs in one number, up to the section's confirm cell."""
    for place, cell in enumerate(cells):
        if cell.shown and ".confirm(" not in cell.code:
            end = next(i for i in range(place, len(cells)) if ".confirm(" in cells[i].code) + 1
            for start, stop, other in numbers(cell.code):
                text = cell.code.encode()
                code = (text[:start] + other.encode() + text[stop:]).decode()
                line = code[: len(text[:start].decode())].count("\n")
                yield code.splitlines()[line], changed(cells[:end], place, code)


@pytest.mark.parametrize("page", PAGES)
def test_a_changed_number_fails_the_page(page: str) -> None:
    cells = cells_of(TUTORIALS / f"{page}.md")
    assert run(cells) is None
    survivors = [line for line, mutant in mutants(cells) if run(mutant) is None]
    assert survivors == []


def test_numbers_that_choose_what_to_look_at_are_left_out() -> None:
    assert list(numbers("x[0] = 3 * y[1:2]")) == [(7, 8, "4")]
