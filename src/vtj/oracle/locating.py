"""Which entry it is: bisect the gap until one row and one column are left."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TypeAlias

import numpy as np

from vtj.calling.repeatable import reseeded
from vtj.engines import BACKWARD, BY_HAND, FORWARD, NUMERIC, Family
from vtj.engines.numeric import CLOSE, SAFETY
from vtj.oracle.behavior import ADDS, RANDOM, REPEATABLE, Judged, same_as
from vtj.oracle.findings import (
    LAST_DIGITS,
    Finding,
    cancelled,
    culprits,
    differs_in_last_digits,
    said,
)
from vtj.oracle.operators import Operator
from vtj.oracle.pairs import Pair, Probes, pairs, reexamined_pair, with_size
from vtj.oracle.passes import FIRST, Passes
from vtj.oracle.patterns import Inputs, pattern
from vtj.oracle.reexamination import (
    ROUNDED_AWAY,
    SEED,
    kinks_meet,
    least_visible_slope,
    nearby_points,
)
from vtj.oracle.rounding import gradient_rounding, negligible_slopes
from vtj.oracle.tolerance import MOST_PART, most_rounding
from vtj.oracle.voting import Array, Witness, distance, unnamed, vote
from vtj.oracle.witnesses import raised_by_autograd
from vtj.report import Row

Way: TypeAlias = Callable[[Array], Array]  # from u to J·u
STEP = CLOSE * FIRST  # the part of the size of x over which one central difference may tell a gap


@dataclass(frozen=True)
class Accused:
    """What was compared, and who is at fault where it differs."""

    pairs: list[Pair]
    finding: Finding | None = None
    rows: tuple[Row, ...] = ()


def accuse(passes: Passes, asked: Probes, by_hand: Operator | None, seed: int) -> Accused:
    """Return the pairs, with all error bounds where they differ, and who is at fault.

    First the entry is looked for with plain differences. Where it stands, being off by much, or by
    more than rounding tells, the pairs need no further look.
    """
    compared = [with_size(one, asked, by_hand) for one in pairs(asked, passes.trial)]
    bad = [pair for pair in compared if pair.differs]
    if not bad:
        return Accused(compared)
    pair = next((one for one in bad if one.side == "x"), bad[0])
    if changing := _changing(passes, asked, pair.probe):
        return Accused(compared, changing.finding, (changing.row,))
    found = _locate(passes, asked, pair, by_hand, seed, robust=False)
    # the rows of a corrcoef of two columns are ±1, and its backward what rounding leaves of zero
    sums = abs(asked.v[pair.probe]) @ abs(passes.trial.y_vector)
    negligible = negligible_slopes(passes.trial, sums)
    found = found or _beyond_entries(passes, asked, pair, MOST_PART, negligible)
    if found.verdict != "wrong":
        compared = [reexamined_pair(one, passes, asked, seed) for one in compared]
        bad = [one for one in compared if one.differs]
        if not bad:
            return Accused(compared)
        pair = next((one for one in bad if one.side == "x"), bad[0])
        found = _locate(passes, asked, pair, by_hand, seed, robust=True)
        rounding = most_rounding(passes.trial.earned)
        found = found or _beyond_entries(passes, asked, pair, rounding)
    return Accused(compared, found)


def _changing(passes: Passes, asked: Probes, k: int) -> Judged | None:
    """Judge whether backward gives the same once more, where it draws other random numbers.

    Where two new runs agree, what came first was spoiled by a backward through the same graph.
    """
    trial, first = passes.trial, asked.grads[k]
    before = Witness("x.grad", BACKWARD.name, first, size=abs(first).max(initial=0))
    again = passes.of(reseeded(trial.f), trial.x).gradient(asked.v[k])
    if same_as(trial, REPEATABLE, again, before).finding is None:
        return None
    once_more = passes.gradient(asked.v[k])
    if np.array_equal(once_more, again):
        return same_as(trial, ADDS, first, replace(before, value=again))
    random = np.array_equal(once_more, passes.gradient(asked.v[k]))
    return same_as(trial, RANDOM if random else REPEATABLE, again, before)


def _locate(
    passes: Passes,
    asked: Probes,
    pair: Pair,
    by_hand: Operator | None,
    seed: int,
    *,
    robust: bool,
) -> Finding | None:
    """Find the entry in which two values differ, and who is at fault there.

    It takes a number of passes that grows with the logarithm of the size of `x` and `y`.
    """
    at = int(np.argmax(pair.apart))
    row, column, columns = at, at, int((pair.apart > 1).sum())
    way: Way = passes.forward
    if pair.side != "x":
        chosen = _way(passes, asked, pair, at, robust)
        if chosen is None:
            return None
        way, error = chosen
        column, columns = _column(passes, asked, pair, at, by_hand, way, error)
    u = one_hot(passes.trial.size[1], column)
    forward, numeric = passes.forward_or_none(u), passes.differences(u, robust=robust)
    if not robust:
        invisible = least_visible_slope(passes.trial, numeric.value, ROUNDED_AWAY)
        numeric = replace(numeric, error=numeric.error + invisible)
    rows = 1
    if pair.side != "y":
        trusted = numeric if forward is None or way != passes.forward else unnamed(forward)
        row, rows = _row(passes, asked, pair.probe, column, by_hand, (trusted, numeric))
    answers = _answers(passes, row, column, by_hand, forward, numeric)
    if not robust:
        gap = _gap(passes, answers)
        if not gap:
            return None
        if not passes.stands(u, row, float(numeric.value[row]), gap):
            numeric = passes.differences(u, robust=True)
            answers = _answers(passes, row, column, by_hand, forward, numeric, answers)
        answers = _with_rounding(passes, row, column, answers, seed)
    return _cancelling_kink(passes, row, column, answers) or _accused(
        passes, row, column, answers, pair, columns + rows - 1
    )


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


def _way(
    passes: Passes, asked: Probes, pair: Pair, at: int, robust: bool
) -> tuple[Way, float] | None:
    """Return the cheapest way to J·u that gives what the pair holds, and how far it is off.

    It must do so to a part of the gap that stays one however often the gap is bisected.
    """
    v = asked.v[pair.probe] if pair.side == "number" else one_hot(passes.trial.size[0], at)
    gap = float(abs(pair.a.value - pair.b.value)[at])
    often = SAFETY * max(1, int(asked.u.size).bit_length())
    ways: list[Way] = [passes.forward, partial(passes.difference, part=STEP)]
    for way in ways:
        with suppress(Exception):  # many functions have no forward derivative
            off = abs(float(v @ way(asked.u)) - float(pair.b.value[at]))
            if often * off <= gap:
                return way, SAFETY * off + float(pair.allowed[at])
    if not robust:
        return None
    return lambda u: passes.differences(u, robust=True).value, gap / SAFETY


def _column(
    passes: Passes,
    asked: Probes,
    pair: Pair,
    row: int,
    by_hand: Operator | None,
    way: Way,
    error: float,
) -> tuple[int, int]:
    """Return a column in which the pair differs, and how many there are at least."""
    v, grad = asked.v[pair.probe], asked.grads[pair.probe]

    def gap(some: Array) -> float:
        if pair.side == "number":
            return float(grad @ some - v @ way(some))
        exact = passes.forward(some) if by_hand is None else by_hand.right(some)
        return float(exact[row] - way(some)[row])

    at = 0 if pair.side == "number" else row
    return bisect(asked.u, gap, float(pair.a.value[at] - pair.b.value[at]), error)


def _row(
    passes: Passes,
    asked: Probes,
    k: int,
    column: int,
    by_hand: Operator | None,
    trusted: tuple[Witness, Witness],
) -> tuple[int, int]:
    """Return a row in which somebody contradicts the column of J, or `x.grad` does; and how many.

    A forward pass may err as backward does: where it contradicts nobody, differences may.
    """
    trial, v = passes.trial, asked.v[k]
    if by_hand is not None:
        mine = unnamed(by_hand.right(one_hot(trial.size[1], column)))
        for here in trusted:
            apart = distance(mine, here, trial.relative)
            if (apart > 1).any():
                share = np.where(apart > 1, abs(v * (mine.value - here.value)), 0)
                return int(np.argmax(share)), int((apart > 1).sum())
        trusted = mine, mine

    def whole_and_error(here: Witness) -> tuple[float, float]:
        error = abs(v) @ np.broadcast_to(here.error, v.shape)
        rounding = trial.relative * float(abs(v) @ abs(here.value))
        return float(asked.grads[k][column] - v @ here.value), rounding + SAFETY * float(error)

    here = trusted[0]
    whole, error = whole_and_error(here)
    if abs(whole) <= error:
        here = trusted[1]
        whole, error = whole_and_error(here)
    return bisect(v, lambda w: float(passes.gradient(w)[column] - w @ here.value), whole, error)


def one_hot(size: int, at: int) -> Array:
    """Return a vector of zeros with a single one."""
    vector = np.zeros(size)
    vector[at] = 1
    return vector


def _answers(
    passes: Passes,
    row: int,
    column: int,
    by_hand: Operator | None,
    forward: Array | None,
    numeric: Witness,
    known: Sequence[Witness] = (),
) -> list[Witness]:
    """Return what everybody says of one entry of J; what exact ones say may be `known`."""
    exact = [one for one in known if one.family != NUMERIC.name]
    if not known:
        v, u = one_hot(passes.trial.size[0], row), one_hot(passes.trial.size[1], column)
        said_by = {}
        if by_hand is not None:
            said_by[BY_HAND.name] = by_hand.right(u)[[row]]
        outcome = passes.backward(v)
        if outcome.error is None or raised_by_autograd(outcome.error):
            said_by[BACKWARD.name] = passes.trial.gradient(outcome.grad)[[column]]
        if forward is not None:
            said_by[FORWARD.name] = forward[[row]]
        exact = [Witness(family, family, value) for family, value in said_by.items()]
    error, silent = np.asarray(numeric.error)[[row]], np.asarray(numeric.silent)[[row]]
    return [*exact, replace(numeric, value=numeric.value[[row]], error=error, silent=silent)]


def _gap(passes: Passes, answers: Sequence[Witness]) -> float:
    """Return how far differences lie from those whom they contradict, 0 where there are none."""
    *exact, numeric = answers
    apart = [one for one in exact if distance(one, numeric, passes.trial.relative)[0] > 1]
    return min((float(abs(one.value - numeric.value)[0]) for one in apart), default=0.0)


def _with_rounding(
    passes: Passes, row: int, column: int, answers: Sequence[Witness], seed: int
) -> list[Witness]:
    """Return the answers with that of backward as far off as rounding may leave it."""
    numeric, relative = answers[-1], passes.trial.relative

    def backward_with(error: Array) -> Witness:
        (mine,) = (one for one in answers if one.family == BACKWARD.name)
        return replace(mine, error=error[[column]])

    families = [one.family for one in answers]
    none = np.zeros(passes.trial.size[1])
    if BACKWARD.name not in families or distance(backward_with(none), numeric, relative)[0] <= 1:
        return list(answers)
    rounding = gradient_rounding(
        passes.trial,
        lambda f, x, weights: passes.of(f, x).gradient(weights),
        one_hot(passes.trial.size[0], row),
        lambda error: bool(distance(backward_with(error), numeric, relative)[0] <= 1),
        seed,
    )
    mine = backward_with(rounding)
    return [mine if one.family == BACKWARD.name else one for one in answers]


def _cancelling_kink(
    passes: Passes, row: int, column: int, answers: Sequence[Witness]
) -> Finding | None:
    """Say so where derivatives nearby are the slope, but torch chose another at `x` itself."""
    speakers = {one.family: one for one in answers}
    if BACKWARD.name not in speakers:
        return None
    backward, numeric = speakers[BACKWARD.name], speakers[NUMERIC.name]
    if distance(backward, numeric, passes.trial.relative)[0] <= 1:
        return None
    v = one_hot(passes.trial.size[0], row)
    points = nearby_points(passes.trial, SEED)
    nearby = (passes.of(passes.trial.f, x).gradient(v)[[column]] for x in points)
    if not kinks_meet(backward, numeric, nearby).any():
        return None
    chosen, slope = float(backward.value[0]), float(numeric.value[0])
    reach = SAFETY * float(np.asarray(numeric.error)[0])
    name = passes.trial.entry_name(row * passes.trial.size[1] + column)
    return Finding(f"{name}: {cancelled(chosen, slope, reach)}", "undecided")


def _accused(
    passes: Passes, row: int, column: int, answers: Sequence[Witness], pair: Pair, places: int
) -> Finding | None:
    result = vote(answers, passes.trial.relative)
    name = passes.trial.entry_name(row * passes.trial.size[1] + column)
    told = said([one for one in answers if not np.any(one.silent)], 0)
    for family, mask in culprits(result.against, passes.trial.reached[[row]]):
        if not mask.any():
            continue
        if family in (NUMERIC, FORWARD) and _nearly(answers, family, passes.trial.earned):
            return Finding(f"{name}: {told}: {LAST_DIGITS}", "undecided")
        if family == FORWARD and not passes.trial.custom:
            told += ": torch's own forward formula is wrong, and differences are too rough"
            return Finding(f"{name}: {told}", "undecided")
        count = f"at least {places} of {prod(passes.trial.size)} entries" if places > 1 else ""
        remarks = (_named(pair, family, passes.trial.inputs), count)
        remark = ", ".join(part for part in remarks if part)
        text = f"{name}: {told}: {family.conclusion}" + (f" ({remark})" if remark else "")
        return Finding(text, "wrong", family.culprit)
    if result.decided.all():
        return None
    return Finding(f"{name}: {told}: nobody to decide between them", "undecided")


def _nearly(answers: Sequence[Witness], family: Family, relative: float) -> bool:
    values = {one.family: one.value for one in answers}
    accused = values[(FORWARD if family == FORWARD else BACKWARD).name]
    return differs_in_last_digits(accused, values[NUMERIC.name], np.array([True]), relative)


def _named(pair: Pair, family: Family, inputs: Inputs) -> str:
    """Name the mistake where both sides of it are known: vᵀ·J by hand, and `x.grad`."""
    if pair.side != "x" or family not in (BY_HAND, BACKWARD):
        return ""
    sides = (pair.a.value, pair.b.value) if family == BY_HAND else (pair.b.value, pair.a.value)
    return pattern(*sides, pair.apart > 1, inputs=inputs)


def _beyond_entries(
    passes: Passes, asked: Probes, pair: Pair, rounding: float, negligible: Array | float = 0.0
) -> Finding:
    """Say what it is when every single entry is right: not linear, or not to be found.

    `rounding` is the part that may be; what is `negligible` is rounding in any case.
    """
    at = int(np.argmax(pair.apart))
    v, grad = asked.v[pair.probe], asked.grads[pair.probe]
    w = v * np.resize([-2, 0.25], v.size)
    parts, whole = grad + passes.gradient(w), passes.gradient(v + w)
    linear = abs(whole - parts) <= rounding * abs(parts).max() + negligible
    name = passes.trial.x_name("x.grad", at) if pair.side == "x" else pair.what
    told = said([pair.a, pair.b], at)
    if linear.all():
        return Finding(f"{name}: {told}: no single entry that differs was found", "undecided")
    conclusion = f"{BACKWARD.conclusion} (not linear in v)"
    return Finding(f"{name}: {told}: {conclusion}", "wrong", BACKWARD.culprit)
