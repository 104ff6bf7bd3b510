"""What running the pages took: the slowest of them, and all of it as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from myst_nb_fork.run import Run


@dataclass(frozen=True)
class CellRecord:
    """One cell."""

    line: int | None
    seconds: float
    source: str
    """Its first line."""


@dataclass(frozen=True)
class PageRecord:
    """One page."""

    failed: bool
    seconds: float
    peak_bytes: int
    cells: tuple[CellRecord, ...]
    files: Mapping[str, str]
    """The digests of the watched files that it used."""
    whole: bool
    """Whether it may have used any of them, so that a new one counts too."""


def record_of(run: Run, digests: Mapping[str, str], *, failed: bool) -> PageRecord:
    """How a page was that has come to its end.

    Args:
        run: the page.
        digests: of the watched files.
        failed: whether it must run again.
    """
    cells = tuple(
        CellRecord(step.line, result.seconds, step.source.strip().splitlines()[0])
        for step, result in zip(run.steps, run.results, strict=False)
        if step.kind == "cell" and result.ran
    )
    end = run.ended
    if end is None:
        return PageRecord(failed, sum(cell.seconds for cell in cells), 0, cells, digests, True)
    if end.started_processes:
        return PageRecord(failed, end.seconds, end.peak_bytes, cells, digests, True)
    files = {file: digests[file] for file in end.files}
    return PageRecord(failed, end.seconds, end.peak_bytes, cells, files, False)


def slowest(records: Mapping[str, PageRecord], count: int = 5) -> list[str]:
    """Lines that name the slowest pages and the slowest cells."""
    if not records:
        return []
    pages = sorted(records.items(), key=lambda item: -item[1].seconds)
    cells = [(page, cell) for page, record in records.items() for cell in record.cells]
    cells.sort(key=lambda item: -item[1].seconds)
    return [
        f"the slowest of {len(pages)} pages and of {len(cells)} cells that ran:",
        *(f"{record.seconds:8.2f} s  {page}" for page, record in pages[:count]),
        *(
            f"{cell.seconds:8.2f} s  {page}:{cell.line} {cell.source}"
            for page, cell in cells[:count]
        ),
    ]


def write_profile(path: Path, records: Mapping[str, PageRecord], seconds: float) -> None:
    """All of it, as JSON."""
    pages = {
        page: {
            "seconds": round(record.seconds, 4),
            "peak_bytes": record.peak_bytes,
            "failed": record.failed,
            "cells": [
                {"line": cell.line, "seconds": round(cell.seconds, 4), "source": cell.source}
                for cell in record.cells
            ],
        }
        for page, record in sorted(records.items())
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"seconds": round(seconds, 4), "pages": pages}, indent=1) + "\n",
        encoding="utf-8",
    )
