"""Build the site with Jupyter kernels and with the page executor, and compare what pages show.

`python kernels.py SOURCE CONF FOLDER` builds into FOLDER. It compares every output of every cell,
and the published pages, which also hold what `{eval}` has put into sentences. It ends with an error
if anything differs, named by page, cell and line. So no page can show what differs from run to run,
such as an address in memory or a duration.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

WAYS = {"kernels": ["-D", "myst_nb_fork_kernels=1"], "executor": []}
# Both builds leave streams as they came: MyST-NB writes merged ones into the notebook twice.
OPTIONS = ["-q", "-E", "-D", "nb_merge_streams=0"]
LOG = "build.log"
VARYING = [
    (re.compile(r"\x1b\[[0-9;]*m"), ""),  # color, which a published page does not show
    (re.compile(r"/tmp/ipykernel_\d+/\d+\.py|\bcell_\d+\.py"), "cell.py"),
    (re.compile(r"\(\d+\.py, line"), "(cell.py, line"),
]


def build(source: Path, conf: Path, folder: Path, way: str) -> subprocess.Popen[bytes]:
    """Start a build in one of the ways, in a folder of its name; what it says goes to a log."""
    place = folder / way
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "sphinx", *OPTIONS, *WAYS[way], "-c", str(conf)]
    command += ["-d", str(place / "doctrees"), str(source), str(place / "html")]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with (place / LOG).open("wb") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def differences(one: Path, other: Path) -> Iterator[str]:
    """What differs between two builds: the outputs of cells, then the rest of the pages."""
    for name, text, theirs in pairs(one / "jupyter_execute", other / "jupyter_execute", "*.ipynb"):
        yield from in_cells(name.removesuffix(".ipynb"), json.loads(text), json.loads(theirs))
    for name, text, theirs in pairs(one / "html", other / "html", "*.html"):
        if change := changed(page(text), page(theirs)):
            yield f"{name}: the published page differs\n{change}"


def pairs(one: Path, other: Path, pattern: str) -> Iterator[tuple[str, str, str]]:
    """The files of two folders: name, text here, text there; empty where there is none."""
    names = {str(path.relative_to(one)) for path in one.rglob(pattern)}
    names |= {str(path.relative_to(other)) for path in other.rglob(pattern)}
    if not names:
        raise FileNotFoundError(f"neither {one} nor {other} has any {pattern}")
    for name in sorted(names):
        here, there = one / name, other / name
        yield (
            name,
            here.read_text() if here.exists() else "{}",
            there.read_text() if there.exists() else "{}",
        )


def in_cells(name: str, one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """What differs between the cells of two runs of a page."""
    cells, others = one.get("cells", []), other.get("cells", [])
    if len(cells) != len(others):
        yield f"{name}: {len(cells)} cells with kernels, {len(others)} with the executor"
        return
    lines = one["metadata"].get("source_map", [0] * len(cells))
    for index, (cell, theirs) in enumerate(zip(cells, others, strict=True)):
        if cell["cell_type"] == "code" and not unshown_at_the_end(cells, index):
            before, after = comparable(cell), comparable(theirs)
            if change := changed(before, after):
                yield f"{name}: cell {index + 1}, line {lines[index] + 1}, differs\n{change}"


def unshown_at_the_end(cells: list[dict[str, Any]], index: int) -> bool:
    """Whether a cell is one that MyST-NB never has run, since none that is shown follows."""
    return all(
        "remove-cell" in cell["metadata"].get("tags", [])
        for cell in cells[index:]
        if cell["cell_type"] == "code"
    )


def comparable(cell: dict[str, Any]) -> list[str]:
    """A cell's count and outputs as lines, each stream as one: kernels cut it up as time goes."""
    streams: dict[str, str] = {}
    rest = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            name = output["name"]
            streams[name] = streams.get(name, "") + "".join(output["text"])
        else:
            rest.append(output)
    shown = json.dumps([cell["execution_count"], rest], indent=1, sort_keys=True)
    texts = [f"{name}: {line}" for name in sorted(streams) for line in streams[name].splitlines()]
    return [*map(steady, shown.splitlines()), *map(steady, texts)]


def page(html: str) -> list[str]:
    """A page's lines without its streams, which are compared cell by cell."""
    soup = BeautifulSoup(html, "html.parser")
    for stream in soup.select("div.output.stream, div.output.stderr"):
        stream.decompose()
    return [steady(line) for line in str(soup).splitlines() if line.strip()]


def steady(text: str) -> str:
    """A text without what differs from build to build."""
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return text


def changed(one: list[str], other: list[str], most: int = 20) -> str:
    """The first lines that differ, or nothing."""
    lines = difflib.unified_diff(one, other, "kernels", "executor", lineterm="", n=0)
    return "\n".join(f"    {line}" for line in list(lines)[:most])


def main(source: Path, conf: Path, folder: Path) -> int:
    """Build, compare and report; the exit status."""
    builds = {way: build(source, conf, folder, way) for way in WAYS}  # side by side
    failed = [way for way, process in builds.items() if process.wait() != 0]
    if failed:
        print(f"the build with {' and '.join(failed)} has failed")
        for way in failed:
            print(*(folder / way / LOG).read_text().splitlines()[-30:], sep="\n")
        return 1
    found = list(differences(*(folder / way for way in WAYS)))
    for difference in found:
        print(difference)
    notebooks = list((folder / "executor/jupyter_execute").rglob("*.ipynb"))
    cells = [cell for path in notebooks for cell in json.loads(path.read_text())["cells"]]
    code = sum(cell["cell_type"] == "code" for cell in cells)
    print(f"{len(notebooks)} pages, {code} cells: {len(found) or 'no'} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
