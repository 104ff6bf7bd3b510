"""The functions the project's research tried to derive by tracing: here they are, and the count."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import vtj

F64 = torch.float64
X = torch.tensor([1.0, 2.0, 3.0], dtype=F64)
W = torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 2.0]], dtype=F64)
M = torch.arange(1.0, 7, dtype=F64).reshape(2, 3)
A = torch.arange(1.0, 13, dtype=F64).reshape(3, 4)


def _items(x: Tensor) -> Tensor:
    y = torch.empty(3, dtype=x.dtype)
    y[0], y[1], y[2] = 3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]
    return y


def _nested(x: Tensor) -> Tensor:
    y = torch.zeros(2, 3, dtype=x.dtype)
    for i in range(2):
        for j in range(3):
            y[i, j] = x[i, j] ** (i + 1) * x[0, j]
    return y


def _views(x: Tensor) -> Tensor:
    u = x.clone().mul_(2)
    u[1:].add_(x[:2])
    return u


DERIVED: dict[str, tuple[Callable[[Tensor], Tensor], Tensor]] = {
    "3x²": (lambda x: 3 * x**2, X),
    "sum": (torch.sum, X),
    "mm": (lambda x: x.mm(A), M),
    "x @ a": (lambda x: x @ A, M),
    "empty, written item by item": (_items, X),
    "nested loops": (_nested, M),
    "views changed in place": (_views, X),
    "W @ x": (lambda x: W @ x, X),
    "tanh": (torch.tanh, X),
    "sigmoid(W @ x)": (lambda x: torch.sigmoid(W @ x), X),
    "mean": (torch.mean, X),
    "prod": (torch.prod, X),
    "norm²": (lambda x: x.norm() ** 2, X),
    "sqrt": (torch.sqrt, X),
    "outer": (lambda x: torch.outer(x, x), X),
    "einsum": (lambda x: torch.einsum("ij,jk->ik", x, A), M),
    "exp over its sum": (lambda x: x.exp() / x.exp().sum(), X),
    "linear": (lambda x: functional.linear(x, W), X),
    "cat": (lambda x: torch.cat([x, x**2]), X),
    "stack": (lambda x: torch.stack([x[0] * x[1], x[2]]), X),
    "0-d": (lambda x: x**3, X[1]),
    "relu": (torch.relu, X - 1.5),
    "softmax": (lambda x: x.softmax(0), X),
    "an index that is a list": (lambda x: x[[0, 2]] ** 2, X),
    "cumsum": (lambda x: x.cumsum(0), X),
    "where": (lambda x: torch.where(x > 1.5, x**2, -x), X),
    "convolution": (lambda x: functional.conv1d(x[None, None], W[:1, None, :2])[0, 0], X),
    "max": (lambda x: x.max(), X),
    "determinant": (lambda x: torch.linalg.det(x @ x.T), M),
    "a branch": (lambda x: x**2 if x.sum() > 0 else x, X),
}


@pytest.mark.parametrize("name", DERIVED)
def test_is_derived_and_agrees(name: str) -> None:
    f, x = DERIVED[name]
    report = vtj.check(f, x, engines=["reverse", "numeric", "symbolic"])
    assert report, str(report)
    assert "symbolic" in [row.what for row in report.rows if row.result == "agrees"]


def test_the_thirty_first_is_refused() -> None:
    """A value that left torch is detached, so that no formula of it could be J."""
    assert len(DERIVED) == 30
    with pytest.raises(vtj.NotSymbolic, match="left torch"):
        vtj.jacobian(lambda x: x * x[0].item(), X, "symbolic")
