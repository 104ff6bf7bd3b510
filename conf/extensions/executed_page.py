"""The notebook of an executed page, as MyST-NB wrote it: what the gates look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat.reader import reads

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.environment import BuildEnvironment

HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})")


@dataclass
class Cell:
    """One code cell: its place, source, options, outputs and the page's line of its fence."""

    index: int
    source: str
    options: dict[str, Any]
    outputs: list[Any]
    line: int


@dataclass
class Section:
    """A heading and the code cells between it and the next heading, of whatever level."""

    title: str
    line: int
    cells: list[Cell] = field(default_factory=list)


@dataclass
class Page:
    """An executed page in reading order."""

    sections: list[Section]

    @property
    def cells(self) -> Iterator[Cell]:
        """Every code cell, in order."""
        return (cell for section in self.sections for cell in section.cells)


def executed_page(env: BuildEnvironment, docname: str) -> Page | None:
    """Return the executed page, or None for a page that has no cells to run.

    Args:
        env: the build environment.
        docname: the page's name, without suffix.
    """
    if "kernelspec" not in env.metadata[docname]:
        return None
    folder = Path(env.mystnb_config.output_folder)  # type: ignore[attr-defined]
    notebook = read(folder / f"{docname}.ipynb")
    sections = [Section("", 1), *headings(env.doc2path(docname).read_text(encoding="utf-8"))]
    lines = notebook.metadata["source_map"]
    for index, (cell, line) in enumerate(zip(notebook.cells, lines, strict=True)):
        if cell.cell_type == "code":
            inside = [section for section in sections if section.line <= line][-1]
            inside.cells.append(Cell(index, cell.source, cell.metadata, cell.outputs, line))
    return Page(sections)


def read(path: Path) -> NotebookNode:
    """Return a notebook of MyST-NB's, which there is no need to validate.

    Args:
        path: its file.
    """
    notebook: NotebookNode = reads(path.read_bytes())  # type: ignore[no-untyped-call]
    return notebook


def headings(markdown: str) -> Iterator[Section]:
    """Yield the headings of a page, what stands inside a fence left out.

    Args:
        markdown: the page's text.
    """
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
