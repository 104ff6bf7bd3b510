"""What a command takes: time, and memory with all the processes that it starts."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

PAUSE = 0.1  # seconds between two looks at the memory


def seconds(command: Sequence[str | Path]) -> float:
    """The time that a command takes; RuntimeError with its last lines if it fails."""
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    taken = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n" + "\n".join(done.stdout.splitlines()[-20:]))
    return taken


def peak_bytes(command: Sequence[str | Path]) -> int:
    """The most memory that a command and its processes had at a time; shared pages count once."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(proportional_bytes, tree(process.pid))))
        time.sleep(PAUSE)
    return most


def tree(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids = children.read_text().split()
        except OSError:
            continue  # it has just ended
        for child in map(int, pids):
            yield from tree(child)


def proportional_bytes(pid: int) -> int:
    """A process's memory, of what it shares with others its part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0  # it has just ended
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def machine() -> dict[str, str | int]:
    """Where and with what something was measured."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(": ")[2] for line in cpus if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": names[0] if names else platform.machine(),
        "memory_gib": round(memory / (1 << 30)),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "sphinx", "myst-nb", "furo")},
    }


def middle(values: Sequence[float]) -> float:
    """The median, to the hundredth."""
    return round(median(values), 2)
