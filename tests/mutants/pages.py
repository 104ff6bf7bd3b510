"""Every mutant of a tutorial's cells, each run in a fork that has already run the cells above."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.docs.page_cells import PageCell, cells_of
from tests.mutants.kinds import numbers, ones, retained, rows, signs
from tests.mutants.kinds.text import Planted

HERE = Path(__file__).parent
TUTORIALS = HERE.parents[1] / "docs/tutorials"
LIBRARY = HERE.parents[1] / "src/vtj"
KINDS = {
    "numbers": numbers.plant,
    "signs": signs.plant,
    "rows": rows.plant,
    "v of ones": ones.plant,
    "graph kept": retained.plant,
}
SECONDS = 60
"""A mutant that runs longer has not passed: the build would stop it too."""


@dataclass(frozen=True)
class Mutant:
    """One fault in one cell.

    Attributes:
        page: the page's name.
        kind: a key of `KINDS`.
        cell: the number of the cell in the page.
        fault: what was changed.
    """

    page: str
    kind: str
    cell: int
    fault: Planted

    @property
    def name(self) -> str:
        """What tells it from all others; the digest is of the cell with the fault."""
        code = hashlib.sha256(self.fault.code.encode()).hexdigest()[:8]
        return f"{self.page}, cell {self.cell}, {code}"

    def __str__(self) -> str:
        change = f"{' '.join(self.fault.was.split())} -> {' '.join(self.fault.now.split())}"
        return f"{self.name}: {change}"


def digest(page: str) -> str:
    """Return a digest of all that decides what becomes of a page's mutants."""
    code = [*sorted(LIBRARY.rglob("*.py")), *sorted(HERE.glob("kinds/*.py"))]
    text = b"".join(file.read_bytes() for file in (TUTORIALS / f"{page}.md", *code))
    return hashlib.sha256(text).hexdigest()[:16]


def pages() -> list[str]:
    """Return the names of the tutorials."""
    return sorted(path.stem for path in TUTORIALS.glob("*.md") if path.stem != "index")


def mutants(page: str) -> list[Mutant]:
    """Return every mutant of a page's cells that a reader sees, but those that confirm."""
    return [
        Mutant(page, kind, number, fault)
        for number, cell in enumerate(cells_of(TUTORIALS / f"{page}.md"))
        if cell.shown and ".confirm(" not in cell.code
        for kind, plant in KINDS.items()
        for fault in plant(cell.code)
    ]


def verdicts(page: str, wanted: list[Mutant]) -> Iterator[tuple[Mutant, str | None]]:
    """Run the cells of a page, and before each of them its mutants, in forks.

    Yields each mutant and what stopped it, or None.

    Args:
        page: the page's name.
        wanted: the mutants to run.
    """
    cells = cells_of(TUTORIALS / f"{page}.md")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        for mutant in wanted:
            if mutant.cell == number:
                changed = PageCell(cell.options, mutant.fault.code)
                yield mutant, in_a_fork([changed, *to_confirm(cells[number + 1 :])], namespace)
        if stopped := step(cell, namespace):
            raise RuntimeError(f"{page} fails without a fault: {stopped}")


def to_confirm(cells: list[PageCell]) -> list[PageCell]:
    """Return the cells up to the one that confirms the section."""
    ends = [number for number, cell in enumerate(cells) if ".confirm(" in cell.code]
    return cells[: ends[0] + 1] if ends else cells


def in_a_fork(cells: list[PageCell], namespace: dict[str, Any]) -> str | None:
    """Run cells in a fork of this process; return what stopped them, or None."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(SECONDS)
        said = next(filter(None, (step(cell, namespace) for cell in cells)), "")
        with contextlib.suppress(OSError):
            os.write(write, said.encode()[:2000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said or None


def step(cell: PageCell, namespace: dict[str, Any]) -> str | None:
    """Run a cell as the build does; return what is wrong with it, or None."""
    declared = cell.options.get("raises")
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            exec(compile(cell.code, "<cell>", "exec"), namespace)
        except Exception as error:
            sys.last_value = error
            came = f"{type(error).__name__}: {error}"
            return None if came == declared else came
    if declared is not None:
        return f"nothing raised, declared {declared}"
    return f"wrote a warning: {errors.getvalue()}" if errors.getvalue() else None
