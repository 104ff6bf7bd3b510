"""Record what backward leaves for the operations of `vtj_site.outcomes.operations`, by release.

Usage: python conf/history/changes.py [VERSION ...]

As `record.py` does: releases without a row, or those that are named, one after the other, each in
an environment of its own. The record holds the newest release in full and, of each older one, what
differs from the next newer one (`vtj_site.records.changes` says by which tolerance).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from environment import ROOT, SITE, Environment, environment, record, write

sys.path.insert(0, str(ROOT / "src"))
from vtj_site.records import changes as record_of_changes

ASK = "from asked.alone import main; main()"
MODULES = [
    SITE / "outcomes" / f"{name}.py" for name in ("trials", "operations", "gradients", "alone")
]


def row(version: str, scratch: Path) -> record_of_changes.Row:
    """Run one release in `scratch` and return its row."""
    made = environment(version, scratch)
    return record_of_changes.row(made.origin, ask(made))


def ask(made: Environment) -> dict[str, Any]:
    """Return what a torch answers; it alone and the modules that ask are at hand, and no vtj."""
    printed = made.ask(ASK, MODULES)
    answers: dict[str, Any] = json.loads(printed.splitlines()[-1])  # LAPACK prints, too
    return answers


def load() -> dict[str, record_of_changes.Row]:
    """Return the recorded rows by version."""
    if not record_of_changes.RECORDED.exists():
        return {}
    return record_of_changes.unpacked(
        json.loads(record_of_changes.RECORDED.read_text(encoding="utf-8"))
    )


def save(rows: dict[str, record_of_changes.Row]) -> None:
    """Write the rows, a line for each operation that differs."""
    content = record_of_changes.packed(rows.values())
    write(record_of_changes.RECORDED, record_of_changes.in_lines(content) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:], load, row, save)
