"""Two stages: each hands v to the one before it, and the result is that of both together."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example
from vtj.examples.three_outputs import WORTH, losses_of, slopes_of


def first(x: Tensor) -> Tensor:
    """Return the hidden values `(x₁x₂, x₁ + x₂, x₂²)`."""
    return torch.stack([x[0] * x[1], x[0] + x[1], x[1] ** 2])


def first_jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dh/dx, derived by hand, shape (3, 2)."""
    return np.array([[x[1], x[0]], [1, 1], [0, 2 * x[1]]])


def second(h: Tensor) -> Tensor:
    """Return the outputs `(h₁ + 2h₂, h₂h₃)`."""
    return torch.stack([h[0] + 2 * h[1], h[1] * h[2]])


def second_jacobian(h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dh, derived by hand, shape (2, 3)."""
    return np.array([[1, 2, 0], [0, h[2], h[1]]])


def second_stage() -> Example:
    """Run the second stage alone, from hidden values that are leaves: its vᵀ·J is the next v.

    Shapes: h (3,), y (2,), v (2,), J (2, 3). Source: the thread, "the gradient of the input of the
    next layer".

    >>> second_stage().backward().grad
    tensor([ 1., 42., 30.])
    """
    h = torch.tensor([2.0, 3.0, 4.0])
    return Example("second_stage", second, h, torch.tensor([1.0, 10.0]), second_jacobian)


def first_stage() -> Example:
    """Run the first stage with the v that the second one handed over.

    Shapes: x (2,), h (3,), v (3,), J (3, 2).

    >>> first_stage().backward().grad
    tensor([ 44., 163.])
    """
    x = torch.tensor([1.0, 2.0])
    return Example("first_stage", first, x, torch.tensor([1.0, 42.0, 30.0]), first_jacobian)


def both_stages() -> Example:
    """Run both stages end to end: the same gradient, bit for bit.

    Shapes: x (2,), y (2,), v (2,), J (2, 2), the product of the two Jacobians.

    >>> both_stages().backward().grad
    tensor([ 44., 163.])
    """

    def jacobian(x: NDArray[np.float64]) -> Any:
        h = np.array([x[0] * x[1], x[0] + x[1], x[1] ** 2])
        return second_jacobian(h) @ first_jacobian(x)

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    return Example("both_stages", lambda x: second(first(x)), x, v, jacobian)


def from_the_losses() -> Example:
    """Go back from the three losses of a model to the score that all of them use.

    Shapes: score (), losses (3,), v (3,), J (3,).

    >>> from_the_losses().backward().grad
    tensor(-46850.)
    """
    score, v = torch.tensor(8.0), torch.tensor(WORTH)
    return Example("from_the_losses", lambda h: losses_of(h), score, v, slopes_of)
