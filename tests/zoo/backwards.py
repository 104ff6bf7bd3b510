"""Custom Functions whose backward is wrong in its values."""

from typing import Any

import torch
from torch import Tensor

from .bug import Bug, custom, matrix, vector

W = matrix(4, 4)
X, LONG = vector(4), vector(1000)


def _square(backward: Any) -> Any:
    return lambda: custom(lambda x: x**2, backward)


def _one_entry(amount: float) -> Any:
    def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        grad = 2 * x[0] * g
        grad[3] += amount * g[3]
        return grad

    return _square(backward)


def _last_row_dropped(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    grad = 2 * x[0] * g
    grad[-1] = 0
    return grad


def _leaky(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return torch.where(x[0] > 0, g, 0.1 * g)


def _layer() -> Any:
    """A module as a function of its input and its weight, as `check` says to ask."""
    layer = torch.nn.Linear(3, 3, bias=False)
    linear = custom(lambda x, w: x @ w.T, lambda x, g: (g @ x[1], x[0].T @ g))
    layer.forward = lambda x: linear(x, layer.weight)  # type: ignore[method-assign]
    return lambda x, weight: torch.func.functional_call(layer, {"weight": weight}, x)


BUGS = [
    Bug("sign", _square(lambda x, g: -2 * x[0] * g), X, "backward", "the opposite sign"),
    Bug(
        "transposed",
        lambda: custom(lambda x: W @ x, lambda x, g: W @ g),
        X,
        "backward",
        "transposed",
    ),
    Bug(
        "the gradient of one input transposed",
        lambda: custom(lambda x, w: x @ w.T, lambda x, g: (g @ x[1], x[0].T @ g)),
        (matrix(4, 3), matrix(3, 3, seed=1)),
        "backward",
        "the gradient of x[1] is transposed",
    ),
    Bug(
        "a module's weight gradient transposed",
        _layer,
        (matrix(4, 3), matrix(3, 3, seed=1)),
        "backward",
        "the gradient of x[1] is transposed",
    ),
    Bug(
        "missing accumulation",
        lambda: custom(lambda x: x * x.sum(), lambda x, g: g * x[0].sum()),
        X,
        "backward",
        "a missing term",
    ),
    Bug(
        "one branch forgotten",
        lambda: custom(lambda x: x**2 + torch.sin(x), lambda x, g: 2 * x[0] * g),
        X,
        "backward",
        "the backward is wrong",
    ),
    Bug("scaled by 1.0005", _square(lambda x, g: 2.001 * x[0] * g), X, "backward", "factor 1.0005"),
    Bug(
        "scaled by 1 + 1e-8",
        _square(lambda x, g: 2 * (1 + 1e-8) * x[0] * g),
        X,
        "backward",
        "factor 1.00000001",
    ),
    Bug("one entry of 10 off by 9e-6", _one_entry(9e-6), vector(10), "backward", "dy[3]/dx[3]"),
    Bug("one entry of 1000 off by 9e-6", _one_entry(9e-6), LONG, "backward", "x[3]"),
    Bug("one entry of 1000 off by 1", _one_entry(1.0), LONG, "backward", "x[3]"),
    Bug(
        "float32 inside",
        _square(lambda x, g: (2 * x[0].float() * g.float()).double()),
        X,
        "backward",
        "float32 precision",
    ),
    Bug("wrong for the last row", _square(_last_row_dropped), matrix(3, 2), "backward", "dy[2,"),
    Bug(
        "bias takes the first row",
        lambda: custom(lambda x, b: x + b, lambda x, g: (g, g[0])),
        (matrix(3, 2), vector(2)),
        "backward",
        "a missing term",
    ),
    Bug(
        "bias takes the mean",
        lambda: custom(lambda x, b: x + b, lambda x, g: (g, g.mean(0))),
        (matrix(4, 2), vector(2)),
        "backward",
        "the factor 0.25 in these entries",
    ),
    Bug(
        "gradients of two inputs swapped",
        lambda: custom(lambda a, b: a * b, lambda x, g: (x[0] * g, x[1] * g)),
        (torch.tensor(2.0, dtype=torch.float64), torch.tensor(5.0, dtype=torch.float64)),
        "backward",
        "two elements of x swapped",
    ),
    Bug(
        "gradients of two outputs swapped",
        lambda: custom(
            lambda x: (x.sin(), x.exp()), lambda x, g, h: h * x[0].cos() + g * x[0].exp()
        ),
        vector(1),
        "backward",
        "two elements of y swapped",
    ),
    Bug(
        "an input forgotten",
        lambda: custom(lambda a, b: a * b, lambda x, g: (x[1] * g, None)),
        (vector(3), vector(3) + 1),
        "backward",
        "a missing term: zero",
    ),
    Bug(
        "mean without its 1/n",
        lambda: custom(lambda x: x.mean(), lambda x, g: g.expand_as(x[0])),
        X,
        "backward",
        "the factor 4",
    ),
    Bug(
        "square root without its 1/2",
        lambda: custom(torch.sqrt, lambda x, g: g / x[0].sqrt()),
        X,
        "backward",
        "the factor 2",
    ),
    Bug(
        "wrong slope for negative inputs",
        lambda: custom(lambda x: torch.where(x > 0, x, 0.01 * x), _leaky),
        torch.tensor([-2.0, -1.0, 1.5, 3.0], dtype=torch.float64),
        "backward",
        "the factor 10 in these entries",
    ),
    Bug(
        "clamp passes everything",
        lambda: custom(lambda x: x.clamp(0, 1), lambda x, g: g),
        X,
        "backward",
        "the backward is wrong",
    ),
    Bug(
        "round passes everything",
        lambda: custom(torch.round, lambda x, g: g),
        X,
        "backward",
        "the backward is wrong",
    ),
    Bug(
        "softmax without its sum",
        lambda: custom(lambda x: x.softmax(0), lambda x, g: x[0].softmax(0) * g),
        X,
        "backward",
        "a missing term",
    ),
    Bug(
        "rolled the wrong way",
        lambda: custom(lambda x: x.roll(1), lambda x, g: g.roll(1)),
        X,
        "backward",
        "transposed",
    ),
    Bug(
        "kernel not flipped",
        lambda: custom(
            lambda x: torch.nn.functional.conv1d(x[None, None], W[:1, None, :3], padding=1)[0, 0],
            lambda x, g: torch.nn.functional.conv1d(g[None, None], W[:1, None, :3], padding=1)[
                0, 0
            ],
        ),
        vector(6),
        "backward",
        "transposed",
    ),
    Bug(
        "wrong shape of the gradient",
        _square(lambda x, g: (2 * x[0] * g).sum()),
        X,
        "backward",
        "backward raises RuntimeError",
    ),
]
