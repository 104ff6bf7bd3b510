"""The record of gradients before a reader: what changed, and which releases were run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from html import escape
from itertools import groupby
from typing import NamedTuple

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.outcomes.gradients import warned, written
from vtj_site.outcomes.tables import release
from vtj_site.records.differences import (
    Change,
    changes,
    died,
    differences,
    neighbors,
    recorded,
    script,
    typed,
    warnings_changed,
)
from vtj_site.records.releases import Span, adjacent

PLACES = 3  # that are shown of a change; the record has them all
CODES = 6
LONGEST = 200  # of an error's text
LONG = re.compile(r"\[((?:[^][,]+, ){3})[^][]*, [^][]*\]")  # a list of more than four numbers
FEW = r"[\1…]"


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
    answers = {key: warned(partial(written, key))[0] for key in asked}
    found = differences(answers, release())
    if found:
        raise RecordError(f"torch {release()}: {len(found)} answers differ; {found[0]}")
    return f"{len(answers):,} answers of torch {release()} agree with its record"


class Entry(NamedTuple):
    """One change: the release, the operations as HTML, what became of them, text and anchor."""

    since: str
    what: str
    told: str
    text: str
    anchor: str
    folded: bool = False


def listed(entries: Iterable[Entry]) -> Shown:
    """Return a list of changes for each release, the newest first; it fits a narrow screen.

    Those that are to be folded stand at the end of their release.

    Examples:
        >>> listed([])
        None is recorded.
    """
    by_release: dict[str, list[Entry]] = {}
    for entry in entries:
        by_release.setdefault(entry.since, []).append(entry)
    text, html = [], []
    for since in [version for version in [*recorded()][::-1] if version in by_release]:
        text += [f"{when(since)}, {each.text}" for each in by_release[since]]
        html.append(f"<p><strong>{when(since)}</strong></p>")
        shown = [each for each in by_release[since] if not each.folded]
        folded = [each for each in by_release[since] if each.folded]
        html += [_list(shown)] if shown else []
        if folded:
            several = len(folded) > 1
            summary = f"{len(folded)} message{'s, each' * several} of one operation"
            html.append(f"<details><summary>{summary}</summary>{_list(folded)}</details>")
    if not text:
        return Shown("None is recorded.", "<p>None is recorded.</p>")
    return Shown("\n".join(text), f'<div class="changes">{"".join(html)}</div>')


def _list(entries: Iterable[Entry]) -> str:
    """Return entries as a list of descriptions, each with a link to itself."""
    link = '<a class="headerlink" href="#{}" title="Link to this change">¶</a>'
    rows = [
        f'<dt id="{each.anchor}">{each.what}{link.format(each.anchor)}</dt><dd>{each.told}</dd>'
        for each in entries
    ]
    return f"<dl>{''.join(rows)}</dl>"


def when(since: str) -> str:
    """Say since which release, or between which two if those between them were not run."""
    versions = list(recorded())
    before = versions[versions.index(since) - 1]
    return f"Since torch {since}" if adjacent(before, since) else f"From torch {before} to {since}"


def shown_gradients(series: str) -> Shown:
    """Return the gradients that changed, with the code to see each."""
    return listed(
        Entry(
            change.since,
            code(typed(change.codes[0])),
            "<br>".join(_places(change)) + _folded("code to see it", script(change)),
            f"{typed(change.codes[0])}: {'; '.join(map(str, change.places))}",
            change.anchor,
        )
        for change in changes("gradient", series)
    )


def _places(change: Change) -> list[str]:
    """Return the first places, those with finite numbers before others."""
    strange = re.compile("inf|nan")
    places = sorted(change.places, key=lambda place: bool(strange.search(str(place.values))))
    shown = [str(place).rpartition(": ")[::2] for place in places[:PLACES]]
    lines = [f"{code(LONG.sub(FEW, at))}: {code(gradients)}" for at, gradients in shown]
    more = len(places) - PLACES
    return [*lines, f"and at {more} more"] if more > 0 else lines


def _folded(summary: str, lines: str) -> str:
    return f"<details><summary>{summary}</summary><pre>{escape(lines)}</pre></details>"


def shown_answers(kind: str, series: str) -> Shown:
    """Return what was taken or refused, came new or was worded otherwise.

    Where operations say the same but for names and numbers, these are left out of the message.
    What was worded otherwise for one operation alone is folded.
    """
    entries = []
    for change in changes(kind, series):
        texts = [_short(text) for text in change.texts]
        entries.append(
            Entry(
                change.since,
                _codes(change.codes) + f" ({', '.join(change.dtypes)})",
                " → ".join(map(code, texts)),
                f"{', '.join(map(typed, change.codes))}, {', '.join(change.dtypes)}: "
                + " → ".join(texts),
                change.anchor,
                folded=kind == "wording" and len(change.codes) == 1,
            )
        )
    return listed(entries)


def _codes(codes: Iterable[str]) -> str:
    first, *more = map(typed, codes)
    if len(more) < CODES:
        return ", ".join(map(code, [first, *more]))
    start = ", ".join(map(code, [first, *more[: CODES - 1]]))
    rest = code(", ".join(more[CODES - 1 :]))  # one element: thousands would be a tenth of a page
    return f"{start}<details><summary>and {len(more) - CODES + 1} more</summary>{rest}</details>"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def shown_calls(series: str) -> Shown:
    """Return the calls of the table of outcomes that lead to something else."""
    entries = []
    for before, after in neighbors(series):
        old, new = recorded()[before].calls, recorded()[after].calls
        alike: dict[tuple[str, str], list[str]] = {}
        for call, text in old.items():
            if new[call] != text:
                alike.setdefault((_short(text), _short(new[call])), []).append(call)
        for number, (texts, calls) in enumerate(alike.items()):
            more = f" and {len(calls) - CODES} more" if len(calls) > CODES else ""
            entries.append(
                Entry(
                    after,
                    "<br>".join(map(code, calls[:CODES])) + more,
                    " → ".join(map(code, texts)),
                    f"{'; '.join(calls)}: {' → '.join(texts)}",
                    f"call-{after.replace('.', '-')}-{number}",
                )
            )
    return listed(entries)


def shown_warnings(series: str) -> Shown:
    """Return the warnings that came and went."""
    return listed(
        Entry(
            after,
            f"{came}: {code(_short(message))}",
            _codes(codes),
            f"{came}, {', '.join(map(typed, codes))}: {_short(message)}",
            f"warning-{after.replace('.', '-')}-{number}",
        )
        for before, after in neighbors(series)
        for number, (came, message, codes) in enumerate(warnings_changed(before, after))
    )


def shown_deaths() -> Shown:
    """Return what ended the process: no error that a program can catch."""
    ends: dict[tuple[str, str], list[str]] = {}
    for version in recorded():
        for key in died(version):
            versions = ends.setdefault((key.code, key.point), [])
            if version not in versions:
                versions.append(version)
    lines = [f"{typed(c)}, {point}: torch {_spans(v)}" for (c, point), v in ends.items()]
    rows = [TableRow((code(typed(c)), point, _spans(v))) for (c, point), v in ends.items()]
    caption = "What ended the process"
    return Shown("\n".join(lines), table(caption, ("operation", "point", "torch"), rows))


def _spans(versions: Iterable[str]) -> str:
    """Return releases, those that were recorded one after the other by their ends."""
    place = {version: number for number, version in enumerate(recorded())}
    groups = groupby(enumerate(versions), key=lambda each: place[each[1]] - each[0])
    return ", ".join(str(Span(tuple(each for _, each in group), "")) for _, group in groups)


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
