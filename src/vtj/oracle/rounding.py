"""Rounding error bounds: how far exact values of J and of `x.grad` may be off."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_tuple, graph_of, like
from vtj.engines import BACKWARD, ENGINES, FORWARD
from vtj.engines.numeric import SAFETY
from vtj.oracle.findings import INSIDE
from vtj.oracle.tolerance import RELATIVE, most_rounding
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Witness, distance, one_per_family

SAMPLES = 4  # of what rounding does; with 1, a sine is undecided that is off by a random 1e-3
# So many where they may explain what accuses else: with 4 alone a right softmax of 4 by 32 whose
# inside is float32 (in tests/) is wrong where `v` is not contiguous.
MORE_SAMPLES = 16


def rounding_error_bound(trial: Trial, exact: Sequence[Witness]) -> Array:
    """Return how far exact values of J may be off by rounding, 0 where they differ by more."""
    engines = _cheapest(trial, exact)
    size = np.max([abs(one.value) for one in exact], axis=0)
    negligible = negligible_slopes(trial, trial.terms[:, None])
    least = np.where(size <= negligible, negligible, 0)
    measured = measured_rounding(trial, engines)
    rounding = measured + _absorbed_in_rows(trial, exact) + least
    # two values that are both off by that agree so far; counted where they lie further apart, it
    # would have another entry of torch.cdist named than the first that torch's vmap rule has wrong
    gap = np.max([abs(a.value - b.value) for a in exact for b in exact], axis=0)
    return np.where(gap <= 2 * SAFETY * rounding, rounding, 0.0)


def _cheapest(trial: Trial, exact: Sequence[Witness]) -> list[str]:
    """Return an engine of each family that follows autograd: one that batches, if it agrees.

    A witness that is silent agrees. Where none of them gave J, it is "reverse".
    """
    known = {one.name: one for one in exact}
    # column by column, a GRU's 174 elements (of `nox -s wild`) take 18 s, and 6 s with this
    chosen = dict[str, str]()
    for name, engine in ENGINES.items():
        if name in known and engine.family.autograd:
            plain = chosen.setdefault(engine.family.name, name)
            if (distance(known[plain], known[name], trial.relative) <= 1).all():
                chosen[engine.family.name] = name
    return list(chosen.values()) or ["reverse"]


def _absorbed_in_rows(trial: Trial, exact: Sequence[Witness]) -> Array:
    """Return what `_absorbed` finds, for the rows in which backward and forward passes differ.

    Without it the right drawn function 123536 (in tests/) would be called wrong.
    """
    speakers = one_per_family(exact)
    backward, forward = speakers.get(BACKWARD.name), speakers.get(FORWARD.name)
    if backward is None or forward is None:
        return np.zeros(trial.size)
    rows = (distance(backward, forward, trial.relative) > 1).any(axis=1, keepdims=True)
    if not rows.any():
        return np.zeros(trial.size)

    def jacobian_of(f: Function) -> Array:
        return trial.matrix(ENGINES["reverse"](f, trial.x))

    return np.where(rows, _absorbed(trial, jacobian_of, jacobian_of(trial.f)), 0.0)


def measured_rounding(trial: Trial, engines: Sequence[str]) -> Array:
    """Return the rounding noise of J, the largest of some engines.

    `x` and `y` are scaled by random factors that J is divided by again. Nothing changes by that
    except in the last digits.
    """
    spread = np.zeros(trial.size)
    factors = np.random.default_rng(trial.seed).uniform(1, 2, (SAMPLES, 2)).tolist()
    for name in engines:
        first = trial.matrix(ENGINES[name](trial.f, trial.x))
        for by_x, by_y in factors:
            z = like(tuple(part / by_x for part in trial.parts), trial.x)
            scaled = trial.matrix(ENGINES[name](_scaled(trial, by_x, by_y), z))
            spread = np.fmax(spread, abs(scaled / (by_x * by_y) - first))
    return spread


def lost_in_rows(trial: Trial, v: Array, jacobian: Array) -> Array:
    """Return how far vᵀ·J may be off by the rounding of the rows of J, which backward gave.

    Without it a right attention (in tests/) whose softmax is all but one at one place is called not
    linear in v, for 6 of 80 draws: what is left of its weights' gradient differs in 1e-8 of it.
    """
    spread = abs(v) @ measured_rounding(trial, ["reverse"])
    largest = abs(v) @ abs(jacobian).max(axis=1, initial=0)
    return np.asarray(np.fmin(spread, _most(trial, v, largest)))


def _most(trial: Trial, v: Array, largest: float) -> Array:
    """Return how much may be rounding, beside the largest value and the noise of `f`.

    Without a limit a sine would be correct whose backward is off by a random 1e-8; with one of the
    slope alone the right drawn functions 2797 and 6737 (in tests/) would be called wrong.
    """
    noise = abs(v) @ trial.noise
    most = most_rounding(trial.earned) * np.maximum(largest, noise / trial.eps / trial.x_size)
    return np.asarray(most)


def _scaled(trial: Trial, by_x: float, by_y: float) -> Function:
    def scaled(*z: Tensor) -> Tensors:
        y = trial.f(*(by_x * part for part in z))
        made: Tensors = tuple(by_y * part for part in y) if trial.y_tuple else by_y * y
        return made

    return scaled


def gradient_rounding(
    trial: Trial,
    v: Array,
    explains: Callable[[Array], bool],  # whether so much would explain what was found
    gradient: Callable[[Trial, Array], Array] = Trial.vjp,
) -> Array:
    """Return the rounding error bound of `x.grad`: of what goes into it, and on the way.

    The first is seen as `v` is scaled and `x` moves in its last digits. The second leaves no trace
    in the result, as where 1 - 1 + 1e-20 is 0; it is seen as the gradients inside are perturbed.
    What still passes for rounding costs the most, and is asked only where this would explain it.
    """
    first = gradient(trial, v)
    negligible = negligible_slopes(trial, abs(v) @ trial.terms)
    factors = np.random.default_rng(trial.seed).uniform(1, 2, MORE_SAMPLES).tolist()

    def spread_of(some: Sequence[float]) -> Array:
        spread = np.zeros(trial.size[1])
        for factor in some:
            x = like(tuple(part / factor * factor for part in trial.parts), trial.x)
            moved = gradient(replace(trial, x=x), factor * v) / factor
            spread = np.fmax(spread, abs(moved - first))
        return spread

    spread = spread_of(factors[:SAMPLES])
    lost = _absorbed(trial, lambda f: gradient(replace(trial, f=f), v), first)
    lost += np.where(abs(first) <= negligible, negligible, 0)
    if not explains(spread + lost) and explains(MORE_SAMPLES * spread + lost):
        spread = np.fmax(spread, spread_of(factors[SAMPLES:]))
    if not explains(spread + lost):
        return spread + lost
    largest = float(abs(first).max(initial=0))
    # doubled exactly, so where this is off by as much the backward is not linear in v, and the
    # noise of f is not asked: v * cos(x) + 0.1 takes `certify` 143 calls with it
    not_linear = abs(gradient(trial, 2 * v) / 2 - first)
    least = np.fmin(spread, most_rounding(trial.earned) * largest)
    if explains(not_linear + lost) and not explains(least + lost):
        return least + lost
    return np.asarray(np.fmin(spread, _most(trial, v, largest)) + lost)


def rounded_inside(trial: Trial, accused: Array, right: Array, error: Array) -> bool:
    """Return whether a few roundings of what is hidden in `f` are all that entries of J are off by.

    Or what differences take for a kink is a stair of these roundings, by which they are off
    themselves: else a right sine of 1e3 x in float32 (in tests/) is wrong to `certify` for some x.
    """
    if not trial.custom or trial.inside == trial.dtype:
        return False
    few = INSIDE * torch.finfo(trial.inside).eps * abs(right)
    stair = (right != 0) & (SAFETY * error > abs(right))
    return bool((stair | (abs(accused - right) <= few)).all())


def only_rounding(trial: Trial, v: Array, grad: Array, gap: Array) -> bool:
    """Return whether a custom backward, which seems not linear in `v`, may only round so far.

    What rounds is exact for `v` doubled, whatever dtype it rounds to, and is off by as much for
    other factors, unless it is lost beside `y`. It leaves nothing correct: of y * (v - v @ y), the
    backward of a softmax (in tests/), no digit may be left.
    """
    if not trial.custom:
        return False
    relative, of_y = RELATIVE[trial.inside], abs(v) @ abs(trial.y_vector)
    # with no limit a sine in float64 (in tests/) would be undecided whose backward rounds v alone
    most = most_rounding(relative) * np.maximum(abs(grad).max(initial=0), of_y / trial.x_size)
    least = torch.finfo(trial.inside).tiny  # what underflows is off by as much
    # with 4 eps in place of that a right softmax of 30 x in float32 (in tests/) would be wrong; in
    # float64 none is needed, and with the tolerance of bfloat16 an entry off by a tenth (in tests/)
    # would be undecided there
    lost = least if trial.inside == torch.float64 else RELATIVE[torch.float32] * of_y
    if (gap > SAFETY * most + lost).any() or (abs(trial.vjp(2 * v) - 2 * grad) > least).any():
        return False
    spread = np.zeros(grad.size)
    for k, factor in enumerate(np.random.default_rng(trial.seed).uniform(1, 2, MORE_SAMPLES)):
        if k == SAMPLES and (gap > SAFETY * MORE_SAMPLES * spread + lost).any():
            return False
        spread = np.fmax(spread, abs(trial.vjp(factor * v) / factor - grad))
    return bool((gap <= SAFETY * spread + lost).all())


def _absorbed(trial: Trial, gradient_of: Callable[[Function], Array], first: Array) -> Array:
    """Return what `x.grad` may miss because it is too small beside other terms on the way.

    What is lost grows with the perturbation, so that of a large one is scaled down. What a backward
    changes from call to call does not grow: with eps itself a sine would be correct whose backward
    is off by a random 1e-8.
    """
    by = trial.eps**0.5
    answers = (gradient_of(perturbed_backward(trial.f, by, trial.seed + k)) for k in range(SAMPLES))
    moved = np.max([abs(answer - first) for answer in answers], axis=0)
    # nan is none, or the right drawn function 5744 (in tests/) would be called wrong
    return np.asarray(np.fmax(moved * trial.eps / by, 0.0))


def perturbed_backward(f: Function, by: float, seed: int) -> Function:
    """Return `f` with a backward in which every gradient on the way is moved by a random little.

    Each element moves by that part of the largest in its tensor: so much may be lost where
    elements are added up.
    """
    generator = torch.Generator().manual_seed(seed)

    def moved(one: Tensor | None) -> Tensor | None:
        if one is None or not one.numel():
            return one
        drawn = torch.rand(one.shape, generator=generator, dtype=torch.float64)
        return one + (by * (2 * drawn - 1)).to(one) * one.abs().max()

    def perturbed(*x: Tensor) -> Any:
        y = f(*x)
        for node in graph_of(as_tuple(y, "y")):
            if node.next_functions:
                node.register_prehook(lambda grads: tuple(moved(one) for one in grads))
        return y

    return perturbed


def negligible_slopes(trial: Trial, terms: Any) -> Any:
    """Return slopes so small that `x`, moved by 1, changes only last digits of what is added up.

    Without them "softmax, far logits" (in tests/) would be called wrong: its slopes of 1e-94 are
    what is left of terms of about 1.
    """
    return 4 * trial.eps * terms
