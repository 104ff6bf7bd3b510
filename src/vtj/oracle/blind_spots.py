"""What differences cannot see, and exact derivatives pass by."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vtj.engines.numeric import SAFETY
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Witness, distance, finite

# Of the size of x: so near a derivative is looked at beside a suspected kink, and may be another
# by that part of the gap. With 1e-3, or 1e-4 for the second, "kinks that cancel, on a curve" (in
# tests/) would be called wrong.
NEARBY = 1e-6
CURVED = 0.01
BETWEEN = 2.0**-30  # of the size of x: so little moves it from no leap to the next
# To either side of a kink: with 1 the right drawn function 2583 (in tests/) would be called wrong.
POINTS = 4
# A slope that may be rounded away where y is 0 over every step: in
# hardswish(log_softmax(softplus(x))) at [1.3, 50, -2.5] y[1] is 0, its slope -3e-22 by backward,
# and without this a detached path would be seen there; and by `certify` in the drawn function 225.
ROUNDED_AWAY = 1e-9
UNSEEN = "a detached path would not show"


def least_visible_slope(trial: Trial, slopes: Array, where_zero: float = 0.0) -> Array:
    """Return how small a slope may be that rounding inside `f` makes exactly zero.

    Where `y` is zero, so that its size says nothing, that is `where_zero` at least.
    """
    largest = float(abs(trial.y_vector).max(initial=0))
    x = abs(trial.x_vector)
    step = np.where((x > 0) & (x < 1), x, 1.0)
    step = step if slopes.ndim == 2 else step.min(initial=1)
    y = trial.y_vector.reshape((-1,) + (1,) * (slopes.ndim - 1))
    # a slope of 4e-14 of sqrt(1 + layer_norm(x)²) at [1e-8, 8e-3, -218] is flat to differences
    least = 4 * trial.eps * largest / step + np.where(y == 0, where_zero, 0.0)
    return np.where(slopes == 0, least, 0.0)


def cancelling_kinks(
    trial: Trial, backward: Witness | None, numeric: Witness, gradient: Callable[[Trial], Array]
) -> Mask:
    """Return where kinks inside `f` meet, so that what torch chose at `x` is not the slope.

    Derivatives nearby are the slope then: ``relu(x) - relu(-x)`` at 0 has the slope 1, and torch
    gives 0. The slope may have a kink itself. Or derivatives nearby are other ones on every side,
    and so they stay close by, as of eigenvalues that meet: along each element of `x` there may be
    no kink. `gradient` is what backward gives at another point.
    """
    found = np.zeros(numeric.value.shape, bool)
    if backward is None or not (suspects := distance(backward, numeric, trial.relative) > 1).any():
        return found
    reach = SAFETY * np.asarray(numeric.error)  # at a kink, to the slope on either side
    gap = abs(backward.value - numeric.value)
    x, generator = trial.x_vector, np.random.default_rng(trial.seed)
    # a custom Function may have made the jump itself; and where differences see a kink, it is that
    may_jump = suspects & (reach <= VISIBLE * gap) & np.logical_not(trial.custom)
    jumps = np.zeros(gap.shape, int)
    for _ in range(POINTS):
        step = NEARBY * trial.x_size * generator.uniform(-1, 1, x.size)
        near = gradient(replace(trial, x=trial.at(x + step)))
        found |= abs(near - numeric.value) <= CURVED * gap + reach
        if may_jump.any():
            nearer = gradient(replace(trial, x=trial.at(x + step / 16)))
            jump = abs(nearer - backward.value)
            jumps += (jump > VISIBLE * gap) & (abs(near - nearer) <= CURVED * jump)
    # with 4 of 4 one entry of the norm of order -2 of 3 by 3 zeros (in tests/) is a detached path
    return np.asarray((suspects & found) | (may_jump & (jumps >= POINTS - 1)))


def possibly_detached(trial: Trial, slopes: Array, numeric: Witness | None, size: Array) -> Mask:
    """Return where a slope that autograd does not see could be as large as all it does see.

    Backward and forward formulas both pass by what is detached. So where the differences are
    silent, the two agree on nothing if autograd sees no way from `x` to `y` at all; and if it sees
    one, on no more than the differences leave open. `slopes` is a matrix, or J·u as a vector;
    `size` is how far `x` moves for a slope of 1, by column.
    """
    cut = ~trial.reached
    rows = np.broadcast_to(cut[:, None] if slopes.ndim == 2 else cut, slopes.shape)
    if numeric is None:
        return rows.copy()
    silent = np.broadcast_to(numeric.silent, slopes.shape)
    if not silent.any():
        return np.zeros(slopes.shape, bool)
    x, y = (finite(part).max(initial=0) for part in (trial.x_vector, trial.y_vector))
    # without the terms the right drawn functions 1107 and 2797 (in tests/) would be undecided
    terms = min(trial.terms.max(), max(x, y))
    if not slopes.any() and y == 0:  # without it log(1 + x²) at 0 is undecided
        here = trial.x_vector
        elsewhere = trial.run(here + np.copysign(trial.x_size, here))
        terms = max(terms, float(np.nanmax(abs(elsewhere), initial=0)))
    largest = np.fmax(np.nanmax(abs(slopes), initial=0), terms / size)
    return np.asarray(silent & (rows | ~(SAFETY * np.asarray(numeric.error) <= largest)))


def leaps_nearby(trial: Trial, column: int, slopes: Array, gaps: Array) -> Mask:
    """Return in which rows `f` has these slopes close by, though differences are so far off.

    They cross leaps that `f` makes itself, as round does: without it round(x, decimals=2) + sin(x)
    at -87.004947, right before a leap, would be called wrong.
    """
    if not trial.leaps:
        return np.zeros(trial.size[0], bool)
    found = np.ones(trial.size[0], bool)
    for step in (-BETWEEN * trial.x_size[column], BETWEEN * trial.x_size[column]):
        moved = trial.x_vector.copy()
        moved[column] += step
        off = abs(trial.run(moved) - trial.y_vector - slopes * step)
        found = found & (off <= abs(gaps * step) / SAFETY)
    return found
