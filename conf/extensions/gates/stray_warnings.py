"""A warning from torch, or whatever else a cell writes to its error stream, fails the build.

A cell that is meant to show one says so: ``:mystnb: {output_stderr: show}``.
"""

from __future__ import annotations

from collections.abc import Iterator

from gates.page import Cell, Complaint, Page


def complaints(page: Page) -> Iterator[Complaint]:
    """Quote what each cell of a page wrote to its error stream."""
    for cell in page.cells:
        if text := stray(cell):
            quoted = "\n    ".join(text.strip().splitlines())
            yield cell.line, f"the cell was to warn of nothing\nbut wrote\n    {quoted}"


def stray(cell: Cell) -> str:
    """Return what a cell wrote to its error stream without having said that it would.

    Args:
        cell: an executed cell.
    """
    if "output_stderr" in cell.options.get("mystnb", {}):
        return ""
    return "".join(
        output.text
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    )
