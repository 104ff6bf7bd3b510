"""Two inputs, three outputs: the smallest example that tells vᵀ·J from J·u."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example


def jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dx, derived by hand, shape (3, 2)."""
    return np.array([[6 * x[0], 0], [2 * x[0], 6 * x[1] ** 2], [0, 10]])


def three_outputs() -> Example:
    """Write y item by item into an empty tensor: `y = (3x₁², x₁² + 2x₂³, 10x₂)`.

    Shapes: x (2,), y (3,), v (3,), J (3, 2). Source: "explained by examples", line 262.

    >>> three_outputs().backward().grad
    tensor([  26., 1240.])
    """

    def f(x: Tensor) -> Tensor:
        y = torch.empty(3, dtype=x.dtype, device=x.device)
        y[0] = 3 * x[0] ** 2
        y[1] = x[0] ** 2 + 2 * x[1] ** 3
        y[2] = 10 * x[1]
        return y

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
    return Example("three_outputs", f, x, v, jacobian)


def three_outputs_stacked() -> Example:
    """Stack the same three outputs with `torch.stack`, the recommended form.

    Shapes: x (2,), y (3,), v (3,), J (3, 2). Source: "explained by examples", line 262.

    >>> three_outputs_stacked().backward().grad
    tensor([  26., 1240.])
    """

    def f(x: Tensor) -> Tensor:
        return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
    return Example("three_outputs_stacked", f, x, v, jacobian)
