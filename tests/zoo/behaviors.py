"""Backwards that are right for one-hot v, once, or without create_graph, and wrong otherwise."""

from typing import Any

import torch
from torch import Tensor

from .bug import Bug, custom, vector

X = vector(4)


def _square(of_g: Any) -> Any:
    return lambda: custom(lambda x: x**2, lambda x, g: 2 * x[0] * of_g(g))


def _drops_small(g: Tensor) -> Tensor:
    return torch.where(g.abs() < 0.7 * g.abs().max(), 0.0, g)


def _writes_into_g() -> Any:
    return custom(lambda x: x**2, lambda x, g: g.mul_(2 * x[0]))


def _other_under_create_graph(g: Tensor) -> Tensor:
    return 1.5 * g if torch.is_grad_enabled() else g


def _contiguous(g: Tensor) -> Tensor:
    return torch.as_strided(g, g.shape, torch.empty(g.shape).stride())


def _drifts() -> Any:
    calls = 0

    def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return 2 * x[0] * g * (1 + 1e-7 * (calls % 3))

    return custom(lambda x: x**2, backward)


def _wrong_second_time() -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            ctx.times = 0
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            (x,) = ctx.saved_tensors
            ctx.times += 1
            return 2 * x * g * ctx.times

    return Square.apply


def _clipped(x: Tensor) -> Tensor:
    y = x**2
    if y.requires_grad:
        y.register_hook(lambda g: g.clamp(-1, 1))
    return y


def _wrong_double_backward() -> Any:
    return custom(lambda x: x**3, lambda x, g: 3 * x[0].detach() ** 2 * g)


def _saved_intermediate() -> Any:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            power = x.exp()
            ctx.save_for_backward(x, power)
            return x * power

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            x, power = ctx.saved_tensors
            return g * (1 + x) * power

    return Product.apply


BUGS = [
    Bug("squares g", _square(lambda g: g * g), X, "backward", "not linear in v"),
    Bug("takes the sign of g", _square(torch.sign), X, "backward", "not linear in v"),
    Bug("clamps g", _square(lambda g: g.clamp(-1, 1)), X, "backward", "not linear in v"),
    Bug("takes |g|", _square(torch.abs), X, "backward", "not linear in v"),
    Bug("drops small g", _square(_drops_small), X, "backward", "not linear in v"),
    Bug("normalizes g", _square(lambda g: g / g.norm()), X, "backward", "not linear in v"),
    Bug("ignores g", _square(torch.ones_like), X, "backward", "does not depend on v"),
    Bug("writes into g", _writes_into_g, X, "backward", "writes into v"),
    Bug(
        "drifts by 1e-7", _drifts, X, "backward", "not repeatable: -0.979743 in place of -0.979742"
    ),
    Bug("wrong the second time", _wrong_second_time, X, "backward", "a second backward"),
    Bug(
        "other under create_graph",
        _square(_other_under_create_graph),
        X,
        "backward",
        "create_graph",
    ),
    Bug("takes v for contiguous", _square(_contiguous), X, "backward", "not contiguous"),
    Bug("a hook that clips", lambda: _clipped, X, "backward", "not linear in v"),
    Bug("wrong double backward", _wrong_double_backward, X, "backward", "order 2", order=2),
    Bug("an intermediate saved", _saved_intermediate, X, "backward", "order 2", order=2),
]
