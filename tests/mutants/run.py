"""Plant faults in the tutorials, one at a time, and count which the pages catch.

`python -m tests.mutants.run RECORD [--seconds S --seed N]`. It writes RECORD after every page and
leaves out what RECORD already holds of unchanged pages and an unchanged library, so that it can be
stopped and resumed; with `--seconds` it takes a sample. It ends with 1 if a fault got through that
`equivalent.py` does not justify by its name.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy
import sympy  # noqa: F401 - imported once, before the forks
import torch

import vtj.show  # noqa: F401 - likewise
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.pages import Mutant, digest, mutants, pages, verdicts

CAUGHT, EQUAL, THROUGH = "caught", "equivalent", "got through"
Record = dict[str, dict[str, str]]
"""What became of each mutant, by page and name."""


def examine(page: str, wanted: list[Mutant], deadline: float) -> dict[str, str]:
    """Run mutants of one page until the time is up; return what became of each."""
    found = {}
    for mutant, stopped in verdicts(page, wanted):
        found[mutant.name] = CAUGHT if stopped else EQUAL if mutant.name in EQUIVALENT else THROUGH
        if time.monotonic() > deadline:
            break
    return found


def table(record: Record) -> str:
    """Return one line for each page: planted, caught, equivalent, got through."""
    rows = [f"{'page':<20} {'planted':>8} {CAUGHT:>8} {EQUAL:>11} {THROUGH:>12}"]
    counts = {page: Counter(found.values()) for page, found in record.items()}
    counts["together"] = sum(counts.values(), Counter())
    for page, count in counts.items():
        parts = (count.total(), count[CAUGHT], count[EQUAL], count[THROUGH])
        rows.append("{:<20} {:>8} {:>8} {:>11} {:>12}".format(page, *parts))
    return "\n".join(rows)


def main() -> int:
    """Run what the record lacks, show the table, and name what got through."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("record", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="sample for so long")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    given = parser.parse_args()
    digests = {page: digest(page) for page in pages()}
    old: Record = {}
    if given.record.exists():
        kept = json.loads(given.record.read_text())
        old = {p: found for p, found in kept["pages"].items() if kept["of"][p] == digests.get(p)}
    planted = {page: mutants(page) for page in pages()}
    record: Record = {
        page: {m.name: old[page][m.name] for m in every if m.name in old.get(page, {})}
        for page, every in planted.items()
    }
    total = sum(map(len, planted.values()))
    deadline = time.monotonic() + given.seconds
    torch.set_num_threads(1)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        runs = {}
        for page, every in planted.items():
            wanted = [mutant for mutant in every if mutant.name not in record[page]]
            if given.seconds < float("inf"):
                share = min(len(wanted), max(1, round(given.seconds * len(wanted) / total)))
                wanted = random.Random(given.seed).sample(wanted, share)
            runs[page] = pool.submit(examine, page, wanted, deadline)
        for page, future in runs.items():
            record[page] |= future.result()
            versions = {"Python": platform.python_version(), "NumPy": numpy.__version__}
            made = {"date": f"{date.today()}", "torch": version("torch"), **versions}
            given.record.parent.mkdir(parents=True, exist_ok=True)
            given.record.write_text(
                json.dumps({**made, "of": digests, "pages": record}, indent=1) + "\n"
            )
            done = sum(map(len, record.values()))
            print(f"{done} of {total}: {page} is done", flush=True)
    print(table(record))
    became = {name: what for found in record.values() for name, what in found.items()}
    through = [m for every in planted.values() for m in every if became.get(m.name) == THROUGH]
    for mutant in through:
        print(f"got through: {mutant}")
    return bool(through)


if __name__ == "__main__":
    sys.exit(main())
