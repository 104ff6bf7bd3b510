"""The one loop behind every verdict: evidence, what is doubted in it, what settles that cheapest.

`check` has a vote over J as evidence (`reexamination`), `certify` values along random directions
(`directions`, and `locating` where they differ). Each has its doubts in a table.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from vtj.oracle.findings import Finding

Case = TypeVar("Case")


@dataclass(frozen=True)
class Remedy(Generic[Case]):
    """One way to more evidence."""

    name: str  # as in the picture of the loop
    take: Callable[[Case], Case]  # returns the case with that evidence
    anew: bool = False  # whether all that was compared before is compared anew with it


@dataclass(frozen=True)
class Doubt(Generic[Case]):
    """One reason why evidence may not be trusted yet."""

    name: str  # as in the picture of the loop
    sign: Callable[[Case], Any]  # where, or whether, it shows
    remedies: tuple[Remedy[Case], ...] = ()  # what may settle it, the cheapest first
    words: Callable[[Case, Any], Finding | None] | None = None  # what is said where it stays


@dataclass(frozen=True)
class Step(Generic[Case]):
    """What was doubted, what was done about it, and what is known since."""

    doubt: Doubt[Case]
    remedy: Remedy[Case]
    case: Case


def steps(case: Case, doubts: Sequence[Doubt[Case]]) -> Iterator[Step[Case]]:
    """Go on until nothing in the case is doubted any more, or no remedy is left.

    Each remedy is taken once at most, as it is the same for all doubts that name it, and once more
    where all is compared anew.
    """
    tried: list[Remedy[Case]] = []
    while True:
        for doubt in doubts:
            left = [remedy for remedy in doubt.remedies if remedy not in tried]
            if left and np.count_nonzero(doubt.sign(case)):
                break
        else:
            return
        if left[0].anew:
            tried = [remedy for remedy in tried if remedy.anew]
        tried.append(left[0])
        case = left[0].take(case)
        yield Step(doubt, left[0], case)


def settle(case: Case, doubts: Sequence[Doubt[Case]]) -> Case:
    """Return the case after all `steps`."""
    for step in steps(case, doubts):
        case = step.case
    return case


def open_question(case: Case, doubts: Sequence[Doubt[Case]]) -> list[Finding]:
    """Return what is said of the first doubt that stays and has words."""
    for doubt in doubts:
        if doubt.words and np.count_nonzero(sign := doubt.sign(case)):
            finding = doubt.words(case, sign)
            if finding:
                return [finding]
    return []
