"""Right functions with a wrong Jacobian by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .bug import Bug, matrix, vector

W = matrix(3, 3)
X = vector(3)


def _f(x: Tensor) -> Tensor:
    return torch.tanh(W @ x)


def _right(x: Any) -> Any:
    weights = W.numpy()
    return (1 - np.tanh(weights @ x) ** 2)[:, None] * weights


def _off(entry: tuple[int, int], amount: float) -> Callable[[Any], Any]:
    def jacobian(x: Any) -> Any:
        J = _right(x)  # noqa: N806 - J is the term
        J[entry] *= 1 + amount
        return J

    return jacobian


def _zero(entry: tuple[int, int]) -> Callable[[Any], Any]:
    return _off(entry, -1.0)


def _bug(name: str, jacobian: Callable[[Any], Any], says: str) -> Bug:
    return Bug(f"J by hand: {name}", lambda: _f, X, "jacobian", says, jacobian=jacobian)


BUGS = [
    _bug("transposed", lambda x: _right(x).T, "transposed"),
    _bug("sign", lambda x: -_right(x), "the opposite sign"),
    _bug("factor 2", lambda x: 2 * _right(x), "the factor 2"),
    _bug("one entry off by 1e-10", _off((1, 2), 1e-10), "dy[1]/dx[2]"),
    _bug("one entry forgotten", _zero((2, 0)), "dy[2]/dx[0]"),
    _bug("rows swapped", lambda x: _right(x)[[1, 0, 2]], "two elements of y swapped"),
    _bug("columns swapped", lambda x: _right(x)[:, [0, 2, 1]], "two elements of x swapped"),
    _bug("float32", lambda x: _right(x).astype(np.float32), "float32 precision"),
    _bug("without the outer derivative", lambda x: W.numpy(), "the hand-derived J is wrong"),
]
