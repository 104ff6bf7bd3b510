"""Values of formulas in float64, and when two values count as the same."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from vtj.engines.symbolic.operations import Formulas


def _clamped(a: float, low: float, high: float) -> float:
    return min(max(a, low), high)


NUMERIC = {
    "Clamped": _clamped,
    "ClampedByTensors": _clamped,
    "Largest": max,
    "Magnitude": abs,
    "Relu": lambda a: max(a, 0.0),
    "Sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "Smallest": min,
    "erf": math.erf,
}


def evaluate(formulas: Formulas, point: Mapping[Any, float]) -> NDArray[np.float64]:
    """Return the values of formulas where the symbols have the values of `point`."""
    run = sympy.lambdify(list(point), list(formulas.ravel()), [NUMERIC, "numpy"], cse=True)
    with np.errstate(all="ignore"):
        values = run(*(np.float64(value) for value in point.values()))
    return np.array(values, dtype=np.float64).reshape(formulas.shape)


def agreeing(
    a: NDArray[np.float64], b: NDArray[np.float64], eps: float, size: float
) -> NDArray[np.bool_]:
    """Say of each pair whether it agrees, given the rounding of what made `b`.

    A pair may differ by eps^(2/3) of its own size (3.7e-11 in float64: room for the rounding of
    some hundred operations, far below what a forgotten term leaves), or by what rounding leaves
    where terms as large as `size`, or as the largest value, cancel.
    """
    scale = np.maximum(np.abs(a), np.abs(b))
    finite = np.isfinite(a) & np.isfinite(b)
    largest = max(size, float(np.max(scale, where=finite, initial=0.0)))
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= eps ** (2 / 3) * scale + 64 * eps * largest
    return np.asarray((a == b) | (finite & near) | (np.isnan(a) & np.isnan(b)))


def close(a: NDArray[np.float64], b: NDArray[np.float64], eps: float, size: float) -> bool:
    """Return whether all pairs agree."""
    return bool(np.all(agreeing(a, b, eps, size)))
