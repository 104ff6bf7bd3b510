"""Words of cost: what a sentence says of time is asked of the rows of a recorded benchmark.

`` The sum is {cost}`slower with 1,000 elements or fewer <sum against ones>` ``: the word says which
ratios of times fit, the rest of it at which recorded sizes each has to fit; without sizes, at all
of them. The sentence names what is timed first, and before the word.
"""

import re
from math import inf

from vtj_site.records.timings import Timing, timings
from vtj_site.statements.words import MarkError

BANDS = {
    "faster": (0, 0.9),
    "cheaper": (0, 0.9),
    "less time": (0, 0.9),
    "slower": (1.1, inf),
    "dearer": (1.1, inf),
    "more time": (1.1, inf),
    "no difference": (0.9, 1.1),
    "as fast": (0.9, 1.1),
    "as much time": (0.9, 1.1),
    "half the time": (0.4, 0.6),
    "twice the time": (1.7, 2.3),
}
"""The ratios of which a word is true: a difference of less than a tenth is none."""
SAID = re.compile(
    r"(?P<word>.+?)(?: with (?P<size>\d[\d,]*) (?P<unit>[a-z]+)(?: or (?P<beyond>more|fewer))?)?"
)
BARE = rf"\b(?:{'|'.join(BANDS)}|(?:more|less) expensive|costs? (?:more|less|nothing|as much))\b"
"""Refused where they are typed in a statement."""


def rows(said: str, comparison: str, before: str, after: str) -> tuple[list[Timing], list[Timing]]:
    """Return the rows that a mark speaks of, and those that speak against it.

    Raises:
        MarkError: if the word, the comparison or the size is not known, if a "not" stands beside
            the mark, or if the sentence has not named last before it what is timed first.
    """
    found = SAID.fullmatch(said)
    word = found["word"].lower() if found else said
    if not found or word not in BANDS:
        raise MarkError(
            f"{said!r} says nothing of cost that is checked: it may be {', '.join(BANDS)}, and "
            "behind it 'with N elements', 'with N elements or more' or '… or fewer'"
        )
    try:
        every = timings(comparison)
    except ValueError as error:
        raise MarkError(str(error)) from error
    if re.search(r"(?:\b(?:not|no|never)|n't)\s*$", before) or re.match(r"\s*not\b", after):
        raise MarkError(f"{said!r} stands beside a 'not': say the other word of cost instead")
    ways = comparison.split(" against ")
    named = re.findall(rf"\b(?:{'|'.join(map(re.escape, ways))})", before, re.IGNORECASE)
    if not named or named[-1].lower() != ways[0]:
        raise MarkError(f"expected {ways[0]!r} before {said!r}, and {ways[1]!r} not between")
    if found["size"]:
        sizes, size = [row.size for row in every], int(found["size"].replace(",", ""))
        if size not in sizes or found["unit"] != every[0].unit:
            raise MarkError(f"{said!r}: {comparison} was timed with {sizes} {every[0].unit}")
        reach = {"more": (size, inf), "fewer": (0, size), None: (size, size)}[found["beyond"]]
        every = [row for row in every if reach[0] <= row.size <= reach[1]]
    return every, [row for row in every if not fits(row, word)]


def fits(row: Timing, word: str) -> bool:
    """Whether a word of cost is true of a row, however far off its ratio may be.

    So far off may it be as the first way's ratio to itself: with 1,000,000 elements, depending on
    the memory that it got, a sum was recorded to take 1.27 times as long as itself.
    """
    low, high = BANDS[word]
    off = max(row.again, 1 / row.again)
    return low <= row.ratio / off and row.ratio * off <= high
