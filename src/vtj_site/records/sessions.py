"""What it costs to check the site: the times that records hold, and those that nobody noted."""

import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from vtj_site.markup import Shown, TableRow, table
from vtj_site.records import mutants, wild


@cache
def recorded() -> dict[str, Any]:
    """Return the record: what nox said at the end of each session of one whole run."""
    file = resources.files("vtj_site.records") / "sessions.json"
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def costs() -> list[tuple[str, str, str]]:
    """Return what is run, how long that took, and where the time is from."""
    run, pages, said = recorded(), mutants.recorded()["documentation"], mutants.recorded()
    of_run = f"{run['command']}, {run['date']}, {mutants.at(run)}"
    rows = [(what, took, of_run) for what, took in run["sessions"].items()]
    for what, part in (("faults", pages), ("contraries", said["sentences"])):
        took = f"{part['minutes']} minutes" if "minutes" in part else "not recorded"
        rows.append(
            (
                f"nox -s mutants: {what}, the times of the files added up",
                took,
                f"{part['date']}, {mutants.at(part)}",
            )
        )
    all_of_it = wild.recorded()
    took = f"{all_of_it['minutes']} minutes"
    rows.append(("nox -s wild -- --all", took, f"{all_of_it['date']}, {mutants.at(all_of_it)}"))
    return rows + [(what, "not recorded", why) for what, why in run["not recorded"].items()]


def table_of_costs() -> Shown:
    """Return these as a table."""
    text = [f"{what}: {took} ({source})" for what, took, source in costs()]
    rows = [TableRow([escape(cell) for cell in row]) for row in costs()]
    head = ("what is run", "how long it took", "recorded")
    return Shown("\n".join(text), table("What the checks cost", head, rows))
