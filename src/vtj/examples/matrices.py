"""Matrices in, matrices out: J has the shape of y followed by the shape of x."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal


def f(x: Tensor) -> Tensor:
    """Multiply by a (3, 4) matrix of ones."""
    return torch.mm(x, torch.ones(3, 4, dtype=x.dtype, device=x.device))


def jacobian(x: NDArray[np.float64]) -> Any:
    """Return d out/dx, derived by hand: entry [i, k, j, l] is `a[l, k]` where i = j, else 0."""
    return np.einsum("ij,lk->ikjl", np.eye(2), np.ones((3, 4)))


def matrix_product() -> Example:
    """Weight the eight entries of `x @ a` with 1 to 8.

    Shapes: x (2, 3), a (3, 4), out (2, 4), v (2, 4), J (2, 4, 2, 3). Source: the thread, "I make a
    test by the following case".

    >>> matrix_product().backward().grad
    tensor([[10., 10., 10.],
            [26., 26., 26.]])
    """
    v = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    return Example("matrix_product", f, torch.ones(2, 3), v, jacobian)


def distinct_matrix_product() -> Example:
    """Multiply by a matrix of distinct entries, which all-ones would hide.

    Shapes: x (2, 3), a (3, 4), out (2, 4), v (2, 4), J (2, 4, 2, 3).

    >>> distinct_matrix_product().backward().grad
    tensor([[ 20.,  60., 100.],
            [ 44., 148., 252.]])
    """

    def product(x: Tensor) -> Tensor:
        return x @ torch.arange(12, dtype=x.dtype, device=x.device).reshape(3, 4)

    def by_hand(x: NDArray[np.float64]) -> Any:
        return np.einsum("ij,lk->ikjl", np.eye(2), np.arange(12.0).reshape(3, 4))

    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    return Example("distinct_matrix_product", product, x, v, by_hand)


def square_gradient() -> Refusal:
    """Hand a (4, 4) matrix to an output of shape (2, 4).

    Shapes: x (2, 3), out (2, 4), v (4, 4). Source: the thread, a line commented out there.

    >>> square_gradient().backward().error.args[0][:17]
    'Mismatch in shape'
    """
    error = RuntimeError(
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([4, 4]) "
        "and output[0] has a shape of torch.Size([2, 4])."
    )
    return Refusal("square_gradient", f, torch.ones(2, 3), torch.ones(4, 4), error)
