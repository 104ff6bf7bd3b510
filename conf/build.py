"""Build the site whole or not at all: `python conf/build.py build docs -n -W …`.

Each build writes into a new folder under `build/unfinished`. If it succeeds, its site and
`build/html` change places, on Linux in one step; if not, `build/html` stays as it is. Whatever
ended a build, the next one removes what was left of it. It knows the folder of a build that still
runs by the lock on it, which ends with the last process that holds it.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import fcntl
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

PARTS = ("html", "doctrees")
"""What changes places: the site, and what other builders read instead of running it again."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h
_NO_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}
"""What a system or a file system says that has no such step."""


def main(arguments: list[str] | None = None) -> int:
    """Build, and publish if that succeeded; return the exit status of sphinx-build."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", type=Path, help="the folder that holds or is to hold html")
    parser.add_argument("source", type=Path, help="the folder of the pages")
    given, options = parser.parse_known_args(arguments)
    use_time_of_commit(given.source)
    # What a page that fails leaves to read must outlive the folder of a build that failed.
    os.environ.setdefault("MYST_NB_FORK_LOGS", str((given.target / "logs").resolve()))
    with new_folder(given.target / "unfinished") as folder:
        html, doctrees = (str(folder / part) for part in PARTS)
        status: int = sphinx_build(
            ["-b", "html", *options, "-d", doctrees, str(given.source), html]
        )
        if status == 0:
            with locked(folder.parent):
                for part in PARTS:
                    exchange(folder / part, given.target / part)
            print(f"The front page is {given.target / 'html' / 'index.html'}")
        else:
            print(f"Not published: {given.target / 'html'} is as it was.", file=sys.stderr)
    return status


def use_time_of_commit(source: Path) -> None:
    """Have whatever asks for the time of the build get that of the last commit, if there is one."""
    command = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return  # no git, or no repository
    os.environ.setdefault("SOURCE_DATE_EPOCH", answer)


@contextmanager
def new_folder(unfinished: Path) -> Iterator[Path]:
    """A folder for one build, locked while it runs and removed at its end.

    Args:
        unfinished: the folder of all such folders; what dead builds left there is removed.
    """
    unfinished.mkdir(parents=True, exist_ok=True)
    with locked(unfinished):
        for folder in unfinished.iterdir():
            if not in_use(folder):
                shutil.rmtree(folder)
        folder = unfinished.resolve() / uuid.uuid4().hex[:12]
        folder.mkdir()
        lock = _lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(lock)


def in_use(folder: Path) -> bool:
    """Say whether the build that writes into a folder is still running."""
    try:
        os.close(_lock(folder, fcntl.LOCK_NB))
    except BlockingIOError:
        return True
    return False


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process holds the lock on a folder, and hold it."""
    lock = _lock(folder)
    try:
        yield
    finally:
        os.close(lock)


def exchange(new: Path, old: Path) -> None:
    """Have two folders change places, or move one where the other is missing.

    On Linux it is one step. Where the system has no such step it is three, and a build that is
    killed between them leaves the old folder under the new one's name with ``-old`` behind it.

    Args:
        new: a folder.
        old: the place that it takes.
    """
    if not old.exists():
        new.rename(old)
    elif not _exchanged(os.fsencode(new), os.fsencode(old)):
        aside = new.with_name(f"{new.name}-old")
        old.rename(aside)
        new.rename(old)
        aside.rename(new)


def _exchanged(new: bytes, old: bytes) -> bool:
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    failed = renameat2(_AT_FDCWD, new, _AT_FDCWD, old, _RENAME_EXCHANGE)
    if failed and ctypes.get_errno() not in _NO_EXCHANGE:
        error = ctypes.get_errno()
        raise OSError(error, f"cannot change places: {os.strerror(error)}", new, None, old)
    return not failed


def _lock(folder: Path, how: int = 0) -> int:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)
    except BlockingIOError:
        os.close(descriptor)
        raise
    return descriptor


if __name__ == "__main__":
    sys.exit(main())
