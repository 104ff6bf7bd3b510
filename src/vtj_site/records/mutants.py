"""The recorded runs of planted faults: how many, and what caught them."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.records.extent import cells_of_pages, digest

COUNTS = {
    "planted": "planted",
    "check": "caught by a check",
    "shown": "caught by what it showed before",
    "no fault": "no fault",
    "through": "got through",
}
OF_A_RELEASE = ("commit", "modules", "written", "planted", "caught", "no fault", "got through")


@cache
def recorded() -> dict[str, Any]:
    """Return the record: `documentation` from `nox -s mutants`, and `library` by release."""
    file = resources.files("vtj_site.records") / "mutants.json"
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def counts(caption: str, what: str, rows: dict[str, Counter[str]]) -> Shown:
    """Return counts of planted faults as a table, with their sum in the last row."""
    every = {**rows, "all": sum(rows.values(), Counter[str]())}
    text = [
        f"{name}: " + ", ".join(f"{count} {found[count]}" for count in COUNTS)
        for name, found in every.items()
    ]
    cells = [
        TableRow((code(name) if name in rows else name, *(f"{found[count]:,}" for count in COUNTS)))
        for name, found in every.items()
    ]
    return Shown("\n".join(text), table(caption, (what, *COUNTS.values()), cells))


def by_file(folder: str) -> Shown:
    """Return the counts of each page, or of each module of examples and claims."""
    rows = {
        name: sum(map(Counter[str], kinds.values()), Counter[str]())
        for name, kinds in recorded()["documentation"]["files"].items()
        if name.startswith(folder)
    }
    return counts("Faults planted in each file", "file", rows)


def by_kind() -> Shown:
    """Return the counts of each kind of fault in the documentation."""
    rows: dict[str, Counter[str]] = {}
    for kinds in recorded()["documentation"]["files"].values():
        for kind, found in kinds.items():
            rows.setdefault(kind, Counter()).update(found)
    return counts("Faults of each kind", "kind", dict(sorted(rows.items())))


def reasons() -> Shown:
    """Return why some planted changes are no faults, and how many for each reason."""
    every = recorded()["documentation"]["reasons"]
    text = [f"{name}, {count}: {why}" for name, (why, count) in every.items()]
    rows = [TableRow((code(name), why, f"{count:,}")) for name, (why, count) in every.items()]
    head = ("name", "why", "planted")
    return Shown("\n".join(text), table("Planted changes that are no faults", head, rows))


HOW = {"with a case": "refused with a counter-example", "refused": "refused otherwise"}


def contraries() -> Shown:
    """Return the counts of the contraries planted in statements, and what refused them."""
    head = ("what the contrary changes", "planted", *HOW.values(), "got through", "share of these")
    keys = ("planted", *HOW, "through")
    return _of_kinds("sentences", "Contraries of statements", head, keys, share="through")


def rewordings() -> Shown:
    """Return the counts of the harmless rewordings, which the same checks judged."""
    head = ("what the rewording changes", "planted", "refused", "got through", "share refused")
    keys = ("planted", "refused", "through")
    return _of_kinds("rewordings", "Rewordings that are no fault", head, keys, share="refused")


def _of_kinds(
    part: str, title: str, head: Sequence[str], keys: Sequence[str], *, share: str
) -> Shown:
    """Return the counts of each kind of change, and which share of them came to one end."""
    kinds = recorded()[part]["kinds"]
    text = [f"{kind}: {found}" for kind, found in kinds.items()]
    rows = []
    for kind, found in kinds.items():
        counts = (f"{found.get(key, 0):,}" for key in keys)
        rows.append(TableRow((kind, *counts, percent(found.get(share, 0), found["planted"]))))
    return Shown("\n".join(text), table(title, head, rows))


def faults() -> Counter[str]:
    """Return what became of all faults planted in pages, examples and claims."""
    every = recorded()["documentation"]["files"].values()
    return sum((Counter(found) for kinds in every for found in kinds.values()), Counter())


def of_sentences(part: str) -> Counter[str]:
    """Return what became of all contraries, or of all rewordings."""
    return sum(map(Counter[str], recorded()[part]["kinds"].values()), Counter[str]())


def percent(part: int, whole: int) -> str:
    """Return a share.

    Examples:
        >>> percent(1, 3), percent(1, 400), percent(0, 9), percent(0, 0)
        ('33%', 'under 1%', '0%', '0%')
    """
    share = part / whole if whole else 0.0
    return "under 1%" if 0 < share < 0.01 else f"{share:.0%}"


def covered() -> dict[str, tuple[int, int]]:
    """Return of how many pages, and of how many of today's cells, the record is; and of all."""
    now, run = cells_of_pages(), recorded()["documentation"]["files"]
    inside = [cells for page, cells in now.items() if run.get(page)]
    return {"pages": (len(inside), len(now)), "cells": (sum(inside), sum(now.values()))}


def changed_since() -> str:
    """Say how many of the files of the record read otherwise now."""
    was: dict[str, str] = recorded()["documentation"].get("digests", {})
    if not was:
        return "The record does not say which files have changed since"
    changed = [name for name, then in was.items() if digest(name) != then]
    return f"Since that commit {len(changed):,} of these {len(was):,} files have changed"


def releases() -> Shown:
    """Return what the recorded runs of mutants of the library said, a row each.

    Links to a row of a module, as this page had them until 2026-11-22, lead here.
    """
    every = recorded()["library"]
    text = [", ".join(f"{key} {value}" for key, value in row.items()) for row in every]
    rows = [
        TableRow((row["date"], *(f"{row[key]:,}" if key != "commit" else code(row[key])
                                 for key in OF_A_RELEASE)))
        for row in every
    ]  # fmt: skip
    head = ("date", *OF_A_RELEASE)
    caption = "Mutants of the library and the extensions"
    earlier = "".join(f'<span id="{anchor}"></span>' for anchor in recorded()["earlier rows"])
    return Shown("\n".join(text), earlier + table(caption, head, rows))


def made_with() -> str:
    """Return when faults were planted in the pages, at which commit and in which versions."""
    run = recorded()["documentation"]
    return (
        f"Planted {run['date']} at commit {run['commit']}, torch {run['torch']},\n"
        f"NumPy {run['numpy']}, Python {run['python']}"
    )


def made_at(part: str) -> str:
    """Return when contraries or rewordings were planted, and at which commit if that is known."""
    run = recorded()[part]
    return f"{run['date']}, {at(run)}, torch {run['torch'].partition('+')[0]}"


def at(run: dict[str, Any]) -> str:
    """Return the commit of a run."""
    return f"at commit {run['commit']}" if "commit" in run else "at a commit that was not recorded"
