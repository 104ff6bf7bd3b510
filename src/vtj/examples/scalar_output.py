"""A scalar output: v is one number, and torch may leave it out."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example


def square_jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dx of `x²`, derived by hand, shape ()."""
    return 2 * x


def total_jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dx of the sum, derived by hand, shape (2,)."""
    return np.ones_like(x)


def square() -> Example:
    """Square one number and omit v: torch takes 1.

    Shapes: x (), y (), J (). Source: "explained by examples", line 32.

    >>> square().backward().grad
    tensor(2.)
    """
    return Example("square", lambda x: x**2, torch.tensor(1.0), None, square_jacobian)


def square_weighted() -> Example:
    """Square one number with v = 100: every derivative counts a hundredfold.

    Shapes: x (), y (), v (), J (). Source: "explained by examples", line 72.

    >>> square_weighted().backward().grad
    tensor(200.)
    """
    v = torch.tensor(100.0)
    return Example("square_weighted", lambda x: x**2, torch.tensor(1.0), v, square_jacobian)


def total() -> Example:
    """Add two numbers with Python's `sum` and omit v.

    Shapes: x (2,), y (), J (2,). Source: "explained by examples", line 105.

    >>> total().backward().grad
    tensor([1., 1.])
    """

    def f(x: Tensor) -> Tensor:  # no lambda: the site's explorer reads its source
        return sum(x)  # type: ignore[return-value]  # Python's sum starts from the int 0

    return Example("total", f, torch.tensor([1.0, 2.0]), None, total_jacobian)


def total_weighted() -> Example:
    """Add two numbers with `x.sum()` and v = 100.

    Shapes: x (2,), y (), v (), J (2,). Source: "explained by examples", line 146.

    >>> total_weighted().backward().grad
    tensor([100., 100.])
    """
    v = torch.tensor(100.0)
    return Example("total_weighted", lambda x: x.sum(), torch.tensor([1.0, 2.0]), v, total_jacobian)
