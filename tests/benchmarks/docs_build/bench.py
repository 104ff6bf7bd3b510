"""Measure how fast the site builds, against its targets and against other ways to do the same.

`python bench.py [--only PART …] [--rounds N] [--record FILE]`, from the root of the repository. The
targets are ratios within one run, since seconds depend on the machine and on what else it is doing.
A part that is measured again replaces itself in the recording, where all parts are of one machine.

Two peers are not measured, as nothing that pip installs can build with them offline: Quarto's
package downloads the program, and Jupyter Book 2 downloads the theme at its first build. Jupyter
Book 1 is Sphinx and MyST-NB, which is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from generated import write_gallery, write_pages
from measure import machine, middle, peak_bytes, seconds
from serial import cell_seconds

OFF = ["-D", "nb_execution_mode=off", "-D", "myst_nb_fork_kernels=1"]
KERNELS = ["-D", "myst_nb_fork_kernels=1"]
EDITED = "how-to/combine-losses"
SIZES = (16, 64, 256)
PRELOAD = ["torch", "numpy", "torch._dynamo"]


@dataclass(frozen=True)
class Row:
    """One line of the table; `kept` is None where there is no target."""

    key: str
    what: str
    measured: float
    unit: str = ""
    target: str = ""
    kept: bool | None = None

    def __str__(self) -> str:
        verdict = {True: "kept", False: "MISSED", None: ""}[self.kept]
        return f"{self.what:<58} {self.measured:>8.2f} {self.unit:<4} {self.target:<9} {verdict}"


def at_most(key: str, what: str, values: Sequence[float], target: float, unit: str = "") -> Row:
    """A row whose median must not be above its target."""
    value = middle(values)
    return Row(key, what, value, unit, f"<= {target:g}", value <= target)


def at_least(key: str, what: str, values: Sequence[float], target: float) -> Row:
    """A row whose median must not be below its target."""
    value = middle(values)
    return Row(key, what, value, "×", f">= {target:g}", value >= target)


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
        Row("floor", "floor: import torch, and the build with execution off", middle(floors), "s"),
        Row("cells", "the cells, one after another in warm processes", middle(alones), "s"),
        Row("cold", "cold build of the site", middle(colds), "s"),
        at_most("cold ratio", "cold build / (floor + cells / cores)", ratios(colds, bound), 1.2),
        at_most("unchanged", "nothing changed / floor", ratios(nones, floors), 0.35),
        at_most("edited", "one page edited / floor", ratios(ones, floors), 0.5),
        at_most("memory", "peak memory", [peak_bytes(site.cold()) / (1 << 30)], 2, "GiB"),
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
        Row("peers", f"{count} generated pages", middle(ours), "s"),
        *(
            at_least(name, f"{name} / ours, {count} pages", ratios(theirs[name], ours), target)
            for name, target in targets.items()
        ),
    ]


def scale(rounds: int, folder: Path) -> list[Row]:
    """More and more pages."""
    sites = {}
    for count in SIZES:
        pages = write_pages(folder / str(count), count)
        sites[count] = Site(pages, pages, folder / f"built{count}")
    times: dict[int, list[float]] = {count: [] for count in SIZES}
    for _ in range(rounds):
        for count, site in sites.items():
            times[count].append(seconds(site.cold()))
    rows = []
    for count, site in sites.items():
        memory = peak_bytes(site.cold()) / (1 << 30)
        what = f"{count} generated pages"
        rows.append(Row(f"{count} pages", f"{what}: time", middle(times[count]), "s"))
        rows.append(at_most(f"{count} pages memory", f"{what}: peak memory", [memory], 2, "GiB"))
    fewest, most = SIZES[0], SIZES[-1]
    pairs = zip(times[most], times[fewest], strict=True)
    slopes = [(long - short) / (most - fewest) for long, short in pairs]
    return [*rows, at_most("slope", "a further page", slopes, 0.15, "s")]


def live(rounds: int, folder: Path) -> list[Row]:
    """What an author sees, in a browser."""
    from latency import latencies  # not above: no other part needs a browser

    source = Path(shutil.copytree("docs", folder / "docs"))
    taken = latencies(source, Path("conf"), EDITED, folder / "built", 2 * rounds + 1)
    return [at_most("live", "from saving a page to its output in a browser", taken, 1, "s")]


def imports(rounds: int, _: Path) -> list[Row]:
    """What the library's own import takes once torch is there, in processes of its own."""
    own = [import_seconds("torch", "vtj") for _ in range(3 * rounds)]
    return [at_most("import", "import vtj, beyond import torch", own, 0.1, "s")]


def import_seconds(first: str, then: str) -> float:
    """The time that an import takes after another, in a process of its own."""
    clock = "time.perf_counter()"
    code = f"import time, {first}; t = {clock}; import {then}; print({clock} - t)"
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def ratios(values: Sequence[float], of: Sequence[float]) -> list[float]:
    """Each value, of what was measured beside it."""
    return [value / other for value, other in zip(values, of, strict=True)]


PARTS = {part.__name__: part for part in (published, live, imports, others, scale)}


def record(file: Path, where: dict[str, str | int], parts: dict[str, dict[str, object]]) -> None:
    """Write what was measured; what a recording of the same machine holds beside it is kept."""
    if missing := PARTS.keys() - parts.keys():
        old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if old.get("machine") != where:
            raise ValueError(
                f"{file} was not recorded on this machine with these versions: "
                f"measure {', '.join(sorted(missing))} too"
            )
        parts = {**old["parts"], **parts}
    ordered = {name: parts[name] for name in PARTS}
    recorded = {"command": "nox -s bench-docs", "machine": where, "parts": ordered}
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, record; the exit status is 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[*PARTS], help="what to do")
    parser.add_argument("--rounds", type=int, default=3, help="how often to measure each")
    parser.add_argument("--record", type=Path, help="a JSON file to write")
    options = parser.parse_args(arguments)
    where = machine()
    print(*(f"{key}: {value}" for key, value in where.items()), "", sep="\n", flush=True)
    parts: dict[str, dict[str, object]] = {}
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            load = round(os.getloadavg()[0], 2)
            rows = PARTS[name](options.rounds, Path(folder, name))
            print(*rows, sep="\n", flush=True)
            missed |= any(row.kept is False for row in rows)
            parts[name] = {
                "date": date.today().isoformat(),
                "load": load,
                "rounds": options.rounds,
                "rows": [asdict(row) for row in rows],
            }
    if options.record:
        record(options.record, where, parts)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
