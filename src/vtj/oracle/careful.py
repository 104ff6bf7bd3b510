"""Differences repeated with care, before they accuse anybody."""

from collections.abc import Callable

import numpy as np

from vtj.engines.numeric import (
    CLOSE,
    EPS,
    Slopes,
    choose,
    derivative,
    first_step,
    lasting,
    no_kink,
)
from vtj.oracle.noise import FINE, MARGIN, left_over, measured_noise
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.voting import Array, Mask

FINER = (2.0**-24, 2.0**-34, 2.0**-44)
STRETCH = 0.7  # shares no step with powers of two


def careful_column(
    g: Callable[[float], Array], here: Array, at: float, eps: float, *, noise: Array
) -> Slopes:
    """Give one column of J with care; as `how` of `vtj.engines.numeric.estimate`."""
    rounding = EPS * abs(at)
    return careful(g, here, first_step(at), abs(at) or 1.0, eps, rounding=rounding, noise=noise)


def careful(
    g: Callable[[float], Array],
    here: Array,
    first: float,
    size: float,
    eps: float,
    *,
    rounding: float = 0.0,
    noise: float | Array = 0.0,
) -> Slopes:
    """Give g'(0) with the noise of `g` measured, from three families of steps.

    Two estimates begin with large steps that have none in common. A third looks only close by;
    where it contradicts them it wins, since a derivative is what happens close by.

    Args:
        g: A function from a number to a vector.
        here: g(0).
        first: The largest step tried.
        size: The step that moves `x` by its own size.
        eps: The relative rounding error of `g`'s values, at least.
        rounding: The absolute rounding error of `g`'s argument.
        noise: The absolute error of `g`'s values, at least.

    Example:
        >>> def late(t):  # flat from 0.1 on, as a coarse step sees it
        ...     return np.array([min(3 * t, 0.3) if t > -0.1 else 0.3])
        >>> careful(late, np.zeros(1), 1.0, 1.0, 2e-16).value.tolist()
        [3.0]
    """
    noise = noise + MARGIN * np.fmax(*(measured_noise(g, step * size) for step in FINE))
    coarse = derivative(g, here, first, eps, noise=noise, rounding=rounding)
    other = derivative(g, here, STRETCH * first, eps, noise=noise, rounding=rounding)
    gap = abs(coarse.value - other.value)
    doubt = coarse.error + other.error
    error = np.where(gap <= SAFETY * doubt, coarse.error, gap)
    kept = abs(coarse.jump - other.jump) <= 0.05 * abs(coarse.jump) + 8 * doubt
    jump = np.where(kept & (other.jump != 0), coarse.jump, 0.0)
    local, settled = _close_by(g, here, CLOSE * first, eps, noise, rounding)
    jump = np.where(no_kink(jump, local), 0.0, jump)
    agree = abs(coarse.value - local.value) <= SAFETY * (error + local.error)
    keep = agree & (error <= local.error) & settled & (local.jump == 0)
    best = choose(keep, Slopes(coarse.value, error, jump), local)
    for step in FINER:
        # what looks like noise from afar may be a fast wave: close enough it is a steep slope
        fine, resolved = _close_by(g, here, step * first, eps, None, rounding)
        steep = abs(fine.value) > 2 * (abs(best.value) + SAFETY * best.error)
        wave = resolved & steep & (abs(fine.value) > 100 * fine.error)
        best = choose(~wave, best, fine)
    return best


def _close_by(
    g: Callable[[float], Array],
    here: Array,
    first: float,
    eps: float,
    noise: Array | None,
    rounding: float,
) -> tuple[Slopes, Mask]:
    """Give slope and jump from three small steps, and where these steps are small enough.

    The error is all they disagree by. Without a `noise` that of the values seen here counts.
    """
    quarters = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
    seen = {part: here if part == 0 else g(part * first) for part in quarters}
    if noise is None:
        noise = MARGIN * left_over(np.stack(list(seen.values())), 6)
    slopes, jumps = [], []
    for part in (1.0, 0.5, 0.25):
        plus, minus, step = seen[part], seen[-part], part * first
        slopes.append((plus - minus) / (2 * step))
        jumps.append((plus + minus - 2 * here) / step)
        value = noise + eps * np.maximum(abs(plus), abs(minus))
        floor = (value + rounding * abs(slopes[-1])) / step
    spread = np.ptp(slopes, axis=0)
    jump = lasting(jumps, slopes[-1], spread + floor)
    settled = spread <= 0.01 * abs(slopes[-1]) + 10 * floor
    return Slopes(slopes[-1], spread + floor, jump), settled
