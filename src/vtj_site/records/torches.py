"""The releases of torch on which `nox -s torches` has run the library's tests."""

import json
from functools import cache
from importlib import resources
from typing import Any

from vtj_site.markup import Shown, TableRow, code, table

OUTCOMES = ("passed", "failed", "skipped")


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """Return the recorded rows, oldest release first."""
    file = resources.files("vtj_site.records") / "torches.json"
    return tuple(json.loads(file.read_text(encoding="utf-8"))["releases"])


def table_of_torches() -> Shown:
    """Return how many of the library's tests passed on each release, and with what it ran."""
    line = (
        "torch {torch}: {passed} passed, {failed} failed, {skipped} skipped; "
        "NumPy {numpy}, Python {python}, {device}, {date}, commit {commit}"
    )
    text = [line.format_map(row) for row in recorded()]
    rows = [
        TableRow(
            [
                row["torch"],
                *(f"{row[outcome]:,}" for outcome in OUTCOMES),
                *(row[key] for key in ("numpy", "python", "device", "date")),
                code(row["commit"]),
            ]
        )
        for row in recorded()
    ]
    head = ("torch", *OUTCOMES, "NumPy", "Python", "device", "run on", "commit")
    return Shown("\n".join(text), table("The library's tests, by release of torch", head, rows))
