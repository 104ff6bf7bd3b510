"""The record of gradients before a reader: what changed, and which releases were run."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import pairwise

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.outcomes.gradients import written
from vtj_site.outcomes.tables import release
from vtj_site.records.differences import (
    Change,
    changes,
    died,
    differences,
    recorded,
    script,
    typed,
    warnings_changed,
)

PLACES = 3  # that a row shows; the record has them all
CODES = 6
LONGEST = 200  # of an error's text


class RecordError(AssertionError):
    """The torch that runs does not answer as the record says of its release."""


def hold_today_against_the_record() -> str:
    """Ask the torch that runs again what changed between any two releases, and compare.

    Everything else would take a quarter of a minute; `nox -s changes` asks it all.

    Raises:
        RecordError: where the row of this release says otherwise, or there is none.
    """
    if release() not in recorded():
        raise RecordError(f"torch {release()} has no recorded row: run nox -s changes")
    asked = {key for change in changes("gradient") for key in change.keys} - set(died(release()))
    answers = {key: written(key) for key in asked}
    found = differences(answers, release())
    if found:
        raise RecordError(f"torch {release()}: {len(found)} answers differ; {found[0]}")
    return f"{len(answers):,} answers of torch {release()} agree with its record"


def shown_gradients() -> Shown:
    """Return the gradients that changed, newest release first, with the code to see each."""
    every = changes("gradient")[::-1]
    rows = [
        TableRow(
            (
                code(typed(change.codes[0])) + _folded("code to see it", script(change)),
                f"torch&nbsp;{change.since}",
                "<br>".join(_place(change, number) for number in range(_shown(change))),
            ),
            anchor=change.anchor,
            value=f"torch {change.since}",
        )
        for change in every
    ]
    text = [
        f"since torch {change.since}, {typed(change.codes[0])}: {place}"
        for change in every
        for place in change.places
    ]
    head = ("operation", "since", "where: before → since")
    caption = "Gradients that changed, newest release first"
    return Shown("\n".join(text), table(caption, head, rows, filtered_by="release"))


def _shown(change: Change) -> int:
    return min(PLACES, len(change.places)) + (len(change.places) > PLACES)


def _place(change: Change, number: int) -> str:
    if number == PLACES:
        return f"and at {len(change.places) - PLACES} more"
    place = change.places[number]
    at, _, gradients = str(place).rpartition(": ")
    return f"{code(at)}: {code(gradients)}"


def _folded(summary: str, lines: str) -> str:
    return f"<details><summary>{summary}</summary><pre>{escape(lines)}</pre></details>"


def shown_answers(kind: str) -> Shown:
    """Return what was taken or refused, came new or was worded otherwise, newest release first."""
    every = changes(kind)[::-1]
    rows = [
        TableRow(
            (
                _codes(change.codes),
                f"torch&nbsp;{change.since}",
                ", ".join(map(code, change.dtypes)),
                *(code(_short(text)) for text in change.texts),
            ),
            anchor=f"{kind}-{change.since.replace('.', '-')}-{number}",
            value=f"torch {change.since}",
        )
        for number, change in enumerate(every)
    ]
    text = [
        f"since torch {change.since}, {', '.join(map(typed, change.codes))}, "
        f"{', '.join(change.dtypes)}: {' → '.join(map(_short, change.texts))}"
        for change in every
    ]
    head = ("operations", "since", "dtypes", "the first one before", "and since")
    caption = {
        "taken": "Refused before, and answered since",
        "refused": "Answered before, and refused since",
        "new": "New operations, or new ways to call them",
        "wording": "Errors that are worded otherwise",
    }[kind]
    return Shown("\n".join(text), table(caption, head, rows, filtered_by="release"))


def _codes(codes: Iterable[str]) -> str:
    first, *more = [code(typed(each)) for each in codes]
    if len(more) < CODES:
        return ", ".join([first, *more])
    start, rest = ", ".join([first, *more[: CODES - 1]]), ", ".join(more[CODES - 1 :])
    return f"{start}<details><summary>and {len(more) - CODES + 1} more</summary>{rest}</details>"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def shown_calls() -> Shown:
    """Return the calls of the table of outcomes that lead to something else, newest first."""
    lines, rows = [], []
    for before, after in list(pairwise(recorded()))[::-1]:
        old, new = recorded()[before].calls, recorded()[after].calls
        alike: dict[tuple[str, str], list[str]] = {}
        for call, text in old.items():
            if new[call] != text:
                alike.setdefault((_short(text), _short(new[call])), []).append(call)
        for (was, now), several in alike.items():
            lines.append(f"since torch {after}, {'; '.join(several)}: {was} → {now}")
            calls = "<br>".join(map(code, several[:CODES]))
            more = f"<br>and {len(several) - CODES} more" if len(several) > CODES else ""
            cells = (calls + more, f"torch&nbsp;{after}", code(was), code(now))
            rows.append(TableRow(cells, value=f"torch {after}"))
    head = ("calls", "since", "before", "and since")
    caption = "Calls of backward that lead to something else, newest release first"
    return Shown("\n".join(lines), table(caption, head, rows, filtered_by="release"))


def shown_warnings() -> Shown:
    """Return the warnings that came and went, newest release first."""
    found = [
        (after, *each)
        for before, after in list(pairwise(recorded()))[::-1]
        for each in warnings_changed(before, after)
    ]
    text = [
        f"torch {after}: {came}, {', '.join(map(typed, codes))}: {_short(message)}"
        for after, came, message, codes in found
    ]
    rows = [
        TableRow(
            (code(_short(message)), f"{came} in torch&nbsp;{after}", _codes(codes)),
            value=f"torch {after}",
        )
        for after, came, message, codes in found
    ]
    head = ("warning", "when", "operations that give it")
    return Shown("\n".join(text), table("Warnings", head, rows, filtered_by="release"))


def shown_deaths() -> Shown:
    """Return what ended the process: no error that a program can catch."""
    ends: dict[tuple[str, str], list[str]] = {}
    for version in recorded():
        for key in died(version):
            versions = ends.setdefault((key.code, key.point), [])
            if version not in versions:
                versions.append(version)
    lines = [f"{typed(c)}, {point}: torch {', '.join(v)}" for (c, point), v in ends.items()]
    rows = [TableRow((code(typed(c)), point, ", ".join(v))) for (c, point), v in ends.items()]
    caption = "What ended the process"
    return Shown("\n".join(lines), table(caption, ("operation", "point", "torch"), rows))


def shown_releases() -> Shown:
    """Return which releases were run, on what and when."""
    every = [row.origin for row in recorded().values()]
    line = "torch {torch}: Python {python}, {wheel}, {capability}, {date}"
    names = ("torch", "python", "date", "capability")
    rows = [
        TableRow((*(o[name] for name in names), code(o["wheel"]), code(o["sha256"]))) for o in every
    ]
    head = ("torch", "Python", "recorded on", "processor", "wheel", "its SHA-256")
    text = "\n".join(map(line.format_map, every))
    return Shown(text, table("Which releases were run", head, rows))


def ran() -> str:
    """Return in one line which releases were run, and when."""
    dates = sorted({row.origin["date"] for row in recorded().values()})
    return f"{', '.join(recorded())} ({' to '.join(dict.fromkeys((dates[0], dates[-1])))})"
