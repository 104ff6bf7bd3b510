"""What running the pages took and used: which are stale, the slowest, all of it as JSON."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from glob import glob
from pathlib import Path
from typing import Any

from myst_nb_fork.messages import Ended
from myst_nb_fork.run import Run

_SLOWEST = 5  # pages, and cells, to name at the end of a build


@dataclass(frozen=True)
class CellRecord:
    """One cell: where it is on its page, how long it took, and its first line."""

    place: str
    seconds: float
    source: str


@dataclass(frozen=True)
class PageRecord:
    """One page."""

    failed: bool
    seconds: float
    peak_bytes: int
    cells: tuple[CellRecord, ...]
    files: dict[str, str]
    """The digests of the watched files that it used."""
    whole: bool
    """Whether it may have used any of them, so that a new one counts too."""


class Books:
    """What is known of each page, from this build or an earlier one: Sphinx's `env` keeps it."""

    def __init__(self, env: Any, digests: dict[str, str]) -> None:
        self._digests = digests  # of the watched files, as they are now
        self._records = records(env)
        before, now = vars(env).get("myst_nb_fork_installed", frozenset()), installed()
        vars(env)["myst_nb_fork_installed"] = now
        self._replaced = not before <= now

    def outdated(self, pages: set[str]) -> set[str]:
        """Of the pages, those that failed or used what has changed since.

        All may have used a package of which there is another version now, or none. One that is new
        they did without: a site is built by one group of packages, and published by a larger one.
        """
        if self._replaced:
            return set(pages)
        return {page for page, record in self._records.items() if self._stale(record)}

    def note(self, run: Run) -> None:
        """Write down a page that has come to its end."""
        done = list(zip(run.steps, run.results, strict=False))
        cells = tuple(
            CellRecord(step.place, result.seconds, step.source.strip().splitlines()[0])
            for step, result in done
            if step.kind == "cell" and result.ran
        )
        failed = any(result.fails(step) for step, result in done)
        end = run.ended or Ended(sum(cell.seconds for cell in cells), 0, frozenset(), True)
        whole = end.started_processes  # whose files are not known
        files = {file: self._digests[file] for file in (self._digests if whole else end.files)}
        self._records[run.page] = PageRecord(
            failed, end.seconds, end.peak_bytes, cells, files, whole
        )

    def slowest(self, pages: Iterable[str]) -> list[str]:
        """Lines that name the slowest of some pages and of their cells."""
        found = self._of(pages)
        if not found:
            return []
        slow = sorted(found.items(), key=lambda item: -item[1].seconds)
        cells = [(page, cell) for page, record in found.items() for cell in record.cells]
        cells.sort(key=lambda item: -item[1].seconds)
        return [
            f"the slowest of {len(slow)} pages and of {len(cells)} cells that ran:",
            *(f"{record.seconds:8.2f} s  {page}" for page, record in slow[:_SLOWEST]),
            *(
                f"{cell.seconds:8.2f} s  {page}:{cell.place} {cell.source}"
                for page, cell in cells[:_SLOWEST]
            ),
        ]

    def write_profile(self, path: Path, pages: Iterable[str], seconds: float) -> None:
        """All that is known of some pages, which took so long together, as JSON."""
        described = {page: asdict(record) for page, record in self._of(pages).items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"seconds": seconds, "pages": described}, indent=1, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")

    def _of(self, pages: Iterable[str]) -> dict[str, PageRecord]:
        return {page: self._records[page] for page in pages if page in self._records}

    def _stale(self, record: PageRecord) -> bool:
        if record.failed:
            return True
        if record.whole:
            return record.files != self._digests
        return any(self._digests.get(file) != digest for file, digest in record.files.items())


def records(env: Any) -> dict[str, PageRecord]:
    """What Sphinx's environment keeps of all pages, to be changed in place."""
    kept: dict[str, PageRecord] = vars(env).setdefault("myst_nb_fork", {})
    return kept


def installed() -> frozenset[str]:
    """This Python, and the name and version of everything that it can import."""
    folders = {Path(entry) for entry in sys.path if os.path.isdir(entry)}
    names = {found.name for folder in folders for found in folder.glob("*.dist-info")}
    return frozenset({platform.python_version(), *names})


def digests(patterns: Iterable[str], root: Path) -> dict[str, str]:
    """A digest for each file that one of the patterns finds, under its real path."""
    found = (path for pattern in patterns for path in glob(str(root / pattern), recursive=True))
    files = {os.path.realpath(path) for path in found if os.path.isfile(path)}
    return {file: _digest(Path(file).read_bytes()) for file in sorted(files)}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
