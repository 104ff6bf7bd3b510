"""Before anyone is accused: is it the differences that err, or rounding?"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vtj.calling.tensors import Tensors, like, shaped_like, values
from vtj.engines import numeric as differences
from vtj.engines.numeric import Slopes
from vtj.engines.reverse import jacobian as reverse
from vtj.oracle.careful import NOISE_STEPS, careful_column, measured_noise
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Witness, distance, one_per_family
from vtj.oracle.witnesses import Heard, by_differences, matrix

NEARBY = 1e-6  # of the size of x: how far away a derivative is looked at beside a suspected kink
MOST_ROUNDING = 100  # times the relative tolerance: more than that is a mistake, not rounding
LOOKS = 4  # and how often


def look_again(trial: Trial, heard: Heard, seed: int) -> Heard:
    """Repeat the differences with other steps, and measure the rounding of the exact engines.

    Only the columns in which somebody disagrees with the differences are repeated, or all where
    they stand alone. Rounding is
    measured only where exact engines lie close together, and yet too far apart.

    Args:
        trial: What `try_out` gave.
        heard: What was said of J.
        seed: Fixes where `x` is moved to.
    """
    speakers = one_per_family(heard.witnesses)
    numeric = speakers.pop("numeric", None)
    exact = list(speakers.values())
    if numeric is not None and heard.slopes is not None:
        apart = [distance(numeric, one, trial.relative) > 1 for one in exact]
        doubted = np.any(apart, axis=0) if exact else np.ones(trial.size, bool)
        columns = np.flatnonzero(doubted.any(axis=0)).tolist()
        if columns:
            heard = _differences_again(trial, heard, numeric, exact, columns, seed)
    if not exact:
        return heard
    limit = _largest_rounding(trial, exact)
    if _close_and_yet_apart(exact, limit, trial.relative):
        rounding = np.minimum(measured_rounding(trial, seed), limit)
        negligible = _last_digits(trial, abs(values(trial.y))[:, None])
        largest = np.max([abs(one.value) for one in exact], axis=0)
        rounding += np.where(largest <= negligible, negligible, 0)
        witnesses = tuple(
            one if one.family == "numeric" else replace(one, error=one.error + rounding)
            for one in heard.witnesses
        )
        heard = replace(heard, witnesses=witnesses)
    return heard


def _differences_again(
    trial: Trial,
    heard: Heard,
    numeric: Witness,
    exact: Sequence[Witness],
    columns: list[int],
    seed: int,
) -> Heard:
    assert heard.slopes is not None
    slopes = _repeated(trial, heard.slopes, columns)
    again = by_differences(trial, slopes)
    again = replace(again, error=again.error + _flattened(trial, again))
    hidden = _hidden_kinks(trial, again, exact, seed)
    again = replace(again, silent=again.silent | hidden)
    witnesses = tuple(again if one is numeric else one for one in heard.witnesses)
    return replace(heard, witnesses=witnesses, slopes=slopes, hidden_kinks=hidden)


def measured_rounding(trial: Trial, seed: int) -> Array:
    """Give the rounding noise of J by reverse mode, seen as `x` moves in its last digits.

    Example:
        >>> import torch
        >>> from vtj.oracle.trial import try_out
        >>> trial = try_out(lambda x: x.softmax(0).sum(), torch.tensor([0.5, 2.0]))
        >>> bool((measured_rounding(trial, seed=0) < 1e-15).all())
        True
    """

    def jacobian_at(x: Tensors, _: Array) -> Array:
        return matrix(trial, reverse(trial.f, x))

    return _noise(trial, jacobian_at, np.zeros(0), seed)


def gradient_rounding(
    trial: Trial, gradient_at: Callable[[Tensors, Array], Array], weights: Array, seed: int
) -> Array:
    """Give the rounding noise of `x.grad`, seen as `x` and `v` move in their last digits.

    Args:
        trial: What `try_out` gave.
        gradient_at: What ``y.backward(v)`` leaves in `.grad` at another `x`, for another `v`.
        weights: The `v` in question, as a vector.
        seed: Fixes the direction they move in.
    """
    here = abs(gradient_at(trial.x, weights))
    y = abs(weights) @ abs(values(trial.y))
    by_scale = y / _not_zero(values(trial.parts))
    limit = min(MOST_ROUNDING * trial.relative, 0.1) * np.maximum(here.max(initial=0), by_scale)
    negligible = _last_digits(trial, y)
    noise = np.fmin(_noise(trial, gradient_at, weights, seed), limit)
    return np.asarray(noise + np.where(here <= negligible, negligible, 0))


def _noise(trial: Trial, at: Callable[[Tensors, Array], Array], weights: Array, seed: int) -> Array:
    """Give what is left of an exact derivative after six differences along a random line.

    The line begins beside `x`, since at `x` itself there may be a kink.
    """
    generator = np.random.default_rng(seed)
    x = values(trial.parts)
    towards = np.where(x == 0, 1, x) * generator.uniform(0.5, 1, x.size)
    turning = weights * generator.uniform(0.5, 1, weights.size)
    step = max(NOISE_STEPS[0], 8 * trial.eps)

    def along(t: float) -> Array:
        moved = like(shaped_like(x + (t + step) * towards, trial.parts), trial.x)
        return at(moved, weights + (t + step) * turning)

    return 3 * measured_noise(along, step)


def _last_digits(trial: Trial, y: Array) -> Array:
    """Give slopes so small that `x`, moved by 1, changes only `y`'s last digits."""
    return np.broadcast_to(4 * trial.eps * y, np.broadcast_shapes(np.shape(y), (trial.size[1],)))


