"""Which files a page has used."""

import functools
import os
from importlib.util import source_from_cache
from typing import Any

_STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}


class FilesUsed:
    """What this process has opened and started, as far as `note` is an audit hook of Python's.

    Every module comes from a file that was opened, and so do data.
    """

    def __init__(self) -> None:
        self._before: frozenset[str] = frozenset()
        self._opened: set[str] = set()
        self.started_processes = False

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take note of an event, with the arguments that Python documents for it."""
        if event == "open":
            if isinstance(arguments[0], str | bytes | os.PathLike):
                self._opened.add(os.path.abspath(os.fsdecode(arguments[0])))
        elif event in _STARTS:
            self.started_processes = True

    def settle(self) -> None:
        """Take what was opened so far as opened by all pages that this process is forked into."""
        self._before = self._real()
        self._opened.clear()

    def among(self, watched: frozenset[str]) -> frozenset[str]:
        """Those of the watched files, which are real paths, that were opened."""
        return (watched & self._before) | (watched & self._real())

    def _real(self) -> frozenset[str]:
        folder = functools.cache(os.path.realpath)
        parts = (os.path.split(_source(path)) for path in self._opened)
        return frozenset(os.path.realpath(os.path.join(folder(head), tail)) for head, tail in parts)


def _source(path: str) -> str:
    try:
        return source_from_cache(path) if path.endswith(".pyc") else path
    except ValueError:
        return path  # a .pyc that is nobody's cache
