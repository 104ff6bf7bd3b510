"""Print one table: every tool on every case, in times of what `vtj.certify` takes.

Run it as ``nox -s bench``, which sets OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1. All peers run
in one process and one thread, in rounds, and CPU time is what counts, so that ratios can be
compared even where the machine is busy. With ``--json PATH`` the same is written to a file that
says when, where and with which versions it was made.
"""

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from datetime import date
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import torch

import vtj
from vtj.table import as_text

from .cases import cases
from .recorded import table
from .tools import calls

BUDGET = 8.0  # seconds per case, at least five rounds
LEAST = 0.01  # seconds of the processor's time that a call is timed for
PACKAGES = ("torch", "numpy", "scipy", "jax", "autograd", "vtj")


def rounds(calls: Mapping[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Give the milliseconds of each call in some rounds, after two that do not count.

    A round runs every call, so that a machine that is busy for a while is so for all. The first
    run does not count, so that none pays for what the one before left in the caches, and a short
    call is run until `LEAST` has passed, as a long one is by itself.
    """
    for call in calls.values():
        call()
    started = time.perf_counter()
    for call in calls.values():
        call()
    count = max(5, min(50, int(BUDGET / 2 / (time.perf_counter() - started))))
    gc.collect()
    gc.disable()
    every = [{name: _timed(call) * 1e3 for name, call in calls.items()} for _ in range(count)]
    gc.enable()
    return {name: [one[name] for one in every] for name in calls}


def _timed(call: Callable[[], Any]) -> float:
    call()
    started, times = time.process_time(), 0
    while (spent := time.process_time() - started) < LEAST:
        call()
        times += 1
    return spent / times


def measure() -> dict[str, dict[str, dict[str, float]]]:
    """Time every tool on every case: its milliseconds, and as a ratio to `vtj.certify`, medians."""
    torch.set_num_threads(1)
    measured = {}
    for case in cases():
        times = rounds(dict(calls(case)))
        base = times["vtj.certify"]
        measured[case.name] = {
            tool: {
                "milliseconds": round(median(own), 4),
                "ratio": round(median(a / b for a, b in zip(own, base, strict=True)), 4),
            }
            for tool, own in times.items()
        }
    return measured


def small_report() -> float:
    """Give the milliseconds of a full report of the running example."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
    return median(rounds({"report": lambda: vtj.check(f, x, v)})["report"])


def made_with() -> dict[str, Any]:
    """Give when, where and with what a recording is made."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, one thread used",
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in PACKAGES if find_spec(name)},
    }


def recording(measured: dict[str, Any], report: float) -> dict[str, Any]:
    """Give the times with when, where and with what they were made."""
    return {
        **made_with(),
        "cases": measured,
        "milliseconds of a small report": round(report, 2),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main() -> None:
    """Measure, print, and write the recording where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="where to write the recording")
    path = parser.parse_args().json
    measured, report = measure(), small_report()
    print(as_text(*table(measured)))
    print(f"\na full report of the running example: {report:.1f} ms")
    if path is not None:
        path.write_text(
            json.dumps(recording(measured, report), indent=2, ensure_ascii=False) + "\n"
        )


if __name__ == "__main__":
    main()
