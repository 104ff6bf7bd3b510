"""A few difference quotients, for a derivative that somebody already gives: is it confirmed?"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from vtj.oracle.tolerance import SAFETY
from vtj.oracle.voting import Array

ENOUGH = 1e-10  # relative error at which differences stop
ROUGH = 1e-8  # with more rounding than that, relative to the largest, agreement means little


def confirmed(
    g: Callable[[float], Array],
    expected: Array,
    steps: Sequence[float],
    eps: float,
    *,
    noise: float | Array = 0.0,
    rounding: float = 0.0,
) -> tuple[Array, Array] | None:
    """Give g'(0) and its error where two or three steps confirm what is expected, or else None.

    The error of a central difference is a series in the square of its step, so the slope at step
    zero follows from a few. How far that is off they cannot say themselves, but it is not by chance
    that it agrees with an independent value to ten digits.

    Args:
        g: A function from a number to a vector.
        expected: What g'(0) is said to be.
        steps: The steps; the first so wide that it sees what moves in leaps, as a detached path in
            bfloat16 does, the second the narrowest.
        eps: The relative rounding error of `g`'s values.
        noise: Their absolute error beyond that.
        rounding: The absolute rounding error of `g`'s argument.

    Source:
        L. F. Richardson, Phil. Trans. R. Soc. A 210 (1911), 307-357.

    Example:
        >>> def cube(t):
        ...     return np.array([(2 + t)**3])
        >>> steps = (2.0**-6, 2.0**-10)
        >>> value, error = confirmed(cube, np.array([12.0]), steps, 2e-16)
        >>> value.tolist()
        [12.0]
        >>> confirmed(cube, np.array([12.000001]), steps, 2e-16) is None
        True
    """
    slopes: list[Array] = []
    size, error = abs(expected), np.zeros(expected.shape)
    for step in steps:
        plus, minus = g(step), g(-step)
        slope = plus - minus
        slope /= 2 * step
        slopes.append(slope)
        if len(slopes) == 1:
            continue
        if len(slopes) == 2:
            error = eps * abs(plus)
            error += noise
            error += rounding * size
            error /= step
            if not SAFETY * error.max(initial=0) <= ROUGH * size.max(initial=0) < np.inf:
                return None
            error += ENOUGH / SAFETY * size
        value = _at_zero(steps, slopes)
        if (abs(value - expected) <= SAFETY * error).all():
            return value, error
    return None


def _at_zero(steps: Sequence[float], slopes: Sequence[Array]) -> Array:
    """Give the value at zero of the polynomial in step² through the slopes."""
    squares = [step**2 for step, _ in zip(steps, slopes, strict=False)]
    terms = []
    for square, slope in zip(squares, slopes, strict=True):
        others = (other for other in squares if other != square)
        terms.append(prod(other / (other - square) for other in others) * slope)
    return sum(terms[1:], terms[0])
