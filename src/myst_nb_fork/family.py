"""What Linux lets a process say about its relatives."""

import ctypes
import select
import signal
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h


def end_with_parent() -> None:
    """Have this process killed when the one that has forked it ends, in whatever way."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of all that descends from this process and has lost its own parent."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def children() -> set[int]:
    """The processes whose parent this one is."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(pid) for pids in lists for pid in pids.read_text().split()}


def connected(socket: int) -> bool:
    """Whether another process still holds the other end of a socket."""
    poll = select.poll()
    poll.register(socket, 0)  # 0: for nothing but that the other end is gone
    return not poll.poll(0)
