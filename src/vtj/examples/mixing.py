"""Outputs that each depend on several inputs: weights of one no longer read the derivatives."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example


def running_sum() -> Example:
    """Weight the running sums of three numbers: an input counts in its own sum and all later ones.

    Shapes: x (3,), y (3,), v (3,), J (3, 3), lower triangular.

    >>> running_sum().backward().grad
    tensor([111., 110., 100.])
    """

    def f(x: Tensor) -> Tensor:  # no lambda: the site's explorer reads its source
        return torch.cumsum(x, 0)

    x, v = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 10.0, 100.0])
    return Example("running_sum", f, x, v, lambda x: np.tril(np.ones((3, 3))))


def softmax_ones() -> Example:
    """Weight the outputs of softmax with one each: they add up to one, so nothing changes the sum.

    Shapes: x (2,), y (2,), v (2,), J (2, 2). Both x are equal, so that every value is exact.

    >>> softmax_ones().backward().grad
    tensor([0., 0.])
    """
    x = torch.tensor([3.0, 3.0])
    return Example("softmax_ones", softmax, x, torch.tensor([1.0, 1.0]), softmax_jacobian)


def softmax_weights() -> Example:
    """Weight the outputs of softmax with 1 and 9: what one gains the other loses.

    Shapes: x (2,), y (2,), v (2,), J (2, 2). Both x are equal, so that every value is exact.

    >>> softmax_weights().backward().grad
    tensor([-2.,  2.])
    """
    x = torch.tensor([3.0, 3.0])
    return Example("softmax_weights", softmax, x, torch.tensor([1.0, 9.0]), softmax_jacobian)


def softmax(x: Tensor) -> Tensor:
    """Return the softmax of a vector."""
    return torch.softmax(x, 0)


def softmax_jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dy/dx of softmax, derived by hand: diag(y) - y yᵀ."""
    y = np.exp(x) / np.exp(x).sum()
    jacobian: NDArray[np.float64] = np.diag(y) - np.outer(y, y)
    return jacobian
