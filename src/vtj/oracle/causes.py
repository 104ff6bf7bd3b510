"""Which mistake it is, as `certify` sees it: by all entries of a small J, else by products with it.

The words are those of `patterns`, as in a report of `check`.
"""

from collections.abc import Iterator, Mapping
from math import prod

import numpy as np

from vtj.engines import BACKWARD, BY_HAND, FORWARD, NUMERIC, Family
from vtj.oracle.pairs import Pair, Probes, pairs
from vtj.oracle.patterns import (
    CONJUGATE,
    CONSTANT,
    FACTOR,
    NOT_CONJUGATED,
    NOT_OF_V,
    OF_SUM,
    OPPOSITE,
    SINGLE,
    TRANSPOSED,
    ZERO,
    alternating,
    conjugation,
    detached,
    explained,
    factor,
    pattern,
    these_transposed,
    turns,
)
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Witness, distance, unnamed
from vtj.oracle.witnesses import failure

# Calls of `f` for all entries of J. With more, a *wrong* of 8 rows and 10 columns takes over 100.
FEW_CALLS = 30
# How likely a product may come by chance so near to what another mistake would make of it.
BY_CHANCE = 1e-6


def named(
    asked: Probes, pair: Pair, family: Family, said: Mapping[str, Witness], at: int
) -> tuple[str, str | None]:
    """Name the mistake of who is at fault, and count the entries of J in which it is.

    The name is empty, and the count None, where it is not known. `said` is what everybody says of
    one of these, that `at`.
    """
    if told := _of_all_entries(asked, family, said, at):
        return told
    if family == NUMERIC:
        seen = [said[one.name] for one in (BACKWARD, FORWARD) if one.name in said]
        zero = not asked.grads.any() and not any(one.value.any() for one in seen)
        return detached(zero, FORWARD.name in said), None
    if family == FORWARD:
        return "", None
    if asked.J is not None:
        return _beside_a_jacobian(asked, pair, family), None
    return next(_of_products(asked, said, at), "") or constant(asked.trial), None


def _of_all_entries(
    asked: Probes, family: Family, said: Mapping[str, Witness], at: int
) -> tuple[str, str] | None:
    """Look at all entries; None where they are many, or do not show what was found at one."""
    trial, passes = asked.trial, asked.passes
    tangents = FORWARD.name in said and family in (FORWARD, NUMERIC)
    differences = family == NUMERIC or (asked.J is None and family == BACKWARD)
    if trial.size[0] + trial.size[1] * (tangents + 2 * differences) > FEW_CALLS:
        return None
    columns = np.eye(trial.size[1])
    rows = np.eye(trial.size[0])
    outcomes = list(map(passes.in_one_run(), rows))
    if any(failure(one) for one in outcomes):
        return None
    found = {BACKWARD.name: np.stack([trial.gradient(one.grad) for one in outcomes])}
    if tangents:
        found[FORWARD.name] = np.stack([passes.forward(u) for u in columns], axis=1)
    if asked.J is not None:
        found[BY_HAND.name] = np.stack([asked.J.right(u) for u in columns], axis=1)
    if differences:
        right = _by_differences(asked, said[NUMERIC.name], at)
    else:
        right = unnamed(found[BY_HAND.name if family == BACKWARD else BACKWARD.name])
    if not np.isfinite(right.value).all():
        return None
    least = trial.earned * abs(right.value).max(initial=0)  # rounding is no mistake
    right = unnamed(right.value, right.error + least)
    accused = unnamed(found[BACKWARD.name if family == NUMERIC else family.name])
    differs = distance(accused, right, trial.relative) > 1
    if not differs.flat[at]:
        return None
    # where the two agree, it is the exact one that is agreed on
    agreed = unnamed(np.where(differs, right.value, accused.value), right.error)
    remarks = explained(family, found, agreed, differs, trial.inputs)
    return beside_v(trial, family, found, remarks)


def constant(trial: Trial) -> str:
    """Say so where backward adds what does not depend on `v`."""
    left = trial.vjp(np.zeros(trial.size[0]))
    return CONSTANT if np.isfinite(left).all() and left.any() else ""  # v / v.norm() leaves nan


def beside_v(
    trial: Trial, family: Family, found: Mapping[str, Array], remarks: tuple[str, str]
) -> tuple[str, str]:
    """Return remarks that say how backward depends on `v`, which its rows of J do not show.

    Each is from a single 1 in `v`: they are the same where it depends on no `v`, or on its sum.
    """
    what, where = remarks
    if family == BACKWARD and not what and ":" not in where:  # no input has a mistake of its own
        return constant(trial), where
    if family != BACKWARD or all(NOT_OF_V not in one for one in remarks):
        return remarks
    J = found[BACKWARD.name]  # noqa: N806 - J is the term
    same = (J[0] == J).all(axis=0)
    of_two = trial.vjp(2 * np.eye(len(J))[0])
    if not np.allclose(of_two[same], 2 * J[0, same], atol=0):
        return remarks
    what, where = (one.replace(NOT_OF_V, OF_SUM) for one in remarks)
    return what, where


