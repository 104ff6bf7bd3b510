"""Say what a cell wrote to its error stream, where MyST-NB only says that it wrote something.

A warning from torch that no cell declared fails the build (``nb_output_stderr = "warn"``). A cell
that is meant to show one says so: ``:mystnb: {output_stderr: show}``.
"""

from __future__ import annotations

from docutils import nodes
from executed_page import Cell, executed_page
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)


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


def audit(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of every cell of a page that wrote to its error stream.

    Args:
        app: the Sphinx application.
        doctree: the page that was just read.
    """
    page = executed_page(app.env, app.env.docname)
    for cell in page.cells if page else ():
        if text := stray(cell):
            logger.warning(
                "the cell was to warn of nothing\nbut wrote\n    %s",
                "\n    ".join(text.strip().splitlines()),
                location=(app.env.docname, cell.line),
                type="stray_warnings",
            )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the gate."""
    app.connect("doctree-read", audit)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
