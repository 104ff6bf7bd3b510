"""Build one commit twice, each time otherwise, and name the first byte that differs.

`python tests/reproducible/same_bytes.py FOLDER` builds into FOLDER what is committed. The builds
differ in folder, date, hash seed, time zone, locale and number of cores.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
LATER = """\
import datetime, time_machine
time_machine.travel(datetime.datetime.now() + datetime.timedelta(days=400)).start()
"""
BUILT = ("html", "jupyter_execute")
WIDTH = 60
"""Characters shown on either side of a difference."""

HERE = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
ELSEWHERE = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}


def clone(folder: Path) -> Path:
    """Check out what is committed into a new folder."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    return folder


def build(
    folder: Path, environment: Mapping[str, str], *path: Path, cores: int | None = None
) -> None:
    """Build the site of a clone, into its own `build`, with some folders first in PYTHONPATH."""
    places = os.pathsep.join(map(str, [*path, folder / "src"]))
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-c", "conf"]
    available = sorted(os.sched_getaffinity(0))
    subprocess.run(
        [*command, "-d", "build/doctrees", "docs", "build/html"],
        cwd=folder,
        env={**os.environ, **environment, "PYTHONPATH": places, "PYTHONWARNINGS": ""},
        preexec_fn=lambda: os.sched_setaffinity(0, available[:cores]),
        check=True,
    )


def later(folder: Path) -> Path:
    """Return a new folder that, on PYTHONPATH, takes every process of a build to another year."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(LATER, "utf-8")
    return folder


def first_difference(one: Path, other: Path) -> str | None:
    """Name the first file and line that two folders do not share, or nothing."""
    names = sorted({file.relative_to(top) for top in (one, other) for file in files(top)})
    if not names:
        raise FileNotFoundError(f"there is no file in {one}, nor in {other}")
    for name in names:
        for here, there in ((one, other), (other, one)):
            if not (here / name).is_file():
                return f"{name}: in {there}, not in {here}"
        a, b = ((top / name).read_bytes() for top in (one, other))
        if a != b:
            return f"{name}:{describe(a, b)}"
    return None


def files(folder: Path) -> list[Path]:
    """Return the files of a folder, whatever folder they are in."""
    return [path for path in folder.rglob("*") if path.is_file()]


def describe(a: bytes, b: bytes) -> str:
    """Return the first line that differs, and what stands there on either side."""
    lines = zip_longest(a.split(b"\n"), b.split(b"\n"), fillvalue=b"")
    number, (mine, theirs) = next(
        (number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1]
    )
    start = next(
        place for place, pair in enumerate(zip_longest(mine, theirs)) if pair[0] != pair[1]
    )
    parts = [
        repr(line[max(0, start - WIDTH) : start + WIDTH].decode("utf-8", "replace"))
        for line in (mine, theirs)
    ]
    return f"{number}: {parts[0]}\n    and {parts[1]}"


def main(folder: Path) -> int:
    """Build in both ways and compare; return 1 if anything differs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    here, elsewhere = clone(folder / "one"), clone(folder / "an öther plàce")
    build(here, HERE, cores=1)
    build(elsewhere, ELSEWHERE, later(folder / "later"))
    differences = [
        f"{part}/{said}"
        for part in BUILT
        if (said := first_difference(here / "build" / part, elsewhere / "build" / part))
    ]
    same = f"{len(files(here / 'build/html'))} files, the same bytes in both builds"
    print("\n".join(differences) or same)
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
