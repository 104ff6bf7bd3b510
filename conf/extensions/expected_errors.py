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

from __future__ import annotations

from docutils import nodes
from executed_page import Cell, executed_page
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)


def complaint(cell: Cell) -> str | None:
    """Say what is wrong with a cell's declared or missing error, or nothing.

    Args:
        cell: an executed cell.
    """
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
    """Return `Type: message` of the error a cell ended in, or None.

    Args:
        cell: an executed cell.
    """
    for output in cell.outputs:
        if output.output_type == "error":
            return f"{output.ename}: {output.evalue}"
    return None


def audit(app: Sphinx, doctree: nodes.document) -> None:
    """Compare every declared error of a page, and show the compared text.

    Args:
        app: the Sphinx application.
        doctree: the page that was just read.
    """
    page = executed_page(app.env, app.env.docname)
    if page is None:
        return
    for cell in page.cells:
        if message := complaint(cell):
            logger.warning(message, location=(app.env.docname, cell.line), type="expected_errors")
    errors = {cell.index: raised(cell) for cell in page.cells}
    for container in list(doctree.findall(nodes.container)):
        text = errors.get(container.get("cell_index"))
        for block in list(container.findall(nodes.literal_block)):
            if text and "traceback" in block["classes"]:
                block.replace_self(nodes.literal_block(text, text, language="none"))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the gate."""
    app.connect("doctree-read", audit)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
