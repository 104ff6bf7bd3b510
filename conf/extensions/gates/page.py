"""A page as the rules see it: its sections, its cells as they ran, and the lines of all of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docutils import nodes
from nbformat import NotebookNode
from nbformat.reader import reads
from sphinx.application import Sphinx
from sphinx.config import Config

HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})")

Complaint = tuple[int | None, str]
"""The line of the page, if it is known, and what is wrong there."""


@dataclass
class Cell:
    """One code cell: its place, source, options, outputs and the page's line of its fence."""

    index: int
    source: str
    options: dict[str, Any]
    outputs: list[Any]
    line: int
    reached: bool = True
    """False where an earlier cell has stopped the page."""


@dataclass
class Section:
    """A heading and the code cells between it and the next heading, of whatever level."""

    title: str
    line: int
    cells: list[Cell] = field(default_factory=list)


@dataclass
class Page:
    """A page that was read and has run, in reading order."""

    docname: str
    doctree: nodes.document
    sections: list[Section]
    config: Config

    @property
    def cells(self) -> Iterator[Cell]:
        """Every code cell, in order; none of a page that does not run."""
        return (cell for section in self.sections for cell in section.cells)


def page_of(app: Sphinx, doctree: nodes.document) -> Page:
    """Return the page that Sphinx has just read."""
    docname, env = app.env.docname, app.env
    text = env.doc2path(docname).read_text(encoding="utf-8")
    sections = [Section("", 1), *headings(text)]
    if "kernelspec" in env.metadata[docname]:
        folder = Path(env.mystnb_config.output_folder)  # type: ignore[attr-defined]
        notebook = read(folder / f"{docname}.ipynb")
        run = getattr(env, "nb_metadata", {}).get(docname, {}).get("exec_data") or {}
        lines = notebook.metadata["source_map"]
        for index, (cell, line) in enumerate(zip(notebook.cells, lines, strict=True)):
            if cell.cell_type == "code":
                reached = run.get("succeeded", True) or cell.execution_count is not None
                inside = [section for section in sections if section.line <= line][-1]
                parts = cell.source, cell.metadata, cell.outputs
                inside.cells.append(Cell(index, *parts, line, reached))
    return Page(docname, doctree, sections, app.config)


def read(path: Path) -> NotebookNode:
    """Return a notebook of MyST-NB's, which there is no need to validate."""
    notebook: NotebookNode = reads(path.read_bytes())  # type: ignore[no-untyped-call]
    return notebook


def headings(markdown: str) -> Iterator[Section]:
    """Yield the headings of a page, what stands inside a fence left out."""
    fence = ""
    for number, text in enumerate(markdown.splitlines(), 1):
        mark = FENCE.match(text)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := HEADING.match(text):
            yield Section(heading[2].strip(), number)


def line_of(node: nodes.Node) -> int | None:
    """Return the page's line of a node, taken from the nearest ancestor that has one."""
    while not node.line and node.parent is not None:  # MyST gives an image line 0
        node = node.parent
    return node.line


def place(app: Sphinx, docname: str, text: str) -> tuple[str, int | None]:
    """Return a page and its first line that holds a text, as Sphinx's logger takes it.

    Comments are passed by. Where no line holds the text, the page alone is the place.
    """
    lines = Path(app.env.doc2path(docname)).read_text(encoding="utf-8").splitlines()
    found = (n for n, line in enumerate(lines, 1) if text in line and not line.startswith("%"))
    return docname, next(found, None)
