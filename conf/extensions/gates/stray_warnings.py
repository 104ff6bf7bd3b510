"""A warning from torch, or whatever else a cell writes to its error stream, fails the build.

A cell that is meant to show one says so: ``:mystnb: {output_stderr: show}``.
"""

from collections.abc import Iterator

from gates.page import Complaint, Page


def complaints(page: Page) -> Iterator[Complaint]:
    """Quote what each cell of a page wrote to its error stream."""
    for cell in page.cells:
        told = [output.text for output in cell.outputs if output.get("name") == "stderr"]
        if told and "output_stderr" not in cell.options.get("mystnb", {}):
            quoted = "\n    ".join("".join(told).strip().splitlines())
            yield cell.line, f"the cell was to warn of nothing\nbut wrote\n    {quoted}"
