"""Sphinx's end of the warm process."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from myst_nb_fork.messages import Job

_START = "import sys; sys.path[0] = sys.argv.pop(1); from myst_nb_fork import zygote; zygote.main()"


class Warm:
    """A process that has imported what pages import, and forks one process a page.

    It ends when every process that holds its control socket has closed it or died, and takes
    with it whatever the pages have left running.
    """

    def __init__(self, preload: list[str]) -> None:
        self.preload = list(preload)
        self.used = False
        self._owner = os.getpid()
        self._control, theirs = socket.socketpair()
        package = str(Path(__file__).parent.parent)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, package, str(theirs.fileno()), *preload],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Strings hash alike in every build, so sets print alike.
                env={"PYTHONHASHSEED": "0", **os.environ},
                # Ctrl-C and a killed group are for Sphinx; this process cleans up after it.
                start_new_session=True,
            )

    def submit(self, job: Job) -> tuple[socket.socket, int]:
        """Have a page run; its connection, and a pipe that gives its wait status at the end."""
        self.used = True
        ours, theirs = socket.socketpair()
        read, write = os.pipe()
        # The job goes by file: a socket could be full before anyone listens.
        with theirs, tempfile.TemporaryFile() as file:
            pickle.dump(job, file)
            file.flush()
            with contextlib.suppress(OSError):  # if it is gone, the connection ends at once
                socket.send_fds(self._control, [b"."], [theirs.fileno(), write, file.fileno()])
            os.close(write)
        return ours, read

    @property
    def owned(self) -> bool:
        """Whether this process has started it, and is not a fork of the one that has."""
        return self._owner == os.getpid()

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as this process can know."""
        return not self.owned or self._process.poll() is None

    def stop(self) -> None:
        """End the process and all that it has started."""
        if not self.used:
            self._process.kill()  # it may be in the middle of an import, and has no children
        with contextlib.suppress(OSError):  # it may be gone
            self._control.send(b".")
        self._control.close()
        self._process.wait()


_current: Warm | None = None


def supported() -> bool:
    """Whether this system can fork, and can take orphans in; only Linux does both."""
    return sys.platform == "linux"


def start(preload: list[str]) -> Warm:
    """The warm process, started if it does not run."""
    global _current
    if _current is None or not _current.alive or _current.preload != preload:
        stop()
        _current = Warm(preload)
    return _current


def stop() -> None:
    """End the warm process, if it is this process that has started it."""
    global _current
    if _current is not None and _current.owned:
        _current.stop()
        _current = None
