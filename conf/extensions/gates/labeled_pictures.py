"""A picture without words fails the build: some readers hear the page, and search engines read it.

An image needs its ``alt``; an inline SVG needs an ``aria-label``, a ``<title>``, or, where it only
decorates, ``aria-hidden="true"``.
"""

import re
from collections.abc import Iterator

from docutils import nodes

from gates.page import Complaint, Page, line_of

_IMAGE = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.IGNORECASE | re.DOTALL)
_ALT = re.compile(r"""\balt=["'][^"']*[^"'\s]""", re.IGNORECASE)
_LABEL = re.compile(
    r"""^<svg\b[^>]*\b(?:aria-label(?:ledby)?=["'][^"']*[^"'\s]|aria-hidden=["']true)"""
    r"""|<title>[^<]*[^<\s]"""
)


def complaints(page: Page) -> Iterator[Complaint]:
    """Show the beginning of every picture of a page that has no words."""
    cells: dict[int | None, int] = {cell.index: cell.line for cell in page.cells}
    for node, markup in unlabeled(page.doctree):
        yield (
            cells.get(cell_of(node)) or line_of(node),
            f"a picture has no words: give it alt, aria-label or <title>: {markup[:60]}",
        )


def unlabeled(doctree: nodes.document) -> Iterator[tuple[nodes.Element, str]]:
    """Yield every picture that has no words, with its markup."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            yield image, image["uri"]
    for raw in doctree.findall(nodes.raw):
        text = raw.astext()
        yield from ((raw, mark) for mark in _IMAGE.findall(text) if not _ALT.search(mark))
        yield from ((raw, mark) for mark in _DRAWING.findall(text) if not _LABEL.search(mark))


def cell_of(node: nodes.Node | None) -> int | None:
    """Return the number of the cell that made a part of a page, if one did."""
    while node is not None:
        if isinstance(node, nodes.Element) and "cell_index" in node:
            return int(node["cell_index"])
        node = node.parent
    return None
