"""Run something on a release of torch, in an environment made for it and deleted after it.

The standard library and pip are all this needs.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

ROOT = Path(__file__).parents[2]
SITE = ROOT / "src" / "vtj_site"
CONSTRAINTS = ROOT / "conf" / "constraints.txt"

RELEASES = (
    *("1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.3.0", "1.3.1", "1.4.0", "1.5.0", "1.5.1", "1.6.0"),
    *("1.7.0", "1.7.1", "1.8.1", "1.9.1", "1.10.2", "1.11.0", "1.12.1", "1.13.1", "2.0.1"),
    *("2.2.2", "2.4.1", "2.6.0", "2.8.0", "2.10.0", "2.12.1", "2.13.0", "2.14.0", "2.14.1"),
    "2.15.0",
)
OLDEST_MINOR = 7  # of Python 3
SECONDS = {"download": 3000, "install": 3000, "ask": 900}

Row = TypeVar("Row")  # what is recorded of a release


class CouldNotRunError(Exception):
    """This machine cannot run the release; the message says which step failed and how."""


class Environment(NamedTuple):
    """An environment with one release of torch: its Python, and where the release came from."""

    python: Path
    origin: dict[str, Any]

    def ask(self, program: str, modules: Iterable[Path]) -> str:
        """Return what a program prints that has torch and copies of these modules as `asked`."""
        with tempfile.TemporaryDirectory(prefix="vtj-asked-") as scratch:
            package = Path(scratch, "asked")
            package.mkdir()
            (package / "__init__.py").touch()
            for module in modules:
                shutil.copy(module, package)
            # One thread: the tensors are small, and on two cores a second one doubled the work.
            one = {**os.environ, "OMP_NUM_THREADS": "1"}
            return command("ask", self.python, "-W", "ignore", "-c", program, cwd=scratch, env=one)


def releases() -> list[str]:
    """Return the releases to record, oldest first, with the one that the site is built with."""
    pinned = re.search(r"^torch==([0-9.]+)", CONSTRAINTS.read_text(), re.MULTILINE)
    if pinned is None:
        raise ValueError(f"{CONSTRAINTS} pins no torch: expected a line torch==VERSION")
    return sorted({*RELEASES, pinned[1]}, key=order)


def order(version: str) -> list[int]:
    """Return what sorts versions by age; one of Python may follow, as in 2.15.0:3.13."""
    return [int(part) for part in re.split("[.:]", version)]


def interpreters() -> dict[int, str]:
    """Return one interpreter for each Python 3.7 or later here, by minor version, oldest first."""
    found = {sys.version_info.minor: sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in sorted(pyenv.glob("3.*/bin/python")):
        found.setdefault(int(path.parts[-3].split(".")[1]), str(path))
    for minor in range(OLDEST_MINOR, sys.version_info.minor + 3):
        if command_path := shutil.which(f"python3.{minor}"):
            found.setdefault(minor, command_path)
    return {minor: found[minor] for minor in sorted(found) if minor >= OLDEST_MINOR}


def command(
    step: str,
    *words: str | Path,
    cwd: str | Path | None = None,
    env: dict[str, str] | None = None,
) -> str:
    """Run one step in its time limit and return what it printed."""
    try:
        return subprocess.check_output(
            words, text=True, stderr=subprocess.PIPE, timeout=SECONDS[step], cwd=cwd, env=env
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip() or "no message").splitlines()[-1]
        raise CouldNotRunError(f"{step}: {last}") from error
    except subprocess.TimeoutExpired as error:
        raise CouldNotRunError(f"{step}: not done in {SECONDS[step]} s") from error


def download(version: str, folder: Path) -> tuple[str, Path]:
    """Fetch the wheel for the oldest Python that has one; return that Python and the wheel."""
    options = ("--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", folder)
    reasons = []
    for python in interpreters().values():
        try:
            command("download", python, "-m", "pip", "download", f"torch=={version}", *options)
            return python, next(folder.glob("torch-*.whl"))
        except CouldNotRunError as reason:
            reasons.append(f"{python}: {reason}")
    raise CouldNotRunError("\n    ".join(reasons))


def environment(version: str, scratch: Path) -> Environment:
    """Install one release in `scratch`, on the oldest Python that has a wheel for it."""
    print(f"  downloading torch {version}", flush=True)
    python, wheel = download(version, scratch)

    print(f"  installing {wheel.name} ({wheel.stat().st_size / 1e6:.0f} MB)", flush=True)
    command("install", python, "-m", "venv", scratch / "venv")
    inside = scratch / "venv" / "bin" / "python"
    install = ("-m", "pip", "install", "--no-cache-dir", "--no-compile", wheel, "numpy<2")
    command("install", inside, *install)
    origin = {
        "torch": version,
        "python": command("ask", inside, "--version").split()[1],
        "wheel": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    print("  asking", flush=True)
    return Environment(inside, origin)


def record(
    asked: list[str],
    load: Callable[[], dict[str, Row]],
    row: Callable[[str, Path], Row],
    save: Callable[[dict[str, Row]], None],
) -> None:
    """Record the releases that are asked for, or all that have no row yet; save after each.

    The rows are read anew before each is added, for another run may have added some meanwhile.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; what was recorded is kept"))
    rows = load()
    wanted = asked or [version for version in releases() if version not in rows]
    for number, version in enumerate(wanted, start=1):
        print(f"torch {version} ({number} of {len(wanted)})", flush=True)
        with tempfile.TemporaryDirectory(prefix="vtj-history-") as scratch:
            try:
                found = row(version, Path(scratch))
            except CouldNotRunError as reason:
                print(f"  not run, its row stays as it was: {reason}", flush=True)
                continue
        rows = {**load(), version: found}
        rows = {each: rows[each] for each in sorted(rows, key=order)}
        save(rows)
        print("  recorded", flush=True)
    print(f"{len(rows)} releases recorded: {', '.join(rows)}")


def write(path: Path, text: str) -> None:
    """Write a file in one step, so that whoever interrupts it keeps the old one."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
