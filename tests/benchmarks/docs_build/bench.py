"""Measure how fast the site builds, against its targets and against other ways to do the same.

`python bench.py [--rounds N] [--record FILE]`, from the root of the repository. The targets are
ratios within one run, since seconds depend on the machine and on what else it is doing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from generated import write_gallery, write_pages
from latency import latencies
from measure import machine, middle, peak_bytes, seconds
from serial import cell_seconds

OFF = ["-D", "nb_execution_mode=off", "-D", "page_executor_kernels=1"]
KERNELS = ["-D", "page_executor_kernels=1"]
EDITED = "how-to/combine-losses"
SIZES = (16, 64, 256)
PRELOAD = ["torch", "numpy", "torch._dynamo"]


@dataclass(frozen=True)
class Row:
    """One line of the table; `kept` is None where there is no target."""

    what: str
    measured: float
    unit: str = ""
    target: str = ""
    kept: bool | None = None

    def __str__(self) -> str:
        verdict = {True: "kept", False: "MISSED", None: ""}[self.kept]
        return f"{self.what:<58} {self.measured:>8.2f} {self.unit:<4} {self.target:<9} {verdict}"


def at_most(what: str, values: Sequence[float], target: float, unit: str = "") -> Row:
    """A row whose median must not be above its target."""
    value = middle(values)
    return Row(what, value, unit, f"<= {target:g}", value <= target)


def at_least(what: str, values: Sequence[float], target: float) -> Row:
    """A row whose median must not be below its target."""
    value = middle(values)
    return Row(what, value, "x", f">= {target:g}", value >= target)


class Site:
    """A site that is built again and again, in a folder of its own."""

    def __init__(self, source: Path, conf: Path, folder: Path) -> None:
        self.source, self.conf, self.folder = source, conf, folder

    def command(self, *options: str) -> list[str | Path]:
        """What builds it."""
        build: list[str | Path] = [sys.executable, "-m", "sphinx", "-q", *options, "-c", self.conf]
        return [*build, "-d", self.folder / "doctrees", self.source, self.folder / "html"]

    def cold(self, *options: str) -> list[str | Path]:
        """What builds it, now that all that was built is gone."""
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.command(*options)


def published(rounds: int, folder: Path) -> list[Row]:
    """The published site: from nothing, with nothing changed, with one page edited."""
    source = Path(shutil.copytree("docs", folder / "docs"))
    site = Site(source, Path("conf"), folder / "site")
    page = source / f"{EDITED}.md"
    cores = len(os.sched_getaffinity(0))
    floors, alones, colds, nones, ones = [], [], [], [], []
    for number in range(rounds):
        floors.append(seconds([sys.executable, "-c", "import torch"]) + seconds(site.cold(*OFF)))
        colds.append(seconds(site.cold()))
        alones.append(cell_seconds(site.folder / "jupyter_execute", PRELOAD))
        nones.append(seconds(site.command()))
        page.write_text(f"{page.read_text()}\nEdited{' again' * number}.\n")
        ones.append(seconds(site.command()))
    bound = [floor + alone / cores for floor, alone in zip(floors, alones, strict=True)]
    return [
        Row("floor: import torch, and the build with execution off", middle(floors), "s"),
        Row("the cells, one after another in warm processes", middle(alones), "s"),
        Row("cold build of the site", middle(colds), "s"),
        at_most("cold build / (floor + cells / cores)", ratios(colds, bound), 1.2),
        at_most("nothing changed / floor", ratios(nones, floors), 0.35),
        at_most("one page edited / floor", ratios(ones, floors), 0.5),
        at_most("peak memory", [peak_bytes(site.cold()) / (1 << 30)], 2, "GiB"),
    ]


def others(rounds: int, folder: Path) -> list[Row]:
    """Other ways to build the same pages."""
    count = SIZES[0]
    pages = Site(write_pages(folder / "pages", count), folder / "pages", folder / "built")
    gallery = write_gallery(folder / "gallery", count)
    scripts = Site(gallery, gallery, folder / "built_gallery")

    def gallery_cold() -> float:
        shutil.rmtree(gallery / "auto", ignore_errors=True)
        return seconds(scripts.cold())

    ways: dict[str, Callable[[], float]] = {
        "MyST-NB with Jupyter kernels": lambda: seconds(pages.cold(*KERNELS)),
        "sphinx-gallery": gallery_cold,
    }
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        ours.append(seconds(pages.cold()))
        for name, build in ways.items():
            theirs[name].append(build())
    targets = dict(zip(ways, (8, 1), strict=True))
    return [
        Row(f"{count} generated pages", middle(ours), "s"),
        *(
            at_least(f"{name} / ours, {count} pages", ratios(theirs[name], ours), targets[name])
            for name in ways
        ),
    ]


def scale(_: int, folder: Path) -> list[Row]:
    """More and more pages, each number of them once: many take long, and vary little."""
    rows, times = [], []
    for count in SIZES:
        pages = write_pages(folder / str(count), count)
        site = Site(pages, pages, folder / f"built{count}")
        times.append(seconds(site.cold()))
        memory = peak_bytes(site.cold()) / (1 << 30)
        rows.append(Row(f"{count} generated pages: time", round(times[-1], 2), "s"))
        rows.append(at_most(f"{count} generated pages: peak memory", [memory], 2, "GiB"))
    slope = (times[-1] - times[0]) / (SIZES[-1] - SIZES[0])
    return [*rows, at_most("a further page", [slope], 0.15, "s")]


def live(rounds: int, folder: Path) -> list[Row]:
    """What an author sees, in a browser."""
    source = Path(shutil.copytree("docs", folder / "docs"))
    taken = latencies(source, Path("conf"), EDITED, folder / "built", 2 * rounds + 1)
    return [at_most("from saving a page to its output in a browser", taken, 1, "s")]


def ratios(values: Sequence[float], of: Sequence[float]) -> list[float]:
    """Each value, of what was measured beside it."""
    return [value / other for value, other in zip(values, of, strict=True)]


def main() -> int:
    """Measure, print, record; the exit status is 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often to measure each")
    parser.add_argument("--record", type=Path, help="a JSON file to write")
    options = parser.parse_args()
    where = machine()
    print(*(f"{key}: {value}" for key, value in where.items()), "", sep="\n", flush=True)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (published, live, others, scale):
            found = part(options.rounds, Path(folder, part.__name__))
            print(*found, sep="\n", flush=True)
            rows += found
    if options.record:
        record = {
            "date": date.today().isoformat(),
            "command": "nox -s bench-docs",
            "machine": where,
            "rounds": options.rounds,
            "rows": [asdict(row) for row in rows],
        }
        options.record.write_text(json.dumps(record, indent=1) + "\n")
    return int(any(row.kept is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
