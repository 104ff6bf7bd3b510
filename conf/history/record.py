"""Ask old releases of torch what `vtj_site.outcomes.since` asks, and record what they answer.

Usage: python conf/history/record.py [VERSION ...]

Without versions, every release of the list that has no row yet is asked; a version that is named
is asked again. Each runs in its own throw-away environment on the oldest Python (3.7 or later)
that has a wheel for it. The file is written after each release, so an interrupted run goes on
where it stopped; the row of a release that cannot be run on this machine stays as it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from environment import SITE, Environment, environment, record, write

RECORDED = SITE / "records" / "history.json"
ASK = "import json; from asked.since import answers; print(json.dumps(answers()))"
MODULES = (SITE / "outcomes" / "trials.py", SITE / "outcomes" / "since.py")
Rows = dict[str, dict[str, Any]]  # by version


def row(version: str, scratch: Path) -> dict[str, Any]:
    """Run one release in `scratch` and return its row."""
    made = environment(version, scratch)
    return {**made.origin, "outcomes": ask(made)}


def ask(made: Environment) -> dict[str, str]:
    """Return what a torch answers; only the two modules that ask it are at hand, and no vtj."""
    return dict(json.loads(made.ask(ASK, MODULES)))


def load() -> Rows:
    """Return the recorded rows by version."""
    text = RECORDED.read_text(encoding="utf-8") if RECORDED.exists() else '{"releases": []}'
    return {row["torch"]: row for row in json.loads(text)["releases"]}


def save(rows: Rows) -> None:
    """Write the rows."""
    content = {"schema": 1, "releases": list(rows.values())}
    write(RECORDED, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:], load, row, save)
