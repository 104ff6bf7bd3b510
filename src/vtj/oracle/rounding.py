"""How far exact values may be off: what rounding alone does to J and to `x.grad`."""

from collections.abc import Callable, Sequence

import numpy as np

from vtj.calling.tensors import Tensors, fresh_leaves, like, shaped_like, values
from vtj.engines import ENGINES
from vtj.oracle.noise import finest_noise, noise_at_all_scales, noise_at_fine_scales
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Witness, distance
from vtj.oracle.witnesses import matrix

MOST_ROUNDING = 100  # times the relative tolerance: more than that is a mistake, not rounding


def excuses(trial: Trial, exact: Sequence[Witness], apart: Mask, seed: int) -> Array:
    """Give how far exact values of J may be off, as far as it takes to excuse what is apart.

    Args:
        trial: What `try_out` gave.
        exact: Witnesses to J that are not differences.
        apart: Where two of them are further apart than the tolerance.
        seed: Fixes where `x` is moved to.
    """
    known = [one.name for one in exact if one.family in ("backward", "forward")]
    engines = [name for name in ("reverse", "forward") if name in known] or ["reverse"]
    terms = size_of_terms(trial, seed)[:, None]
    size = np.max([abs(one.value) for one in exact], axis=0)
    scale = np.maximum(size.max(axis=1, keepdims=True, initial=0), terms / _not_zero(trial))
    limit = _most(trial) * scale
    negligible = last_digits(trial, terms)
    rounding = np.where(size <= negligible, negligible, 0)
    gap = np.max([abs(a.value - b.value) for a in exact for b in exact], axis=0)
    for thorough in (False, True):
        if (apart & (gap > rounding) & (gap <= 10 * limit)).any():
            measured = measured_rounding(trial, engines, seed, thorough=thorough)
            rounding = np.maximum(rounding, np.fmin(measured, limit))
    return np.asarray(rounding)


def measured_rounding(
    trial: Trial, engines: Sequence[str], seed: int, *, thorough: bool = True
) -> Array:
    """Give the rounding noise of J, the largest of some engines, seen as `x` moves a little.

    Args:
        trial: What `try_out` gave.
        engines: Keys of `ENGINES`.
        seed: Fixes where `x` is moved to.
        thorough: Whether it is moved at every scale.

    Example:
        >>> import torch
        >>> from vtj.oracle.trial import try_out
        >>> trial = try_out(lambda x: x.softmax(0).sum(), torch.tensor([0.5, 2.0]))
        >>> bool((measured_rounding(trial, ["reverse"], seed=0) < 1e-15).all())
        True
    """

    def jacobians_at(x: Tensors, _: Array) -> Array:
        return np.stack([matrix(trial, ENGINES[name](trial.f, x)) for name in engines])

    along, least = _line(trial, jacobians_at, np.zeros(0), seed)
    noise = noise_at_all_scales if thorough else noise_at_fine_scales
    return np.asarray(noise(along, least).max(axis=0))


def gradient_rounding(
    trial: Trial, gradient_at: Callable[[Tensors, Array], Array], weights: Array, seed: int
) -> Array:
    """Give the rounding noise of `x.grad`, seen as `x` and `v` move a little.

    Args:
        trial: What `try_out` gave.
        gradient_at: What ``y.backward(v)`` leaves in `.grad` at another `x`, for another `v`.
        weights: The `v` in question, as a vector.
        seed: Fixes the direction they move in.
    """
    here = abs(gradient_at(trial.x, weights))
    terms = np.asarray(abs(weights) @ size_of_terms(trial, seed))
    limit = _most(trial) * np.maximum(here.max(initial=0), terms / _not_zero(trial))
    negligible = last_digits(trial, terms)
    noise = np.fmin(noise_at_all_scales(*_line(trial, gradient_at, weights, seed)), limit)
    return np.asarray(noise + np.where(here <= negligible, negligible, 0))


def noise_of_values(trial: Trial, seed: int) -> Array:
    """Give the rounding noise of `f`'s values, seen as `x` moves a little.

    Example:
        >>> import torch
        >>> from vtj.oracle.trial import try_out
        >>> x = torch.tensor([-3.0, 50.0])
        >>> trial = try_out(lambda x: torch.sin(1e-6 * torch.erf(x)).sum(), x)
        >>> noise = noise_of_values(trial, seed=0)  # the terms are 1e-6, and cancel to 2e-11
        >>> bool(noise > 1e-23), bool(noise > 1e-20)
        (True, False)
    """
    return noise_at_all_scales(*_line(trial, _values_at(trial), np.zeros(0), seed))


def size_of_terms(trial: Trial, seed: int) -> Array:
    """Give the size of `y`, or where it is a small remainder, of what went into it.

    Rounding tells: it is that of the terms, whatever is left of them.

    Example:
        >>> import torch
        >>> from vtj.oracle.trial import try_out
        >>> trial = try_out(lambda x: x - x.exp().log(), torch.tensor([0.7]))
        >>> bool(abs(trial.y[0]) < 1e-15), bool(size_of_terms(trial, seed=0) > 0.1)
        (True, True)
    """
    along, least = _line(trial, _values_at(trial), np.zeros(0), seed)
    size = abs(values(trial.y))
    return np.maximum(size, finest_noise(along, least) / trial.eps)


def last_digits(trial: Trial, terms: Array) -> Array:
    """Give slopes so small that `x`, moved by 1, changes only the last digits of what is added up.

    Args:
        trial: What `try_out` gave.
        terms: The size of what is added up.
    """
    shape = np.broadcast_shapes(np.shape(terms), (trial.size[1],))
    return np.broadcast_to(4 * trial.eps * terms, shape)


def _values_at(trial: Trial) -> Callable[[Tensors, Array], Array]:
    return lambda x, _: values(trial.f(*fresh_leaves(x)))


def _line(
    trial: Trial, at: Callable[[Tensors, Array], Array], weights: Array, seed: int
) -> tuple[Callable[[float], Array], float]:
    """Give what comes of `x` along a random line, and the smallest step along it."""
    generator = np.random.default_rng(seed)
    x = values(trial.parts)
    towards = np.where(x == 0, 1, x) * generator.uniform(0.5, 1, x.size)
    turning = weights * generator.uniform(0.5, 1, weights.size)

    def along(t: float) -> Array:
        moved = like(shaped_like(x + t * towards, trial.parts), trial.x)
        return at(moved, weights + t * turning)

    return along, 8 * trial.eps


def _most(trial: Trial) -> float:
    return min(MOST_ROUNDING * trial.relative, 0.1)


def _not_zero(trial: Trial) -> Array:
    return np.maximum(abs(values(trial.parts)), 1e-100)


def disputed(exact: Sequence[Witness], relative: float) -> Mask:
    """Say where two exact values are further apart than the tolerance.

    Args:
        exact: Witnesses to J that are not differences.
        relative: One of `vtj.oracle.tolerance.RELATIVE`.
    """
    found = np.zeros(exact[0].value.shape, bool)
    for i, a in enumerate(exact):
        for b in exact[:i]:
            found |= distance(a, b, relative) > 1
    return found
