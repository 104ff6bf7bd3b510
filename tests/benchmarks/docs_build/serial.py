"""What the cells of a site take by themselves: one after another, without Sphinx."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import nbformat
from myst_nb.core.config import NbParserConfig

from myst_nb_fork import warm
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.scheduler import Scheduler
from myst_nb_fork.steps import cell_step


def cell_seconds(notebooks: Path, preload: list[str]) -> float:
    """Run the cells of executed notebooks again, in one page's process after another."""
    process = warm.Warm(preload)
    scheduler = Scheduler(process, lambda *_: None)
    total = 0.0
    for path in sorted(notebooks.rglob("*.ipynb")):
        run = scheduler.start(path.stem, job(path), NbParserConfig())
        scheduler.end(run)
        total += sum(result.seconds for result in run.results)
    process.stop()
    return total


def job(path: Path) -> Job:
    """What a notebook has to run."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    steps = [cell_step(notebook, index, [], False) for index in range(len(notebook.cells))]
    cells: tuple[Step, ...] = tuple(step for step in steps if step is not None)
    return Job(tempfile.gettempdir(), True, dict(os.environ), cells)
