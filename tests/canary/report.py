"""One screenful: what is no longer true, with another torch and newer dependencies."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from tests.canary.findings import ANSWER, DEPENDENCY, NOISE, WORDING, Finding

WIDTH = 110
STATUS = {ANSWER: 16, WORDING: 32, DEPENDENCY: 64, NOISE: 0}
"""Not 1 and 2, with which Python, pip and nox end when they fail themselves."""
TITLES = {
    ANSWER: "answers that changed",
    WORDING: "wordings that changed",
    DEPENDENCY: "broken by a dependency",
    NOISE: "noise",
}
SHOWN = {ANSWER: 5, WORDING: 2, DEPENDENCY: 2, NOISE: 3}
"""Findings of a kind that fit on a screen of 50 lines; the log has them all."""
LINES = {ANSWER: 4, WORDING: 1, DEPENDENCY: 1, NOISE: 1}
"""In how many lines the others of a kind are named."""
OPERATION = re.compile(r", (?:b?float|complex)\d+, v: ")
"""What separates an operation from how it was asked."""


class Report(NamedTuple):
    """All that was found; `head` says with what, `log` names the file that holds it whole."""

    head: list[str]
    findings: list[Finding]
    log: str

    @property
    def status(self) -> int:
        """The exit status: a number for each kind that was found, added up."""
        return sum(STATUS[kind] for kind in {finding.kind for finding in self.findings})

    def __str__(self) -> str:
        lines = [*self.head]
        for kind, title in TITLES.items():
            found = merged(each for each in self.findings if each.kind == kind)
            lines += ["", f"{title.upper()}: {counted(found)}"]
            for finding, places in found[: SHOWN[kind]]:
                lines += entry(finding, places)
            if rest := [places for _, places in found[SHOWN[kind] :]]:
                lines += others(rest, LINES[kind])
        kinds = [TITLES[kind] for kind in TITLES if self.status & STATUS[kind]]
        status = f"Exit status {self.status}: {', '.join(kinds) or 'nothing but noise'}."
        return "\n".join([*lines, "", f"All of it: {self.log}", status])

    def whole(self) -> str:
        """Return every finding with its whole texts."""
        return "\n\n".join(f"{f.kind}: {f.place}\nwas\n{f.was}\nis\n{f.now}" for f in self.findings)


def merged(findings: Iterable[Finding]) -> list[tuple[Finding, list[str]]]:
    """Put together what is found alike in several places, in the order of the first."""
    places: dict[Finding, list[str]] = {}
    for finding in findings:
        places.setdefault(finding._replace(place=""), []).append(finding.place)
    return [(finding, [*dict.fromkeys(at)]) for finding, at in places.items()]


def others(found: list[list[str]], lines: int) -> list[str]:
    """Name the first place of each finding that is not shown, in so many lines.

    Examples:
        >>> others([["x.abs(), float32, v: ones, at x = 0.0"], ["docs/a.md:1", "docs/b.md:2"]], 1)
        ['  … and 2 more: x.abs(); docs/a.md:1']
    """
    names = (OPERATION.split(places[0])[0] for places in found)
    text = f"… and {len(found)} more: {'; '.join(dict.fromkeys(names))}"
    margin = {"initial_indent": "  ", "subsequent_indent": "    "}
    return textwrap.wrap(text, WIDTH, max_lines=lines, placeholder=" …", **margin)


def entry(finding: Finding, places: list[str]) -> Iterator[str]:
    """Yield the lines of one finding: one for noise, else place, was and is."""
    more = f" (and {len(places) - 1} alike)" if len(places) > 1 else ""
    if finding.kind == NOISE:
        at = f" ({places[0]}{more})" if places[0] else ""
        text = textwrap.shorten(finding.now, WIDTH - 2 - len(at), placeholder="…")
        yield f"  {text}{at}"
        return
    yield f"  {places[0]}{more}"
    was, now = (" ".join(text.split()) for text in apart(finding.was, finding.now))
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
    start = max(was.rfind(" ", 0, max(alike - 20, 0)), 0)
    yield f"    was  {cut(was, start)}"
    yield f"    is   {cut(now, start)}"


def counted(found: list[tuple[Finding, list[str]]]) -> str:
    """Say how many there are, and how many of them the recorded operations gave, not a page.

    Examples:
        >>> page = (Finding(ANSWER, "", "1", "0"), ["docs/faq.md:7"])
        >>> counted([]), counted([page])
        ('none', '1')
        >>> counted([page, (page[0], ["x.abs(), float32, v: ones, at x = 0.0"])])
        "2 (1 of them x.grad of recorded operations, not of a page's cells)"
    """
    recorded = sum(OPERATION.search(places[0]) is not None for _, places in found)
    which = f"{recorded} of them x.grad of recorded operations, not of a page's cells"
    return f"{len(found)} ({which})" if recorded else str(len(found) or "none")


def apart(was: str, now: str) -> tuple[str, str]:
    """Return of two texts with as many lines those lines in which they differ.

    Examples:
        >>> apart("f 1\\ng 2\\nh 3", "f 1\\ng 0\\nh 3")
        ('g 2', 'g 0')
    """
    lines = [*zip(was.splitlines(), now.splitlines(), strict=False)]
    if len(lines) != was.count("\n") + 1 or len(lines) != now.count("\n") + 1:
        return was, now
    differ = [pair for pair in lines if pair[0] != pair[1]] or lines
    return "\n".join(one for one, _ in differ), "\n".join(other for _, other in differ)


def cut(text: str, start: int) -> str:
    """Return as much of a text as fits, from where two of them begin to differ.

    Examples:
        >>> cut("the words of one and of the other", 9)
        '… of one and of the other'
    """
    begun = f"…{text[start:]}" if start else text
    return begun if len(begun) <= WIDTH - 9 else f"{begun[: WIDTH - 10]}…"
