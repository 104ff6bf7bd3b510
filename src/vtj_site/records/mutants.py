"""The committed record of planted faults: how many, and what caught them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from vtj_site.markup import Row, code, table

LEFT = "left out"
"""The count of the mutants that chance did not draw."""
PARTS = ("documentation", "library")
COUNTS = {
    "planted": "planted",
    "check": "caught by a check",
    "shown": "caught by what it showed before",
    "equivalent": "no fault",
    "through": "got through",
}


@cache
def recorded() -> dict[str, Any]:
    """Return the record that `nox -s mutants` writes.

    Examples:
        >>> sorted(recorded())
        ['documentation', 'library', 'reasons']
    """
    file = resources.files("vtj_site.records") / "mutants.json"
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def together(row: dict[str, Any]) -> Counter[str]:
    """Return the counts of a file, of all kinds of faults together.

    Args:
        row: of the file.

    Examples:
        >>> together({"kinds": {"sign": {"planted": 2, "check": 2}, "row": {"planted": 1}}})
        Counter({'planted': 3, 'check': 2})
    """
    return sum((Counter(kind) for kind in row["kinds"].values()), Counter())


@dataclass(frozen=True)
class Counts:
    """Counts of planted faults as a table, with their sum in the last row.

    Args:
        caption: what the table says.
        what: what its rows are.
        rows: the counts of each.

    Examples:
        >>> print(Counts("Signs", "page", {"faq": Counter(planted=2, check=1, equivalent=1)}))
        faq: planted 2, check 1, shown 0, equivalent 1, through 0
        all: planted 2, check 1, shown 0, equivalent 1, through 0
    """

    caption: str
    what: str
    rows: dict[str, Counter[str]]

    @property
    def _all(self) -> dict[str, Counter[str]]:
        return {**self.rows, "all": sum(self.rows.values(), Counter())}

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: " + ", ".join(f"{count} {counts[count]}" for count in COUNTS)
            for name, counts in self._all.items()
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            Row((code(name) if name != "all" else name, *(f"{n[count]:,}" for count in COUNTS)))
            for name, n in self._all.items()
        ]
        return table(self.caption, (self.what, *COUNTS.values()), rows)


def by_file(folder: str) -> Counts:
    """Return the counts of each page, or of each module of examples and claims.

    Args:
        folder: only of the files below it.

    Examples:
        >>> by_file("docs/").what
        'file'
    """
    rows = {
        name: together(row)
        for name, row in recorded()["documentation"].items()
        if name.startswith(folder)
    }
    return Counts("Faults planted in each file", "file", rows)


def by_kind() -> Counts:
    """Return the counts of each kind of fault in the documentation.

    Examples:
        >>> "sign" in by_kind().rows
        True
    """
    rows: dict[str, Counter[str]] = {}
    for row in recorded()["documentation"].values():
        for kind, counts in row["kinds"].items():
            rows[kind] = rows.get(kind, Counter()) + Counter(counts)
    return Counts("Faults of each kind", "kind", dict(sorted(rows.items())))


@dataclass(frozen=True)
class Reasons:
    """Why some planted changes are no faults, and how many of each part for each reason.

    Examples:
        >>> "tolerance" in str(Reasons())
        True
    """

    def _rows(self) -> list[tuple[str, str, list[int]]]:
        counts: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
        for part, seen in counts.items():
            for row in recorded()[part].values():
                seen.update(row["reasons"])
        return [
            (name, why, [seen[name] for seen in counts.values()])
            for name, why in recorded()["reasons"].items()
        ]

    def __str__(self) -> str:
        return "\n".join(
            f"{name}, {' and '.join(map(str, counts))}: {why}" for name, why, counts in self._rows()
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            Row((code(name), why, *(f"{count:,}" for count in counts)))
            for name, why, counts in self._rows()
        ]
        return table("Planted changes that are no faults", ("name", "why", *PARTS), rows)


@dataclass(frozen=True)
class Library:
    """The mutants of each module of the library and the extensions, and their sum.

    Attributes:
        each: Whether each module has a row, and not the sum alone.

    Examples:
        >>> str(Library()).splitlines()[-1] == str(Library(each=False))
        True
    """

    each: bool = True

    def _rows(self) -> dict[str, Counter[str]]:
        every = {name: together(row) for name, row in recorded()["library"].items()}
        rows = {name: counts for name, counts in every.items() if counts["planted"]}
        total = {f"all {len(rows)}": sum(rows.values(), Counter())}
        return {**rows, **total} if self.each else total

    def __str__(self) -> str:
        return "\n".join(
            f"{name}: planted {n['planted']} of {n['planted'] + n[LEFT]}, caught {n['check']}, "
            f"equivalent {n['equivalent']}"
            for name, n in self._rows().items()
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        counts = ("planted", "check", "equivalent", "through")
        rows = [
            Row(
                (
                    name if name.startswith("all ") else code(name),
                    f"{n['planted'] + n[LEFT]:,}",
                    *(f"{n[count]:,}" for count in counts),
                    percent(n),
                )
            )
            for name, n in self._rows().items()
        ]
        head = ("module", "written", "planted", "caught", "no fault", "got through", "share")
        return table("Mutants of the library and the extensions", head, rows)


def most() -> int:
    """Return how many mutants were planted in a module at most.

    Examples:
        >>> most() == max(together(row)["planted"] for row in recorded()["library"].values())
        True
    """
    return max((together(row)["planted"] for row in recorded()["library"].values()), default=0)


def percent(counts: Counter[str]) -> str:
    """Return the share that was caught, of those that are faults.

    Args:
        counts: of a module.

    Examples:
        >>> percent(Counter(planted=201, check=199, equivalent=1, through=1))
        '99.5 %'
    """
    return f"{100 * counts['check'] / max(counts['planted'] - counts['equivalent'], 1):.1f} %"


def made_with(part: str) -> str:
    """Return when faults were planted, and in which versions.

    Args:
        part: one of `PARTS`.

    Examples:
        >>> made_with("documentation").startswith("Planted ")
        True
    """
    rows = list(recorded()[part].values())
    if not rows:
        return "Not run yet"
    dates = sorted({row["date"] for row in rows})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    parts = [
        f"{name} {', '.join(sorted({row[key] for row in rows}))}"
        for name, key in (("torch", "torch"), ("NumPy", "numpy"), ("Python", "python"))
    ]
    minutes = sum(row["seconds"] for row in rows) / 60
    return f"Planted {when}, {', '.join(parts)}, {minutes:.0f} minutes of one core"
