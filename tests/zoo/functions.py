"""Functions autograd does not see all of, or that do not stay the same; and a wrong jvp."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .bug import Bug, custom, vector

X = vector(4)


def _counts() -> Any:
    calls = 0

    def f(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return x**2 + 1e-3 * calls

    return f


def _overwrites() -> Any:
    def f(x: Tensor) -> Tensor:
        y = x**2
        x.data += 1
        return y

    return f


def _through_numpy(x: Tensor) -> Tensor:
    return torch.from_numpy(x.detach().numpy() ** 2)


def _straight_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def _wrong_jvp() -> Any:
    return custom(torch.sin, lambda x, g: x[0].cos() * g, lambda x, u: -x[0].cos() * u)


def _a_term_too_many() -> Any:
    return custom(lambda x: x**2 + x, lambda x, g: 2 * x[0] * g)


BUGS = [
    Bug(
        "one branch detached", lambda: lambda x: x**2 + x.detach().sin(), X, "f", "a detached path"
    ),
    Bug("through numpy", lambda: _through_numpy, X, "f", "a detached path: zero"),
    Bug("through .data", lambda: lambda x: x * x.data, X, "f", "a detached path"),
    Bug("straight-through round", lambda: _straight_through, X, "f", "a detached path"),
    Bug("another value at every call", _counts, X, "f", "another value at every call"),
    Bug("writes into x", _overwrites, X, "f", "writes into its input"),
    Bug("a wrong jvp", _wrong_jvp, X, "forward", "the opposite sign"),
    Bug(
        "a forward with a term too many",
        _a_term_too_many,
        X,
        "f",
        "autograd does not see all of f",
        jacobian=lambda x: 2 * np.diag(x),
    ),
]
