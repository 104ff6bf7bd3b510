"""Mistakes people make often, recognized from a wrong and a right matrix."""

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

# the name and shape of every part of x, whose elements are the columns of J
Inputs: TypeAlias = Sequence[tuple[str, tuple[int, ...]]]


def pattern(
    wrong: NDArray[np.float64],  # J as a matrix, or a vector
    right: NDArray[np.float64],
    differs: NDArray[np.bool_],  # by more than the tolerance
    error: NDArray[np.float64] | float = 0.0,  # how far `right` may be off
    inputs: Inputs = (),
) -> str:
    """Name the mistake that turns `right` into `wrong`, or give an empty string.

    Example:
        >>> right = np.array([[1.0, 2.0], [3.0, 4.0]])
        >>> pattern(right.T, right, right.T != right)
        'transposed'
        >>> pattern(2 * right, right, right > 0)
        'the factor 2'
        >>> grad = np.array([1.0, 2.0, 3.0, 4.0])
        >>> pattern(grad[[0, 2, 1, 3]], grad, grad[[0, 2, 1, 3]] != grad, inputs=[("x", (2, 2))])
        'the gradient of x is transposed'
    """
    slack = 1e-6 * np.abs(right) + 4 * np.asarray(error)

    def like(other: NDArray[np.float64]) -> bool:
        return bool((np.abs(wrong - other) <= slack).all())

    if not np.isfinite(wrong).all() or not np.isfinite(right).all():
        return ""
    if (wrong[differs] == 0).all():
        return "a missing term: zero where it should not be"
    if like(np.where(differs, -right, right)):
        return "the opposite sign"
    if right.ndim == 2 and (known := _of_matrix(wrong, right, slack)):
        return known
    if turned := _turned(wrong, right, differs, slack, inputs):
        return turned
    return (
        _factor(wrong[differs], right[differs], bool((right[~differs] == 0).all()))
        or _swapped(wrong, right)
        or _rounded(wrong[differs], right[differs])
        or ("a term too many" if (right[differs] == 0).all() else "")
        or ("a missing term" if (wrong[differs] == 0).any() and right[differs].all() else "")
    )


def _of_matrix(
    wrong: NDArray[np.float64], right: NDArray[np.float64], slack: NDArray[np.float64]
) -> str:
    square = right.shape[0] == right.shape[1]
    if (
        square
        and (np.abs(wrong - right.T) <= slack).all()
        and (np.abs(right - right.T) > slack).any()
    ):
        return "transposed"
    if len(wrong) > 1 and (wrong == wrong[0]).all():
        return "does not depend on v"
    return ""


def _turned(
    wrong: NDArray[np.float64],
    right: NDArray[np.float64],
    differs: NDArray[np.bool_],
    slack: NDArray[np.float64],
    inputs: Inputs,
) -> str:
    """Say which gradients were laid down transposed, where that explains everything."""
    if not inputs:
        return ""
    stops = np.cumsum([prod(shape) for _, shape in inputs])[:-1]
    whole = (wrong, right, differs, slack)
    parts = zip(*(np.split(one, stops, axis=-1) for one in whole), inputs, strict=True)
    names = []
    for mine, other, apart, near, (name, shape) in parts:
        if not apart.any():
            continue
        if len(shape) != 2 or shape[0] != shape[1]:
            return ""
        turned = other.reshape(-1, *shape).swapaxes(1, 2).reshape(other.shape)
        if (np.abs(mine - turned) > near).any():
            return ""
        names.append(name)
    return f"the gradient of {' and of '.join(names)} is transposed"


def _factor(wrong: NDArray[np.float64], right: NDArray[np.float64], everywhere: bool) -> str:
    if (right == 0).any() or (wrong.size == 1 and not everywhere):
        return ""
    ratio = wrong / right
    middle = float(np.median(ratio))
    if not 0 < abs(middle - 1) < 1e100 or np.ptp(ratio) > 0.01 * abs(middle - 1):
        return ""
    digits = min(17, max(3, 2 - int(np.floor(np.log10(abs(middle - 1))))))
    where = "" if everywhere else " in these entries"
    return f"the factor {middle:.{digits}g}{where}"


def _swapped(wrong: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    if right.ndim != 2 or max(right.shape) > 64:
        return ""
    for axis, name in ((0, "y"), (1, "x")):
        for a, b in combinations(range(right.shape[axis]), 2):
            order = list(range(right.shape[axis]))
            order[a], order[b] = b, a
            if np.allclose(np.take(right, order, axis), wrong, rtol=1e-6, atol=0):
                return f"two elements of {name} swapped"
    return ""


def _rounded(wrong: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    near = np.abs(wrong - right) <= 2e-6 * np.abs(right)
    return "float32 precision" if near.all() and wrong.size > 1 else ""
