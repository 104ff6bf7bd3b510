"""Two inputs, three outputs: the smallest example that tells vᵀ·J from J·u, and one with units."""

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


HOUSE = [2.0, 3.0]
"""Its size in hundreds of square meters, and its rooms."""
WORTH = [1000.0, 12.0, 200.0]
"""Dollars that an error costs: of a thousand dollars, of a dollar a month, and of a day."""


def losses_of(score: Tensor) -> Tensor:
    """Return how far the price, the rent and the days to sell are off for a score of the house."""
    guess = torch.stack([50 * score, 200 * score, 240 / score])
    return (guess - guess.new_tensor([430.0, 1500.0, 45.0])).abs()


def slopes_of(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dlosses/dscore, derived by hand, shape (3,)."""
    below = np.sign([50 * score - 430, 200 * score - 1500, 240 / score - 45])
    slopes: NDArray[np.float64] = below * [50, 200, -240 / score**2]
    return slopes


def losses_of_weights(w: Tensor) -> Tensor:
    """Return the three losses of the model, whose score is the house weighted by w."""
    return losses_of(w @ w.new_tensor(HOUSE))


def slopes_of_weights(w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dlosses/dw, derived by hand, shape (3, 2)."""
    return np.outer(slopes_of(w @ HOUSE), HOUSE)


def three_losses() -> Example:
    """Weight three losses in three units by what an error of one unit costs.

    Shapes: w (2,), losses (3,), v (3,), J (3, 2).

    >>> three_losses().backward().grad
    tensor([ -93700., -140550.])
    """
    w, v = torch.tensor([1.0, 2.0]), torch.tensor(WORTH)
    return Example("three_losses", losses_of_weights, w, v, slopes_of_weights)
