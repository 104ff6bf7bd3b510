"""What the cases of the zoo say to the question that a word on a page asks.

A set of cases is an integer with a bit for each, so that a question to seven thousand cases is a
few operations on numbers, and a site may ask hundreds.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from vtj_site.statements.facts import Record
from vtj_site.statements.parts import PARTS
from vtj_site.statements.predicates import Predicate
from vtj_site.statements.words import MarkError, Meaning, Question

FEWEST = 8
"""With fewer cases a word promises more than was seen."""
Cases = int
"""A set of cases: bit n stands for the record with that number."""


class Answer(NamedTuple):
    """What the cases say to a question."""

    holds: bool
    cases: int  # how many are in the part, and have an answer to the predicate
    kinds: tuple[int, ...]  # how many operations, kinds of tensor and kinds of call these are of
    true: int  # how many of them fulfill what the sentence says
    counter: Record | None  # a case that shows that the word is wrong
    nearest: Record | None  # a case that would, if it were in the part


class Sides(NamedTuple):
    """The cases inside and outside of a part, with what the sentence says and without it."""

    yes: Cases
    no: Cases
    yes_outside: Cases
    no_outside: Cases


class Table:
    """The records of the whole zoo."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._known: dict[str, tuple[Cases, Cases]] = {}
        self._parts: dict[str, Cases] = {}

    def answer(self, asked: Question) -> Answer:
        """Ask the cases.

        Raises:
            MarkError: if the part has fewer than eight cases, or if the predicate holds in every
                case of the whole zoo, or in none, and so tells nothing.
        """
        yes, no = self._answers(asked.predicate)
        if not yes or not no:
            raise MarkError(f"{asked.predicate.name!r} tells nothing: no two cases differ in it")
        if asked.contrary:
            yes, no = no, yes
        part = ~0
        for name in asked.parts:
            part &= self._part(name)
        inside = (yes | no) & part
        if (count := inside.bit_count()) < FEWEST:
            raise MarkError(
                f"only {count} cases answer to {asked.predicate.name!r} "
                f"{' '.join(asked.parts) or 'anywhere'}: {FEWEST} are needed"
            )
        sides = Sides(yes & part, no & part, yes & ~part, no & ~part)
        fits, against = self._judged(asked.meaning, asked.predicate.attempt, sides)
        counter = nearest = None
        if fits == asked.negated:  # where no single case refutes the word, each shows why
            counter = self._first(against) or self._first(inside)
        else:
            nearest = self._nearest(asked, sides)
        true = (yes & part).bit_count()
        kinds = tuple(sum(bool(of & inside) for of in pieces) for pieces in self._pieces)
        return Answer(fits != asked.negated, count, kinds, true, counter, nearest)

    def _judged(self, meaning: Meaning, attempt: bool, sides: Sides) -> tuple[bool, Cases]:
        """Return whether a word holds, and the cases that speak against it."""
        yes, no, yes_outside, no_outside = sides
        accepted = ~self._refused
        match meaning:
            case "all":
                return not no, no
            case "none":
                return not yes, yes
            case "only":
                return bool(yes) and not yes_outside, yes_outside
            case "unless":
                return bool(no) and not no_outside, no_outside
            case "some" if attempt:
                return bool(yes & accepted and no & accepted), 0
            case "some":
                return bool(yes and no), 0
            case "must" if not attempt:
                return not no, no
            case "cannot" if not attempt:
                return not yes, yes
            case "must":
                return bool(yes & accepted) and not no & accepted, no & accepted
            case "cannot":
                return bool(yes) and not yes & accepted, yes & accepted

    def _nearest(self, asked: Question, sides: Sides) -> Record | None:
        """Return a case on the other side of the part that would speak against the word there.

        It has as many pairs of operation, tensor and call as possible in common with the part.
        """
        swapped = Sides(sides.yes_outside, sides.no_outside, sides.yes, sides.no)
        _, against = self._judged(asked.meaning, asked.predicate.attempt, swapped)
        part = sides.yes | sides.no
        if asked.meaning in ("only", "unless"):
            part = swapped.yes | swapped.no
        alike = (
            sum_of(both for first in one for second in other if (both := first & second) & part)
            for one, other in combinations(self._pieces, 2)
        )
        one, two, three = alike
        for near in (one & two & three, one & two | one & three | two & three, one | two | three):
            if against & near:
                return self._first(against & near)
        return self._first(against)

    def _answers(self, predicate: Predicate) -> tuple[Cases, Cases]:
        """Return the cases in which a predicate holds, and those in which it does not."""
        if predicate.name not in self._known:
            answers = [predicate.ask(record) for record in self._records]
            self._known[predicate.name] = (
                bits(answer is True for answer in answers),
                bits(answer is False for answer in answers),
            )
        return self._known[predicate.name]

    def _part(self, name: str) -> Cases:
        if name not in self._parts:
            self._parts[name] = bits(PARTS[name].holds(record) for record in self._records)
        return self._parts[name]

    @cached_property
    def _refused(self) -> Cases:
        return bits(bool(record.refused) for record in self._records)

    @cached_property
    def _pieces(self) -> list[list[Cases]]:
        """The cases of each operation, of each kind of tensor, and of each kind of call."""
        found: list[dict[str, Cases]] = [{}, {}, {}]
        for number, record in enumerate(self._records):
            names = record.case.op, record.case.tensor.name, record.case.call.name
            for pieces, name in zip(found, names, strict=True):
                pieces[name] = pieces.get(name, 0) | 1 << number
        return [list(pieces.values()) for pieces in found]

    def _first(self, cases: Cases) -> Record | None:
        return self._records[(cases & -cases).bit_length() - 1] if cases else None


def bits(chosen: Iterable[bool]) -> Cases:
    """Return the set of the cases that are chosen, in order."""
    return int("".join("01"[each] for each in chosen)[::-1] or "0", 2)


def sum_of(sets: Iterable[Cases]) -> Cases:
    """Return the union of sets of cases."""
    union = 0
    for cases in sets:
        union |= cases
    return union
