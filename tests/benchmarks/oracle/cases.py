"""The functions every tool is timed on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor, nn

F64 = torch.float64


@dataclass(frozen=True)
class Case:
    """A function in torch, where to look at it, its J by hand, and the same function in NumPy.

    `numpy` takes a flat x and the module to compute with: numpy, autograd.numpy or jax.numpy.
    """

    name: str
    f: Callable[[Tensor], Tensor]
    x: Tensor
    jacobian: Any
    numpy: Callable[[Any, Any], Any] | None = None
    dense: bool = True


def _drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def _elementwise(n: int) -> Case:
    x = torch.linspace(0.5, 2, n, dtype=F64)
    diagonal = 6 * x.numpy()
    jacobian = np.diag(diagonal) if n <= 1000 else scipy.sparse.diags_array(diagonal).tocsr()
    return Case(
        f"3x², n = {n:,}", lambda x: 3 * x**2, x, jacobian, lambda x, xp: 3 * x**2, dense=n <= 1000
    )


def _dense() -> Case:
    weights = _drawn(500, 500) / 22
    array = weights.numpy()
    x = _drawn(500, seed=1)
    slope = 1 - torch.tanh(weights @ x) ** 2
    return Case(
        "tanh(Wx), 500 → 500",
        lambda x: torch.tanh(weights @ x),
        x,
        (slope[:, None] * weights).numpy(),
        lambda x, xp: xp.tanh(xp.dot(array, x)),
    )


def _mlp() -> Case:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10)).double()
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    a, b, c, d = (parameter.numpy() for parameter in net.parameters())
    x = _drawn(64, seed=2)
    hidden = np.tanh(a @ x.numpy() + b)
    return Case(
        "MLP, 64 → 10",
        net,
        x,
        c @ ((1 - hidden**2)[:, None] * a),
        lambda x, xp: xp.dot(c, xp.tanh(xp.dot(a, x) + b)) + d,
    )


def _mm() -> Case:
    a, x = _drawn(3, 4), _drawn(2, 3, seed=3)
    array = a.numpy()
    J = np.einsum("ik,lj->ijkl", np.eye(2), array)  # noqa: N806
    return Case(
        "x @ a, (2, 3)(3, 4)",
        lambda x: x @ a,
        x,
        J,
        lambda x, xp: xp.dot(x.reshape(2, 3), array).reshape(-1),
    )


def _conv() -> Case:
    kernel, x = _drawn(2, 1, 3, 3), _drawn(16, 16, seed=4)

    def f(x: Tensor) -> Tensor:
        return nn.functional.conv2d(x[None, None], kernel)[0]

    return Case("conv2d, 256 → 392", f, x, torch.func.jacrev(f)(x).numpy())


def cases() -> list[Case]:
    """Give every case, small and large."""
    return [_elementwise(1000), _dense(), _mlp(), _mm(), _conv(), _elementwise(100_000)]
