"""What a notebook will have to run, in order, and where each cell stands in its page."""

import re
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from myst_nb_fork.messages import Step

_EVAL = re.compile(
    r"\{eval\}(?P<ticks>`+)(?P<role>.+?)(?P=ticks)"
    r"|^[ \t]*(?:`{3,}|~{3,}|:{3,})\{eval(?::figure)?\}[ \t]+(?P<directive>\S+)",
    re.MULTILINE | re.DOTALL,
)


def cell_step(notebook: NotebookNode, index: int, page: Sequence[str], raises: bool) -> Step | None:
    """What to run for a cell, None where there is nothing; `page` has the lines it was read from.

    With `raises`, every cell of the page may raise.
    """
    cell = notebook.cells[index]
    tags = cell.metadata.get("tags", [])
    if cell.cell_type != "code" or not cell.source.strip() or "skip-execution" in tags:
        return None
    starts = notebook.metadata.get("source_map")
    line = first_line(page, starts[index], cell.source) if starts else None
    return Step("cell", cell.source, raises or "raises-exception" in tags, line, index + 1)


def eval_step(expression: str) -> Step:
    """What to run for an `eval` role."""
    return Step("eval", expression, may_raise=True)


def expected_steps(
    notebook: NotebookNode, page: Sequence[str], raises: bool, names: str | None
) -> Iterator[Step]:
    """The steps that MyST-NB is going to ask for; where `names` is None, nothing is evaluated.

    Found by the looks of the Markdown, so this may be mistaken about an `eval` role: what is
    asked for decides, see `client`. MyST-NB runs a cell that is tagged `remove-cell` when the
    next one is shown.
    """
    removed: list[Step] = []
    for index, cell in enumerate(notebook.cells):
        gone = not {"remove-cell", "remove_cell"}.isdisjoint(cell.metadata.get("tags", []))
        if cell.cell_type == "markdown" and not gone and names is not None:
            for match in _EVAL.finditer(cell.source):
                expression = match["role"] or match["directive"]
                if re.match(names, expression):
                    yield eval_step(expression)
        elif (step := cell_step(notebook, index, page, raises)) is not None:
            removed.append(step)
            if not gone:
                yield from removed
                removed.clear()
    yield from removed


def first_line(lines: Sequence[str], start: int, source: str) -> int | None:
    """The line of a page, from 1, on which a cell's code begins, after options of any style.

    `start` is the line after the cell's fence, from 0.
    """
    code = source.splitlines()
    for line in range(start, len(lines) - len(code) + 1):
        if all(shown.endswith(run) for shown, run in zip(lines[line:], code, strict=False)):
            return line + 1
    return None
