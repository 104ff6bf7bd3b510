"""Where two values differ: which entry it is, by bisecting the gap, and who errs there."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
import torch

from vtj.calling.repeatable import reseeded
from vtj.engines import BACKWARD, BY_HAND, FORWARD, NUMERIC, Family
from vtj.engines.numeric import CLOSE, SAFETY
from vtj.oracle.accusing import accused
from vtj.oracle.behavior import ADDS, RANDOM, REPEATABLE, Judged, same_as
from vtj.oracle.blind_spots import (
    ROUNDED_AWAY,
    cancelling_kinks,
    leaps_nearby,
    least_visible_slope,
)
from vtj.oracle.causes import named
from vtj.oracle.differences import PAST_KINKS
from vtj.oracle.doubts import Doubt, Remedy
from vtj.oracle.findings import (
    BESIDE,
    KINK,
    SPLIT_VOTE,
    Finding,
    accusation,
    cancelled,
    culprits,
    last_digits,
    said,
)
from vtj.oracle.further import right_alone
from vtj.oracle.pairs import (
    LARGE,
    Compared,
    Pair,
    Probes,
    past_kinks,
    reexamined_pair,
    to_nine_digits,
    with_size,
)
from vtj.oracle.passes import FIRST, MANY
from vtj.oracle.patterns import NOT_LINEAR, NOT_OF_V, TOGETHER
from vtj.oracle.rounding import (
    gradient_rounding,
    negligible_slopes,
    only_rounding,
)
from vtj.oracle.tolerance import MOST_PART, VISIBLE, most_rounding
from vtj.oracle.trial import Trial
from vtj.oracle.voting import (
    Array,
    Witness,
    distance,
    one_per_family,
    speaking_first,
    unnamed,
    vote,
)
from vtj.oracle.witnesses import failure

Way: TypeAlias = Callable[[Array], Array]  # from u to J·u
STEP = CLOSE * FIRST  # the part of the size of x over which one central difference may tell a gap
# In a large model kinks lie within that: then half of the weights may seem right that are not.
FINEST = 2.0**-24


def _open(case: Compared) -> bool:
    return case.worst is not None and (case.finding is None or case.finding.verdict != "wrong")


def _probe_by_probe(case: Compared) -> Compared:
    """Look at each probe, with all that adds up to it, over steps past the kinks of a model."""
    asked = case.asked
    each = (with_size(one, asked) for pair in case.pairs for one in pair.by_probe())
    return replace(case, pairs=tuple(past_kinks(one, asked) for one in each))


def _once_more(case: Compared) -> Compared:
    """Look whether backward gives the same once more."""
    assert case.worst is not None
    changing = _changing(case.asked, case.worst.probe)
    if changing is None:
        return case
    return replace(case, finding=changing.finding, rows=(changing.row,))


def _entry_by_plain_steps(case: Compared) -> Compared:
    """Look for an entry that is off by much, or by more than rounding tells."""
    asked, pair = case.asked, case.worst
    assert pair is not None
    trial, v = asked.trial, asked.v[pair.probe]
    # the rows of a corrcoef of two columns are ±1, and its backward what rounding leaves of zero
    negligible = negligible_slopes(trial, abs(v) @ abs(trial.y_vector))
    found = None if _constant(asked) else _locate(asked, pair, robust=False)
    return replace(case, finding=found or _beyond_entries(asked, pair, MOST_PART, negligible))


def _with_all_bounds(case: Compared) -> Compared:
    asked = case.asked
    bounded = (past_kinks(reexamined_pair(one, asked), asked) for one in case.pairs)
    again = replace(case, pairs=tuple(bounded))
    return again if again.worst else replace(again, finding=None)


def _entry_with_all_care(case: Compared) -> Compared:
    asked, pair = case.asked, case.worst
    assert pair is not None
    found = _locate(asked, pair, robust=True)
    found = found or _beyond_entries(asked, pair, most_rounding(asked.trial.earned))
    return replace(case, finding=found)


def _to_nine_digits(case: Compared) -> Compared:
    """Let backward have what differences alone take from it, where that is its last digits."""
    if case.finding is None or case.finding.row is None:
        return case
    wider = replace(case, pairs=tuple(map(to_nine_digits, case.pairs)))
    return case if wider.worst else replace(wider, finding=None, rows=(case.finding.row,))


DIFFERENT = Doubt(
    "two values differ",
    _open,
    (
        Remedy("compare for each v by itself", _probe_by_probe),
        Remedy("run backward once more", _once_more),
        Remedy("search for the entry that is off", _entry_by_plain_steps),
        Remedy("measure the noise of f, and rounding", _with_all_bounds),
        Remedy("search for that entry again", _entry_with_all_care),
        Remedy("if differences alone object, let nine digits do", _to_nine_digits),
    ),
)


def _changing(asked: Probes, k: int) -> Judged | None:
    """Judge whether backward gives the same once more, where it draws other random numbers.

    Where two new runs agree, what came first was spoiled by a backward through the same graph.
    """
    trial, v, first = asked.trial, asked.v[k], asked.grads[k]
    before = Witness("x.grad", BACKWARD.name, first, size=abs(first).max(initial=0))
    again, once_more = replace(trial, f=reseeded(trial.f)).vjp(v), trial.vjp(v)
    # two, or of a backward of three turns, as "drifts" of the zoo, the same may come twice
    if all(same_as(trial, REPEATABLE, one, before).finding is None for one in (again, once_more)):
        return None
    if np.array_equal(once_more, again):
        return same_as(trial, ADDS, first, replace(before, value=again))
    random = np.array_equal(once_more, trial.vjp(v))
    other = max(again, once_more, key=lambda one: abs(one - first).max(initial=0))
    return same_as(trial, RANDOM if random else REPEATABLE, other, before)


@dataclass(frozen=True)
class _Entry:
    """One entry of J, and what everybody says of it."""

    trial: Trial
    row: int
    column: int
    exact: tuple[Witness, ...]
    numeric: Witness

    @property
    def said(self) -> list[Witness]:
        return [*self.exact, self.numeric]

    @property
    def v(self) -> Array:
        """The gradient argument that asks for its row."""
        return one_hot(self.trial.size[0], self.row)

    @property
    def at(self) -> int:
        return self.row * self.trial.size[1] + self.column

    @property
    def name(self) -> str:
        return self.trial.entry_name(self.at)

    def by(self, family: Family) -> Witness | None:
        return one_per_family(self.said).get(family.name)

    def differs(self, one: Witness) -> bool:
        """Return whether differences contradict what somebody says of it."""
        return bool(distance(one, self.numeric, self.trial.relative)[0] > 1)

    @property
    def gap(self) -> float:
        """The least from differences to who contradicts them, or 0."""
        gaps = [abs(one.value - self.numeric.value)[0] for one in self.exact if self.differs(one)]
        return float(min(gaps, default=0))


def _locate(asked: Probes, pair: Pair, *, robust: bool) -> Finding | None:
    """Find the entry in which two values differ, and who is at fault there.

    It takes a number of passes that grows with the logarithm of the size of `x` and `y`.
    """
    passes, trial, at = asked.passes, asked.trial, int(np.argmax(pair.apart))
    row, column, columns = at, at, int((pair.apart > 1).sum())
    way: Way = passes.forward
    if pair.side != "x":
        chosen = _way(asked, pair, at, robust)
        if chosen is None:
            return None
        way, error = chosen
        column, columns = _column(asked, pair, at, way, error)
    u = one_hot(trial.size[1], column)
    forward = passes.forward_or_none(u)
    if not robust and pair.side == "number" and (fine := _close_by(asked, pair, column, forward)):
        entry, rows = fine
        return _told(asked, _with_rounding(entry), pair, columns + rows - 1)
    numeric = passes.differences(u, robust=robust)
    kinks = robust and bool((abs(pair.a.value - pair.b.value) > VISIBLE * abs(pair.b.value))[at])
    if asked.u.size > (MANY if kinks else LARGE):  # a gap that is small tells no kink
        numeric = speaking_first(passes.past_kinks(u), numeric)
    if not robust:
        invisible = least_visible_slope(trial, numeric.value, ROUNDED_AWAY)
        numeric = replace(numeric, error=numeric.error + invisible)
    rows = 1
    if pair.side != "y":
        trusted = numeric if forward is None or way != passes.forward else unnamed(forward)
        row, rows = _row(asked, pair.probe, column, (trusted, numeric))
    entry = _entry(asked, row, column, forward, numeric)
    if not robust:
        if not (gap := entry.gap):
            return None
        if not passes.stands(u, row, float(numeric.value[row]), gap):
            entry = replace(entry, numeric=passes.with_care(u, row=row, gap=gap))
        entry = _with_rounding(entry)
    return _told(asked, entry, pair, columns + rows - 1)


def _told(asked: Probes, entry: _Entry, pair: Pair, places: int) -> Finding | None:
    return _leap(entry) or _cancelling_kink(entry) or _accused(asked, entry, pair, places)


def _close_by(
    asked: Probes, pair: Pair, column: int, forward: Array | None
) -> tuple[_Entry, int] | None:
    """Return the entry of a column, and in how many rows that is off, where a fine step tells.

    Differences of the whole column first take a wrong topk of a thousand (in tests/) over 100
    calls, as kinks lie within the wider steps.
    """
    passes, trial, u = asked.passes, asked.trial, one_hot(asked.trial.size[1], column)
    if trial.dtype != torch.float64 or asked.u.size <= MANY:
        return None
    part = PAST_KINKS[0]  # one that is asked below
    error = trial.eps * abs(trial.y_vector) / (part * passes.reach(u))
    near = Witness("differences", NUMERIC.name, passes.difference(u, part), error)
    row, rows = _row(asked, pair.probe, column, (near, near))
    entry = _entry(asked, row, column, forward, near)
    slope, gap = float(near.value[row]), entry.gap
    if not gap:
        return None
    if not passes.stands(u, row, slope, gap):
        v = one_hot(trial.size[0], row)[None]
        numeric = passes.told_past_kinks(u, v, gap) if slope else None
        if numeric is None:
            return None
        entry = replace(entry, numeric=numeric)
    return entry, rows


def bisect(
    weights: Array, gap: Callable[[Array], float], whole: float, error: float = 0.0
) -> tuple[int, int]:
    """Return a position where there is a gap, and at how many there is one at least.

    `gap` is linear: of each half the other is the rest of the whole. `error` is how far it may be
    off.

    Example:
        >>> bisect(np.ones(8), lambda weights: weights @ np.arange(8), 28)
        (7, 4)
    """
    suspects, places = np.arange(weights.size), 1
    while suspects.size > 1:
        first, second = np.array_split(suspects, 2)
        some = np.zeros_like(weights)
        some[first] = weights[first]
        of_first = gap(some)
        of_second = whole - of_first
        places += int(min(abs(of_first), abs(of_second)) > error)
        larger = abs(of_first) > abs(of_second)
        suspects, whole = (first, of_first) if larger else (second, of_second)
    return int(suspects[0]), places


def _way(asked: Probes, pair: Pair, at: int, robust: bool) -> tuple[Way, float] | None:
    """Return the cheapest way to J·u that gives what the pair holds, and how far it is off.

    It must do so to a part of the gap that stays one however often the gap is bisected.
    """
    passes, of_number = asked.passes, pair.side == "number"
    v = asked.v[pair.probe] if of_number else one_hot(passes.trial.size[0], at)
    gap = float(abs(pair.a.value - pair.b.value)[at])
    often = SAFETY * max(1, int(asked.u.size).bit_length())
    rounding = passes.trial.eps * float(abs(v) @ abs(passes.trial.y_vector))
    parts = (STEP, FINEST) if asked.u.size <= LARGE else (FINEST, FINEST * 4, STEP)
    ways: list[tuple[Way, float]] = [(passes.forward, 0.0)]
    for central, part in product((False, True), parts):
        least = (2 - central) * rounding / (part * passes.reach(asked.u))
        ways.append((partial(passes.difference, part=part, central=central), least))
    for way, least in ways:
        with suppress(Exception):  # many functions have no forward derivative
            off = abs(float(v @ way(asked.u)) - float(pair.b.value[at]))
            if often * off <= gap:
                return way, SAFETY * (off + least) + float(pair.allowed[at])
    if not robust:
        return None
    return lambda u: passes.differences(u, robust=True).value, gap / SAFETY


def _column(asked: Probes, pair: Pair, at: int, way: Way, error: float) -> tuple[int, int]:
    """Return a column in which the pair differs, and how many there are at least."""
    v, grad = asked.v[pair.probe], asked.grads[pair.probe]

    def gap(some: Array) -> float:
        if pair.side == "number":
            return float(grad @ some - v @ way(some))
        exact = asked.passes.forward(some) if asked.J is None else asked.J.right(some)
        return float(exact[at] - way(some)[at])

    return bisect(asked.u, gap, float(pair.a.value[at] - pair.b.value[at]), error)


def _row(asked: Probes, k: int, column: int, trusted: tuple[Witness, Witness]) -> tuple[int, int]:
    """Return a row in which somebody contradicts the column of J, or `x.grad` does; and how many.

    A forward pass may err as backward does: where it contradicts nobody, differences may.
    """
    trial, v = asked.trial, asked.v[k]
    if asked.J is not None:
        mine = unnamed(asked.J.right(one_hot(trial.size[1], column)))
        for here in trusted:
            apart = distance(mine, here, trial.relative)
            if (apart > 1).any():
                share = np.where(apart > 1, abs(v * (mine.value - here.value)), 0)
                return int(np.argmax(share)), int((apart > 1).sum())
        trusted = mine, mine

    for here in trusted:
        whole = float(asked.grads[k][column] - v @ here.value)
        off = float(abs(v) @ np.broadcast_to(here.error, v.shape))
        error = trial.relative * float(abs(v) @ abs(here.value)) + SAFETY * off
        if abs(whole) > error:
            break
    if v.size == 1:
        return 0, 1
    backward = asked.passes.in_one_run()

    def gap(w: Array) -> float:
        return float(trial.gradient(backward(w).grad)[column] - w @ here.value)

    return bisect(v, gap, whole, error)


def one_hot(size: int, at: int) -> Array:
    """Return a vector of zeros with a single one."""
    return np.asarray(np.eye(1, size, at)[0])


def _entry(asked: Probes, row: int, column: int, forward: Array | None, numeric: Witness) -> _Entry:
    """Return one entry of J with what everybody says of it, two of its whole column."""
    trial, said_by = asked.trial, {}
    v, u = one_hot(trial.size[0], row), one_hot(trial.size[1], column)
    if asked.J is not None:
        said_by[BY_HAND.name] = asked.J.right(u)[[row]]
    outcome = asked.passes.backward(v)
    if not failure(outcome):
        said_by[BACKWARD.name] = trial.gradient(outcome.grad)[[column]]
    if forward is not None:
        said_by[FORWARD.name] = forward[[row]]
    exact = tuple(Witness(family, family, value) for family, value in said_by.items())
    return _Entry(trial, row, column, exact, numeric.only(row))


def _with_rounding(entry: _Entry) -> _Entry:
    """Return the entry with what backward says of it as far off as rounding may leave it."""
    mine = entry.by(BACKWARD)
    if mine is None or not entry.differs(mine) or not entry.trial.reached[entry.row]:
        return entry

    def explains(error: Array) -> bool:
        assert mine is not None
        return not entry.differs(replace(mine, error=error[[entry.column]]))

    rounding = gradient_rounding(entry.trial, entry.v, explains)[[entry.column]]
    exact = (replace(one, error=rounding) if one is mine else one for one in entry.exact)
    return replace(entry, exact=tuple(exact))


def _leap(entry: _Entry) -> Finding | None:
    """Say so where `f` leaps near `x`, and has the slope between leaps that exact ones give."""
    if not entry.exact or not all(entry.differs(one) for one in entry.exact):
        return None
    slope = entry.exact[0].value
    there = leaps_nearby(entry.trial, entry.column, slope, slope - entry.numeric.value)
    told = f"{entry.name}: {said(entry.said, 0)}: f leaps near x, as where it rounds"
    return Finding(told, "undecided") if there[entry.row] else None


def _cancelling_kink(entry: _Entry) -> Finding | None:
    """Say so where derivatives nearby are the slope, but torch chose another at `x` itself."""
    backward, numeric = entry.by(BACKWARD), entry.numeric
    if not cancelling_kinks(
        entry.trial, backward, numeric, lambda at: at.vjp(entry.v)[[entry.column]]
    ).any():
        return None
    assert backward is not None
    chosen, slope = float(backward.value[0]), float(numeric.value[0])
    reach = SAFETY * float(np.asarray(numeric.error)[0])
    return Finding(f"{entry.name}: {cancelled(chosen, slope, reach)}", "undecided")


def _accused(asked: Probes, entry: _Entry, pair: Pair, places: int) -> Finding | None:
    trial, result = entry.trial, vote(entry.said, entry.trial.relative)
    quoted = [one for one in entry.said if not np.any(one.silent)]
    told = f"{entry.name}: {said(quoted, 0)}"
    for family, mask in culprits(result.against, trial.seen_whole(result.against)[[entry.row]]):
        if not mask.any():
            continue
        mine, right = entry.by(BACKWARD if family == NUMERIC else family), entry.numeric
        assert mine is not None
        alone = family == BACKWARD and len(entry.exact) == 1
        if alone and (row := last_digits(entry.name, mine.value, right.value)):
            return Finding(f"{told}: {row.note}", "undecided", row=row)
        remarks = partial(_remarks, asked, entry, pair, family, places)
        return accused(trial, told, family, mine, right, remarks)
    return None if result.decided.all() else Finding(f"{told}: {SPLIT_VOTE}", "undecided")


def _remarks(
    asked: Probes, entry: _Entry, pair: Pair, family: Family, places: int
) -> tuple[str, str]:
    """Return which mistake it is, and in how many entries it was seen."""
    trial = entry.trial
    if family == BACKWARD and right_alone(trial, entry.v, entry.numeric, [entry.column]):
        return TOGETHER, ""
    mistake, count = named(asked, pair, family, one_per_family(entry.said), entry.at)
    if count is None:
        count = f"at least {places} of {prod(trial.size)} entries" if places > 1 else ""
    return mistake, count


def _beyond_entries(
    asked: Probes, pair: Pair, rounding: float, negligible: Array | float = 0.0
) -> Finding:
    """Say what it is when every single entry is right: not linear, or not to be found.

    `rounding` is the part that may be; what is `negligible` is rounding in any case.
    """
    trial, at = asked.trial, int(np.argmax(pair.apart))
    v, grad = asked.v[pair.probe], asked.grads[pair.probe]
    w = v * np.resize([-2, 0.25], v.size)
    parts, whole = grad + trial.vjp(w), trial.vjp(v + w)
    gap = abs(whole - parts)
    gap = np.where(gap <= rounding * abs(parts).max() + negligible, 0, gap)
    name = trial.x_name("x.grad", at) if pair.side == "x" else pair.what
    told = f"{name}: {said([pair.a, pair.b], at)}"
    if not gap.any() or only_rounding(trial, v, grad, gap):
        told += f": no single entry that differs was found; {BESIDE}"
        return Finding(told + KINK * asked.passes.kinked(asked.u, v), "undecided")
    how = NOT_OF_V if _constant(asked) else NOT_LINEAR
    return accusation(told, BACKWARD.conclusion, BACKWARD.culprit, how)


def _constant(asked: Probes) -> bool:
    """Return whether `x.grad` was the same, and not zero, for different `v`."""
    first, *others = asked.grads
    return bool(others and first.any() and all(np.array_equal(one, first) for one in others))
