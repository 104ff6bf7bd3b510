"""A cell that is meant to fail declares the exact error; anything else fails the build.

A page writes both options, and the build compares the whole text::

    ```{code-cell} python
    :tags: [raises-exception]
    :raises: "RuntimeError: grad can be implicitly created only for scalar outputs"

    y.backward()
    ```

MyST-NB alone lets a cell with this tag pass when it raises nothing, or something else. The
published page shows the compared text in place of the traceback, whose paths belong to the machine
that built it.
"""

from collections.abc import Iterator

from docutils import nodes

from gates.page import Cell, Complaint, Page


def complaints(page: Page) -> Iterator[Complaint]:
    """Say of each cell what is wrong with its declared or missing error."""
    for cell in page.cells:
        if cell.reached and (message := complaint(cell)):
            yield cell.line, message


def complaint(cell: Cell) -> str | None:
    """Say what is wrong with a cell's declared or missing error, or nothing."""
    tagged = "raises-exception" in cell.options.get("tags", [])
    declared = cell.options.get("raises")
    if not tagged and declared is None:
        return None
    if not tagged:
        return "a cell with `:raises:` also needs `:tags: [raises-exception]`"
    if declared is None:
        return 'a cell tagged raises-exception must declare `:raises: "Type: message"`'
    found = raised(cell)
    if found is None:
        return f"the cell was to raise\n    {declared}\nbut raised nothing"
    if found != declared:
        return f"the cell was to raise\n    {declared}\nbut raised\n    {found}"
    return None


def raised(cell: Cell) -> str | None:
    """Return `Type: message` of the error a cell ended in, or None."""
    errors = (output for output in cell.outputs if output.output_type == "error")
    return next((f"{error.ename}: {error.evalue}" for error in errors), None)


def show_compared(page: Page) -> None:
    """Put the compared text in place of each traceback."""
    errors = {cell.index: raised(cell) for cell in page.cells}
    for container in list(page.doctree.findall(nodes.container)):
        text = errors.get(container.get("cell_index"))
        for block in list(container.findall(nodes.literal_block)):
            if text and "traceback" in block["classes"]:
                block.replace_self(nodes.literal_block(text, text, language="none"))
