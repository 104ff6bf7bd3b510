"""Print one table: every tool on every case, in times of what `vtj.certify` takes.

Run it as ``nox -s bench``, which sets OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1. All peers run
in one process, one thread, one after the other, so that ratios can be compared even where the
machine is slow. With ``--json PATH`` the same is written to a file that says when, where and with
which versions it was made.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

import vtj
from vtj.table import as_text

from .cases import cases
from .tools import calls

BUDGET = 1.0  # seconds a tool gets per case, at least three runs
PACKAGES = ("torch", "numpy", "scipy", "jax", "autograd", "vtj")


def milliseconds(call: Callable[[], Any]) -> float:
    """Give the shortest of some runs, after two that do not count."""
    call()
    started = time.perf_counter()
    call()
    runs = max(3, min(50, int(BUDGET / (time.perf_counter() - started + 1e-9))))
    return min(_timed(call) for _ in range(runs)) * 1e3


def _timed(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def measure() -> dict[str, dict[str, float]]:
    """Time every tool on every case."""
    torch.set_num_threads(1)
    return {case.name: {tool: milliseconds(c) for tool, c in calls(case)} for case in cases()}


def small_report() -> float:
    """Give the milliseconds of a full report of the running example."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
    return milliseconds(lambda: vtj.check(f, x, v))


def table(times: dict[str, dict[str, float]]) -> str:
    """Give the times as ratios to `vtj.certify`, and its own in milliseconds."""
    tools = dict.fromkeys(tool for row in times.values() for tool in row)
    rows = []
    for name, row in times.items():
        base = row["vtj.certify"]
        cells = [f"{row[tool] / base:.3g}" if tool in row else "" for tool in tools]
        rows.append([name, f"{base:.2f} ms", *cells])
    return as_text(["case", "vtj.certify", *tools], rows)


def recording(times: dict[str, dict[str, float]], report: float) -> dict[str, Any]:
    """Give the times with when, where and with what they were made."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, one thread used",
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in PACKAGES if _installed(name)},
        "milliseconds": times,
        "milliseconds of a small report": report,
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def main() -> None:
    """Measure, print, and write the recording where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="where to write the recording")
    path = parser.parse_args().json
    times, report = measure(), small_report()
    print(table(times))
    print(f"\na full report of the running example: {report:.1f} ms")
    if path is not None:
        path.write_text(json.dumps(recording(times, report), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