def _not_zero(x: Array) -> Array:
    return np.maximum(abs(x), 1e-100)


def _repeated(trial: Trial, first: Slopes, columns: list[int]) -> Slopes:
    again = differences.estimate(trial.f, trial.x, trial.eps, columns=columns, how=careful_column)
    merged = Slopes(*(field.copy() for field in first))
    for field, new in zip(merged, again, strict=True):
        field[:, columns] = new
    return merged


def _flattened(trial: Trial, numeric: Witness) -> Array:
    """Give how small a slope may be that rounding inside `f` makes exactly zero."""
    least = _last_digits(trial, abs(values(trial.y)).max(initial=0))
    return np.where(numeric.value == 0, least, 0.0)


def _hidden_kinks(trial: Trial, numeric: Witness, exact: Sequence[Witness], seed: int) -> Mask:
    """Find where all derivatives nearby are the slope, but torch chose another at `x` itself.

    It happens where kinks inside `f` cancel: ``relu(x) - relu(-x)`` at 0 has the slope 1, and torch
    gives 0.
    """
    speakers = one_per_family(exact)
    if "backward" not in speakers:
        return np.zeros(trial.size, bool)
    backward = speakers["backward"]
    gap = abs(backward.value - numeric.value)
    suspects = distance(backward, numeric, trial.relative) > 1
    found = np.zeros(trial.size, bool)
    if suspects.any():
        x = values(trial.parts)
        generator = np.random.default_rng(seed)
        for _ in range(LOOKS):
            moved = x + NEARBY * np.where(x == 0, 1, abs(x)) * generator.uniform(-1, 1, x.size)
            nearby = matrix(trial, reverse(trial.f, like(shaped_like(moved, trial.parts), trial.x)))
            found |= suspects & (abs(nearby - numeric.value) <= 0.01 * gap)
    return found


def _largest_rounding(trial: Trial, exact: Sequence[Witness]) -> Array:
    """Give what rounding may explain at most, so that no real mistake hides behind it."""
    size = np.max([abs(one.value) for one in exact], axis=0)
    by_scale = abs(values(trial.y))[:, None] / _not_zero(values(trial.parts))
    scale = np.maximum(size.max(axis=1, keepdims=True, initial=0), by_scale)
    limit: Array = min(MOST_ROUNDING * trial.relative, 0.1) * scale
    return limit


def _close_and_yet_apart(exact: Sequence[Witness], limit: Array, relative: float) -> bool:
    return any(
        bool(((distance(a, b, relative) > 1) & (abs(a.value - b.value) <= SAFETY * limit)).any())
        for i, a in enumerate(exact)
        for b in exact[:i]
    )
