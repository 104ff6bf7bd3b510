"""One output for each input: J is diagonal, and v weights element by element."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal


def f(x: Tensor) -> Tensor:
    """Return `3x²`, element by element."""
    return 3 * x**2


def jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dx, derived by hand, shape (2, 2)."""
    return np.array([[6 * x[0], 0], [0, 6 * x[1]]])


def elementwise_ones() -> Example:
    """Weight both outputs of `3x²` with one: the gradient of their sum.

    Shapes: x (2,), y (2,), v (2,), J (2, 2). Source: "explained by examples", line 178.

    >>> elementwise_ones().backward().grad
    tensor([ 6., 12.])
    """
    v = torch.tensor([1.0, 1.0])
    return Example("elementwise_ones", f, torch.tensor([1.0, 2.0]), v, jacobian)


def elementwise_weights() -> Example:
    """Weight the two outputs of `3x²` with 1 and 10.

    Shapes: x (2,), y (2,), v (2,), J (2, 2). Source: "explained by examples", line 222.

    >>> elementwise_weights().backward().grad
    tensor([  6., 120.])
    """
    v = torch.tensor([1.0, 10.0])
    return Example("elementwise_weights", f, torch.tensor([1.0, 2.0]), v, jacobian)


def omitted_gradient() -> Refusal:
    """Omit v for two outputs: torch cannot choose the weights for you.

    Shapes: x (2,), y (2,). Source: the thread, "Why gradient argument is required".

    >>> omitted_gradient().backward().error
    RuntimeError('grad can be implicitly created only for scalar outputs')
    """
    error = RuntimeError("grad can be implicitly created only for scalar outputs")
    return Refusal("omitted_gradient", f, torch.tensor([1.0, 2.0]), None, error)
