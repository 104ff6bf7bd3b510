"""The recorded releases of torch, and what a sentence may say of them. It imports no torch.

A sentence names a span of releases by its ends, as in *since torch 1.3.0*. The words are compared
with what was recorded for a question, so that no other release can stand there.
"""

import json
import re
from functools import cache
from importlib import resources
from itertools import groupby, pairwise
from typing import Any, NamedTuple

NOT_ASKED = "not asked"
_SAID = re.compile(r"(?:[Ss]ince torch (\S+)|[Ff]rom torch (\S+) through (\S+))")


class Span(NamedTuple):
    """Consecutive releases that gave the same answer."""

    releases: tuple[str, ...]
    answer: str

    @property
    def first(self) -> str:
        """The first release of the span."""
        return self.releases[0]

    @property
    def last(self) -> str:
        """The last release of the span."""
        return self.releases[-1]

    def __str__(self) -> str:
        return self.first if self.first == self.last else f"{self.first} … {self.last}"


@cache
def recorded() -> tuple[dict[str, Any], ...]:
    """Return the recorded rows, oldest release first."""
    file = resources.files("vtj_site.records") / "history.json"
    return tuple(json.loads(file.read_text(encoding="utf-8"))["releases"])


def questions() -> list[str]:
    """Return every question that the newest recorded release was asked."""
    return list(recorded()[-1]["outcomes"])


def spans(question: str) -> list[Span]:
    """Return the recorded answers to a question, a span for each run of equal ones."""
    if question not in questions():
        raise ValueError(f"{question!r} was never asked; expected one of {questions()}")
    asked = [(row["torch"], row["outcomes"].get(question, NOT_ASKED)) for row in recorded()]
    return [
        Span(tuple(name for name, _ in group), answer)
        for answer, group in groupby(asked, key=lambda pair: pair[1])
    ]


def hold_to_the_record(words: str, question: str) -> None:
    """Compare what a sentence says of releases with what was recorded for a question.

    *since torch A* is the last span, and *from torch A through B* an earlier one, whose beginning
    is told with it. No release may be missing from the record at an end of the span: the answer
    could have changed there.

    Raises:
        ValueError: if the words are neither, name other releases than the record, or the question
            was never asked.

    Examples:
        >>> hold_to_the_record("since torch 1.3.0", "vector gradient for a scalar y = x**2")
    """
    found, every = _SAID.fullmatch(words), spans(question)
    since, first, last = found.groups() if found else (None, None, None)
    named = since or first, last
    ends = [(span.first, span.last if span != every[-1] else None) for span in every]
    if len(every) == 1 or named not in ends:
        record = "; ".join(f"{span}: {span.answer.partition(':')[0]}" for span in every)
        raise ValueError(
            f"{words!r} is no recorded span of {question!r}: expected 'since torch A' for the "
            f"last, or 'from torch A through B' for an earlier one, of {record}"
        )
    place = ends.index(named)
    for before, after in pairwise(every[max(place - 1, 0) : place + 2]):
        if not adjacent(before.last, after.first):
            raise ValueError(
                f"{words!r}: releases between torch {before.last} and {after.first} have no "
                f"record, and the answer to {question!r} may have changed in one of them"
            )


def worded(pattern: str) -> list[str]:
    """Return the recorded releases of which some answer has these words; {…} is what varies.

    Examples:
        >>> worded("RuntimeError: invalid gradient at index {…} - got [3] but expected {…}")
        ['1.0.0', '1.0.1', '1.1.0', '1.2.0']
    """
    words = re.compile(".*".join(map(re.escape, pattern.split("{…}"))), re.DOTALL)
    return [
        row["torch"] for row in recorded() if any(map(words.fullmatch, row["outcomes"].values()))
    ]


def adjacent(before: str, after: str) -> bool:
    """Whether two releases follow each other, by their numbers alone.

    Examples:
        >>> adjacent("1.2.0", "1.3.0"), adjacent("1.9.1", "1.10.2"), adjacent("2.10.0", "2.12.1")
        (True, False, False)
    """
    (major, minor, patch), new = (list(map(int, each.split("."))) for each in (before, after))
    return new in ([major, minor, patch + 1], [major, minor + 1, 0], [major + 1, 0, 0])
