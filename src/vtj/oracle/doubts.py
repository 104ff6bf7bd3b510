"""The one loop behind every verdict: evidence, what is doubted in it, what settles that cheapest.

`check` has a vote over J as evidence (`reexamination`), `certify` values along random directions
(`directions`). Each has its doubts in a table.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from vtj.oracle.findings import Finding

Case = TypeVar("Case")


@dataclass(frozen=True)
class Doubt(Generic[Case]):
    """One reason why evidence may not be trusted yet."""

    sign: Callable[[Case], Any]  # where, or whether, it shows
    # what may settle it, the cheapest first: each returns the case with more evidence
    remedies: tuple[Callable[[Case], Case], ...] = ()
    words: Callable[[Case, Any], Finding | None] | None = None  # what is said where it stays


def settle(case: Case, doubts: Sequence[Doubt[Case]]) -> Case:
    """Return the case when nothing in it is doubted any more, or no remedy is left.

    Each remedy is taken once at most, as it is the same for all doubts that name it.
    """
    tried: list[Callable[[Case], Case]] = []
    while remedy := next(_remedies(case, doubts, tried), None):
        tried.append(remedy)
        case = remedy(case)
    return case


def _remedies(
    case: Case, doubts: Sequence[Doubt[Case]], tried: Sequence[Callable[[Case], Case]]
) -> Iterator[Callable[[Case], Case]]:
    for doubt in doubts:
        left = [remedy for remedy in doubt.remedies if remedy not in tried]
        if left and np.any(doubt.sign(case)):
            yield left[0]


def open_question(case: Case, doubts: Sequence[Doubt[Case]]) -> list[Finding]:
    """Return what is said of the first doubt that stays and has words."""
    for doubt in doubts:
        if doubt.words and np.any(sign := doubt.sign(case)):
            finding = doubt.words(case, sign)
            if finding:
                return [finding]
    return []
