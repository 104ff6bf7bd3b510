"""A drawing that nothing reads back fails the build: it could show anything.

A cell that shows one ends in ``read_back(drawing, …)`` with what is true, or a cell of its section
hands the same expression to ``read_back``.
"""

import ast
from collections.abc import Iterator

from gates.confirmed_sections import calls, tree
from gates.page import Cell, Complaint, Page

MARK = "vtj-figure"
"""The class of every drawing."""


def complaints(page: Page) -> Iterator[Complaint]:
    """Say which cells show a drawing that no cell of their section reads back."""
    for section in page.sections:
        found = [call for cell in section.cells for call in calls(tree(cell), {"read_back"})]
        read = {ast.dump(node) for call in found for node in (call, *call.args[:1])}
        for cell in section.cells:
            if shows_a_drawing(cell) and not read & {ast.dump(node) for node in shown(cell)}:
                yield (
                    cell.line,
                    "a drawing is not read back: end the cell with read_back(drawing, …)",
                )


def shows_a_drawing(cell: Cell) -> bool:
    """Whether an output of a cell holds a drawing."""
    return any(MARK in output.get("data", {}).get("text/html", "") for output in cell.outputs)


def shown(cell: Cell) -> Iterator[ast.expr]:
    """Yield the expression whose value a cell shows, if its last line is one."""
    for last in tree(cell).body[-1:]:
        if isinstance(last, ast.Expr):
            yield last.value