def _by_differences(asked: Probes, known: Witness, at: int) -> Witness:
    """Return J by one central difference for each column; it is that far off at a `known` entry."""
    trial, passes = asked.trial, asked.passes
    part = trial.eps ** (1 / 3)  # what a wider step misses and what rounding leaves are alike then
    columns = np.eye(trial.size[1])
    steps = part * np.array([passes.reach(u) for u in columns])
    plus, minus = (
        np.stack([passes.along(u)(side * h) for u, h in zip(columns, steps, strict=True)], axis=1)
        for side in (1, -1)
    )
    value, here = (plus - minus) / (2 * steps), trial.y_vector[:, None]
    # at a kink, and where there is noise, the slopes on both sides are others: x.relu() at 0 would
    # be counted with the entries that are wrong
    jump = abs(plus + minus - 2 * here) / steps
    rounding = trial.eps * np.maximum(abs(here), trial.terms[:, None]) / steps
    error = rounding + part**2 * abs(value) + abs(value.flat[at] - known.value[0])
    return unnamed(value, error + np.where(jump > VISIBLE * abs(value) + rounding, jump, 0))


def _beside_a_jacobian(asked: Probes, pair: Pair, family: Family) -> str:
    """Name the mistake where both sides of it are known: vᵀ·J by hand, and `x.grad`."""
    if pair.side != "x":
        return ""
    sides = (pair.a.value, pair.b.value) if family == BY_HAND else (pair.b.value, pair.a.value)
    if known := pattern(*sides, pair.apart > 1, inputs=asked.trial.inputs):
        return known
    assert asked.J is not None
    if asked.trial.size[0] == asked.trial.size[1]:
        other = asked.J.right(asked.v[pair.probe])
        if np.allclose(other, pair.b.value, rtol=1e-6, atol=1e-9 * abs(other).max(initial=0)):
            return TRANSPOSED
    return ""


def _of_products(asked: Probes, said: Mapping[str, Witness], at: int) -> Iterator[str]:
    """Yield mistakes that explain ⟨x.grad, u⟩ for every `v`, beside what it should be."""
    trial, passes, grads, u = asked.trial, asked.passes, asked.grads, asked.u
    should = next(one.b.value for one in pairs(asked) if one.side == "number")
    gaps = abs(grads @ u - should)
    near = BY_CHANCE ** (1 / len(gaps)) * gaps

    def fits(by: Array, of: Array = should) -> bool:
        return bool((abs(by - of) <= near).all())

    def slopes(along: Array) -> Array:
        return passes.difference(along, trial.eps ** (1 / 3))

    zero = (grads == 0).all(axis=0)
    if zero.all():
        yield ZERO
    elif zero.any():
        others = np.where(zero, 0, u)
        if fits(grads @ others, asked.v @ slopes(others)):
            yield ZERO
    if any(trial.x_pairs):
        signs, rows = conjugation(trial.inputs), alternating(trial.size[0])
        if fits(grads * signs @ u):
            yield CONJUGATE
        if fits(asked.v * rows @ slopes(signs * u), grads @ u):
            yield NOT_CONJUGATED
    if fits(-grads @ u):
        yield OPPOSITE
    if trial.size[0] == trial.size[1] > 1:
        # one after the other: mostly the first tells that it is not so
        off = (abs(u @ slopes(v) - grad @ u) for v, grad in zip(asked.v, grads, strict=True))
        if all(by <= limit for by, limit in zip(off, near, strict=True)):
            yield TRANSPOSED
    for names, there in turns(trial.inputs):
        if fits(grads[:, there] @ u):
            yield these_transposed(names)
    mine, right = (said[one.name].value[0] for one in (BACKWARD, NUMERIC))
    if right and mine != right and fits(grads @ u * (right / mine)):
        yield factor(mine / right)
    yield from _of_one_input(asked, mine, right, at, near)
    single = grads.astype(np.float32)
    if (grads == single).all() and abs(mine - right) <= 2e-6 * abs(right):
        yield SINGLE


def _of_one_input(asked: Probes, mine: float, right: float, at: int, near: Array) -> Iterator[str]:
    """Yield mistakes in the gradient of one input that explain the same, as of an only input."""
    trial, passes, grads, u = asked.trial, asked.passes, asked.grads, asked.u
    stops = np.cumsum([prod(part.shape) for part in trial.inputs])
    k = int(np.searchsorted(stops, at % trial.size[1], side="right"))
    of = np.s_[int(stops[k]) - prod(trial.inputs[k].shape) : int(stops[k])]
    should = next(one.b.value for one in pairs(asked) if one.side == "number")
    mistaken, others = grads[:, of] @ u[of], grads @ u - grads[:, of] @ u[of]
    if mine and right and (abs(others + right / mine * mistaken - should) <= near).all():
        opposite = abs(mine + right) <= 1e-6 * abs(right)
        yield OPPOSITE if opposite else f"{factor(mine / right)} in these entries"
    if len(trial.inputs) > 1 and trial.size[0] == len(u[of]) > 1:
        for v, by, limit in zip(asked.v, mistaken, near, strict=True):
            along = np.zeros(trial.size[1])
            along[of] = v
            if not abs(u[of] @ passes.difference(along, trial.eps ** (1 / 3)) - by) <= limit:
                return
        yield FACTOR
