"""Arrays of up to two dimensions as aligned text, and J laid out in two."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def assigned(name: str, cells: Array, write: Callable[[Any], str]) -> str:
    """Write ``name = `` and an array: a number, a list, or rows beneath each other.

    Example:
        >>> print(assigned("J", np.array([[6, 0], [2, 24]]), str))
        J = [6   0]
            [2  24]
        >>> print(assigned("v", np.array([1, 10]), str))
        v = [1, 10]
    """
    head = f"{name} = "
    if cells.ndim == 0:
        return head + write(cells[()])
    if cells.ndim == 1:
        return f"{head}[{', '.join(map(write, cells))}]"
    rows = [[write(cell) for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.rjust(wide) for cell, wide in zip(row, widths, strict=True)) for row in rows
    ]
    return head + f"\n{' ' * len(head)}".join(f"[{line}]" for line in lines)


def laid_out(entries: Array, outputs: int) -> Array:
    """Lay J out in two dimensions, rows for y and columns for x; leave vectors and numbers.

    Args:
        entries: J, of shape ``(*y.shape, *x.shape)``.
        outputs: How many dimensions `y` has.

    Example:
        >>> laid_out(np.zeros((2, 4, 2, 3)), 2).shape, laid_out(np.zeros(3), 1).shape
        ((8, 6), (3, 1))
    """
    if entries.ndim > 2:
        return entries.reshape(int(np.prod(entries.shape[:outputs])), -1)
    return entries.reshape(-1, 1) if entries.ndim == outputs == 1 else entries
