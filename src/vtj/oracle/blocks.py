"""J as the caller writes it (a block per output and input) and as one matrix."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vtj.calling.tensors import as_array

Shapes: TypeAlias = Sequence[tuple[int, ...]]


def as_matrix(
    J: Any,  # noqa: N803 - J is the term
    y_shapes: Shapes,
    x_shapes: Shapes,
    *,
    y_tuple: bool,
    x_tuple: bool,
) -> NDArray[np.float64]:
    """Return J as one matrix of shape ``(y.numel(), x.numel())``.

    Raises:
        ValueError: When a block is missing or has another shape; it names both.

    Example:
        >>> as_matrix(np.zeros((2, 3)), [(2,)], [(2,)], y_tuple=False, x_tuple=False)
        Traceback (most recent call last):
        ...
        ValueError: J has shape (2, 3); expected (*y.shape, *x.shape) = (2, 2)
    """
    rows = []
    for o, y_shape in enumerate(y_shapes):
        row = _part(J, o, len(y_shapes), "output") if y_tuple else J
        blocks = []
        for i, x_shape in enumerate(x_shapes):
            block = as_array(_part(row, i, len(x_shapes), "input") if x_tuple else row)
            expected = (*y_shape, *x_shape)
            if block.shape != expected:
                rule = f"expected (*y.shape, *x.shape) = {expected}"
                raise ValueError(f"J has shape {block.shape}; {rule}")
            blocks.append(block.reshape(int(np.prod(y_shape)), int(np.prod(x_shape))))
        rows.append(np.concatenate(blocks, axis=1))
    return np.concatenate(rows)


def _part(J: Any, index: int, count: int, what: str) -> Any:  # noqa: N803 - J is the term
    if not isinstance(J, (tuple, list)) or len(J) != count:
        came = f"{len(J)} parts" if isinstance(J, (tuple, list)) else type(J).__name__
        raise ValueError(f"J is {came}; expected a tuple with one part per {what}, {count} of them")
    return J[index]
