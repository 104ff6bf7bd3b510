"""Which entry it is: bisect the suspects until one row and one column are left."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from vtj.engines import BACKWARD, BY_HAND, FORWARD, NUMERIC, Family
from vtj.engines.numeric import SAFETY
from vtj.oracle.findings import (
    LAST_DIGITS,
    Finding,
    cancelled,
    culprits,
    differs_in_last_digits,
    said,
)
from vtj.oracle.operators import Operator
from vtj.oracle.pairs import Pair, Probes, adjoint_identity
from vtj.oracle.passes import Passes
from vtj.oracle.patterns import Inputs, pattern
from vtj.oracle.reexamination import SEED, kinks_meet, nearby_points
from vtj.oracle.tolerance import most_rounding
from vtj.oracle.voting import Array, Witness, distance, unnamed, vote
from vtj.oracle.witnesses import raised_by_autograd


def locate(passes: Passes, asked: Probes, bad: Sequence[Pair], by_hand: Operator | None) -> Finding:
    """Find the entry in which two values differ, and who is at fault there.

    It takes a number of passes that grows with the logarithm of the size of `x` and `y`.
    """
    pair = next((one for one in bad if one.side == "x"), bad[0])
    k = pair.probe
    at = int(np.argmax(pair.apart))
    if pair.side == "x":
        column = at
        row = _row_in(passes, asked, k, column, by_hand)
    elif pair.side == "y":
        row = at
        column = _column_for(passes, asked, row, by_hand)
    else:
        column = _column_of_product(passes, asked, k)
        row = _row_in(passes, asked, k, column, None)
    answers = ask_for_entry(passes, row, column, by_hand)
    finding = _cancelling_kink(passes, row, column, answers) or _accused(
        passes, row, column, answers, pair
    )
    return finding or _beyond_entries(passes, asked, pair, at)


def bisect(weights: Array, differs: Callable[[Array], bool]) -> int:
    """Return the one position that `differs` still notices with the weights of others set to 0.

    Example:
        >>> bisect(np.ones(8), lambda weights: weights[5] != 0)
        5
    """
    suspects = np.arange(weights.size)
    while suspects.size > 1:
        first, second = np.array_split(suspects, 2)
        some = np.zeros_like(weights)
        some[first] = weights[first]
        suspects = first if differs(some) else second
    return int(suspects[0])


def _row_in(passes: Passes, asked: Probes, k: int, column: int, by_hand: Operator | None) -> int:
    """Return the row in which somebody contradicts the column of J, or `x.grad` does."""
    trial = passes.trial
    u = one_hot(trial.size[1], column)
    here = passes.best(u)
    if by_hand is not None:
        mine = unnamed(by_hand.right(u))
        apart = distance(mine, here, trial.relative)
        if (apart > 1).any():
            share = abs(asked.v[k] * (mine.value - here.value))
            return int(np.argmax(np.where(apart > 1, share, 0)))
        here = mine

    def differs(some: Array, here: Witness) -> bool:
        grad = np.array([passes.gradient(some)[column]])
        size = np.array([abs(some) @ abs(here.value)])
        error = np.array([abs(some) @ np.broadcast_to(here.error, some.shape)])
        right = unnamed(np.array([some @ here.value]), error, size)
        return bool(distance(unnamed(grad), right, trial.relative)[0] > 1)

    if by_hand is None and not differs(asked.v[k], here):
        here = passes.differences(u, robust=True)  # a forward pass may err as backward does
    return bisect(asked.v[k], lambda some: differs(some, here))


def _column_for(passes: Passes, asked: Probes, row: int, by_hand: Operator | None) -> int:
    """Return the column in which J·u by hand, or by a forward pass, is not what differences say."""
    relative = passes.trial.relative

    def differs(some: Array) -> bool:
        exact = by_hand.right(some) if by_hand is not None else passes.forward(some)
        apart = distance(unnamed(exact), passes.differences(some, robust=True), relative)
        return bool(apart[row] > 1)

    return bisect(asked.u, differs)


def _column_of_product(passes: Passes, asked: Probes, k: int) -> int:
    """Return the column in which ⟨x.grad, u⟩ is not ⟨v, J·u⟩.

    A forward pass may err as backward does; then it is not what differences say.
    """

    def differs(some: Array, slopes: Witness) -> bool:
        left, right = adjoint_identity(asked.v[k], some, asked.grads[k], slopes)
        return bool(distance(left, right, passes.trial.relative)[0] > 1)

    other = passes.best
    if not differs(asked.u, passes.best(asked.u)):
        other = partial(passes.differences, robust=True)
    return bisect(asked.u, lambda some: differs(some, other(some)))


def one_hot(size: int, at: int) -> Array:
    """Return a vector of zeros with a single one."""
    vector = np.zeros(size)
    vector[at] = 1
    return vector


def ask_for_entry(passes: Passes, row: int, column: int, by_hand: Operator | None) -> list[Witness]:
    """Ask everybody for one entry of J."""
    v, u = one_hot(passes.trial.size[0], row), one_hot(passes.trial.size[1], column)
    exact = {}
    if by_hand is not None:
        exact[BY_HAND.name] = by_hand.right(u)[[row]]
    outcome = passes.backward(v)
    if outcome.error is None or raised_by_autograd(outcome.error):
        exact[BACKWARD.name] = passes.trial.gradient(outcome.grad)[[column]]
    forward = passes.forward_or_none(u)
    if forward is not None:
        exact[FORWARD.name] = forward[[row]]
    numeric = passes.differences(u, robust=True)
    error, silent = np.asarray(numeric.error)[[row]], np.asarray(numeric.silent)[[row]]
    return [
        *(Witness(family, family, value) for family, value in exact.items()),
        replace(numeric, value=numeric.value[[row]], error=error, silent=silent),
    ]


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
    passes: Passes, row: int, column: int, answers: Sequence[Witness], pair: Pair
) -> Finding | None:
    result = vote(answers, passes.trial.relative)
    name = passes.trial.entry_name(row * passes.trial.size[1] + column)
    told = said([one for one in answers if not np.any(one.silent)], 0)
    for family, mask in culprits(result.against, passes.trial.reached[[row]]):
        if not mask.any():
            continue
        if family in (NUMERIC, FORWARD) and _nearly(answers, family, passes.trial.relative):
            return Finding(f"{name}: {told}: {LAST_DIGITS}", "undecided")
        if family == FORWARD and not passes.trial.custom:
            told += ": torch's own forward formula is wrong, and differences are too rough"
            return Finding(f"{name}: {told}", "undecided")
        named = _named(pair, family, passes.trial.inputs)
        remark = f" ({named})" if named else ""
        text = f"{name}: {told}: {family.conclusion}{remark}"
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


def _beyond_entries(passes: Passes, asked: Probes, pair: Pair, at: int) -> Finding:
    """Say what it is when every single entry is right: not linear, or not to be found."""
    v, grad = asked.v[pair.probe], asked.grads[pair.probe]
    w = v * np.resize([-2, 0.25], v.size)
    parts, whole = grad + passes.gradient(w), passes.gradient(v + w)
    linear = abs(whole - parts) <= most_rounding(passes.trial.relative) * abs(parts).max()
    name = passes.trial.x_name("x.grad", at) if pair.side == "x" else pair.what
    told = said([pair.a, pair.b], at)
    if linear.all():
        return Finding(f"{name}: {told}: no single entry that differs was found", "undecided")
    conclusion = f"{BACKWARD.conclusion} (not linear in v)"
    return Finding(f"{name}: {told}: {conclusion}", "wrong", BACKWARD.culprit)
