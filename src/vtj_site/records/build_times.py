"""How fast this site was built, as recorded by `nox -s bench-docs`."""

import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from vtj_site.markup import Shown, TableRow, table


@cache
def recorded() -> dict[str, Any]:
    """Return the recording: the machine, and the rows of each part."""
    file = resources.files("vtj_site.records") / "build_times.json"
    recording: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return recording


def measured(key: str) -> str:
    """Return what one recorded row measured, with its unit."""
    rows = {row["key"]: row for part in recorded()["parts"].values() for row in part["rows"]}
    if key not in rows:
        raise ValueError(f"{key!r} was not measured; expected one of {sorted(rows)}")
    return f"{rows[key]['measured']:.2f} {rows[key]['unit']}".strip()


def where() -> str:
    """Return when, on what machine and with which versions the recording was made."""
    machine, parts = recorded()["machine"], recorded()["parts"].values()
    dates = sorted({part["date"] for part in parts})
    versions = ", ".join(f"{name} {machine[name]}" for name in ("torch", "sphinx", "myst-nb"))
    return (
        f"Recorded on {' and '.join(dates)} by {recorded()['command']}: {machine['cores']} cores "
        f"of {machine['processor']}, {machine['memory_gib']} GiB, Python {machine['python']}, "
        f"{versions}; load when a part began: {', '.join(str(part['load']) for part in parts)}."
    )


def table_of_targets() -> Shown:
    """Return what was to be kept, and what was measured, a row for each target."""
    targets = [
        (
            found["what"],
            measured(found["key"]),
            f"{found['target'].replace('<=', '≤').replace('>=', '≥')} {found['unit']}".strip(),
            "kept" if found["kept"] else "missed",
        )
        for part in recorded()["parts"].values()
        for found in part["rows"]
        if found["target"]
    ]
    text = [f"{what}: {value}, target {limit}: {kept}" for what, value, limit, kept in targets]
    rows = [TableRow([escape(cell) for cell in cells]) for cells in targets]
    head = ("what", "measured", "target", "")
    return Shown("\n".join(text), table("The targets of the build", head, rows))


def scale(key: str) -> list[tuple[int, float]]:
    """Return what each number of pages took: seconds, or GiB with the key `memory`."""
    end = f" pages {key}".rstrip()
    found = [
        (int(found["key"].removesuffix(end)), found["measured"])
        for found in recorded()["parts"]["scale"]["rows"]
        if found["key"].endswith(end)
    ]
    return sorted(found)
