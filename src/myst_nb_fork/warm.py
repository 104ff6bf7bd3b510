"""Sphinx's end of the warm process."""

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from myst_nb_fork.family import connected
from myst_nb_fork.messages import Job

_START = "import sys; sys.path[0] = sys.argv.pop(1); from myst_nb_fork import zygote; zygote.main()"


class Warm:
    """A process that has imported what pages import, and forks one process a page.

    It ends when every process that holds its control socket has closed it or died, and takes
    with it whatever the pages have left running.
    """

    def __init__(self, preload: list[str]) -> None:
        self.preload = list(preload)
        self._used = False
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
        self._used = True
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
    def alive(self) -> bool:
        """Whether it still runs; a fork of the process that has started it can ask too."""
        return self._control.fileno() >= 0 and connected(self._control.fileno())

    def stop(self) -> None:
        """End the process and all that it has started."""
        if not self._used:
            self._process.kill()  # it may be in the middle of an import, and has no children
        with contextlib.suppress(OSError):  # it may be gone
            self._control.send(b".")
        self._control.close()
        self._process.wait()


_kept: Warm | None = None
"""One that outlives a build, for the next."""


def keep(process: Warm | None) -> None:
    """Have builds in this process and in forks of it use a warm process, and leave it running."""
    global _kept
    _kept = process


def started(preload: list[str]) -> Warm:
    """The one that is kept, if it serves and has the same imports; else a new one."""
    if _kept is not None and _kept.preload == preload and _kept.alive:
        return _kept
    return Warm(preload)


def release(process: Warm) -> None:
    """End a warm process that a build has used, unless it is the one that is kept."""
    if process is not _kept:
        process.stop()
