"""How long one way to a gradient takes beside another, as `nox -s bench-costs` recorded it."""

import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any, NamedTuple

from vtj_site.markup import Shown, TableRow, table


class Timing(NamedTuple):
    """Two ways, timed by turns at one size: medians of CPU time, and the median of the ratios."""

    first: str  # code
    second: str
    size: int
    unit: str
    milliseconds: tuple[float, float]
    ratio: float  # of the first to the second, in the same round
    again: float  # of the first to itself, run a second time in that round

    def __str__(self) -> str:
        one, other = (f"{each:.3g} ms" for each in self.milliseconds)
        ratios = f"{self.ratio:.3g} (to itself {self.again:.3g})"
        return f"{self.size:,} {self.unit}: {one} / {other} = {ratios}"


@cache
def recorded() -> dict[str, Any]:
    """Return the recording: when, where and with what it was made, and the comparisons."""
    file = resources.files("vtj_site.records") / "timings.json"
    recording: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return recording


def timings(comparison: str) -> list[Timing]:
    """Return the rows of a comparison, the smallest size first.

    Raises:
        ValueError: if nothing of that name was timed.
    """
    every = recorded()["comparisons"]
    if comparison not in every:
        raise ValueError(f"{comparison!r} was not timed; expected one of {[*every]}")
    found = every[comparison]
    ways = found["first"], found["second"]
    return [
        Timing(
            *ways,
            row["size"],
            found["unit"],
            tuple(row["milliseconds"]),
            row["ratio"],
            row["again"],
        )
        for row in found["rows"]
    ]


def tables_of_timings() -> Shown:
    """Return a table for each comparison, and above it the code that was timed."""
    text, html = [], []
    for name, found in recorded()["comparisons"].items():
        every, ways = timings(name), name.split(" against ")
        text += [name, *map(str, every)]
        html.append(f'<div class="highlight"><pre>{escape(source(found, ways))}</pre></div>')
        rows = [
            TableRow(
                [f"{row.size:,}"]
                + [f"{each:.3g}" for each in row.milliseconds]
                + [f"{row.ratio:.3g}", f"{row.again:.3g}"]
            )
            for row in every
        ]
        head = (found["unit"], *(f"{way}, ms" for way in ways), "ratio", "to itself")
        html.append(table(name.capitalize(), head, rows))
    return Shown("\n".join(text), "\n".join(html))


def source(found: dict[str, Any], ways: list[str]) -> str:
    """Return what was timed as a script: what both ways start from, then each under its name."""
    parts = [found["before"]]
    parts += [f"# {way}\n{found[key]}" for way, key in zip(ways, ("first", "second"), strict=True)]
    return "\n".join(parts).replace("; ", "\n")


def made_with() -> str:
    """Return when, where and with what the times were recorded."""
    made = recorded()
    versions = f"Python {made['python']}, torch {made['versions']['torch']}"
    return f"{made['date']}, {made['machine']}, {versions}"
