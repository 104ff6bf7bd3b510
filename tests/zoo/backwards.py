"""Custom Functions whose backward is wrong in its values."""

from typing import Any

import torch
from torch import Tensor

from .bug import Bug, custom, matrix, vector

W = matrix(4, 4)
X, LONG = vector(4), vector(1000)
TWO, FIVE = (torch.tensor(n, dtype=torch.float64) for n in (2.0, 5.0))
ROWS_AND_WEIGHT = (matrix(4, 3), matrix(3, 3, seed=1))
TRANSPOSED = "the gradient of x[1] is transposed"


def _bug(name: str, forward: Any, backward: Any, x: Any, says: str) -> Bug:
    return Bug(name, lambda: custom(forward, backward), x, "backward", says)


def _square(name: str, backward: Any, x: Tensor, says: str) -> Bug:
    return _bug(name, lambda x: x**2, backward, x, says)


def _one_entry(amount: float) -> Any:
    def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        grad = 2 * x[0] * g
        grad[3] += amount * g[3]
        return grad

    return backward


def _last_row_dropped(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    grad = 2 * x[0] * g
    grad[-1] = 0
    return grad


def _leaky(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return torch.where(x[0] > 0, g, 0.1 * g)


def _weight_transposed(x: tuple[Tensor, ...], g: Tensor) -> tuple[Tensor, Tensor]:
    return g @ x[1], x[0].T @ g


def _convolved(x: Tensor) -> Tensor:
    return torch.nn.functional.conv1d(x[None, None], W[:1, None, :3], padding=1)[0, 0]


def _layer() -> Any:
    """A module as a function of its input and its weight, as `check` says to ask."""
    layer = torch.nn.Linear(3, 3, bias=False)
    linear = custom(lambda x, w: x @ w.T, _weight_transposed)
    layer.forward = lambda x: linear(x, layer.weight)  # type: ignore[method-assign]
    return lambda x, weight: torch.func.functional_call(layer, {"weight": weight}, x)


BUGS = [
    _square("sign", lambda x, g: -2 * x[0] * g, X, "the opposite sign"),
    _bug("transposed", lambda x: W @ x, lambda x, g: W @ g, X, "transposed"),
    _bug(
        "the gradient of one input transposed",
        lambda x, w: x @ w.T,
        _weight_transposed,
        ROWS_AND_WEIGHT,
        TRANSPOSED,
    ),
    Bug("a module's weight gradient transposed", _layer, ROWS_AND_WEIGHT, "backward", TRANSPOSED),
    _bug(
        "missing accumulation",
        lambda x: x * x.sum(),
        lambda x, g: g * x[0].sum(),
        X,
        "a missing term",
    ),
    _bug(
        "one branch forgotten",
        lambda x: x**2 + torch.sin(x),
        lambda x, g: 2 * x[0] * g,
        X,
        "the backward is wrong",
    ),
    _square("scaled by 1.0005", lambda x, g: 2.001 * x[0] * g, X, "factor 1.0005"),
    _square("scaled by 1 + 1e-8", lambda x, g: 2 * (1 + 1e-8) * x[0] * g, X, "factor 1.00000001"),
    _square("one entry of 10 off by 9e-6", _one_entry(9e-6), vector(10), "dy[3]/dx[3]"),
    _square("one entry of 1000 off by 9e-6", _one_entry(9e-6), LONG, "x[3]"),
    _square("one entry of 1000 off by 1", _one_entry(1.0), LONG, "x[3]"),
    _square(
        "float32 inside",
        lambda x, g: (2 * x[0].float() * g.float()).double(),
        X,
        "float32 precision",
    ),
    _square("wrong for the last row", _last_row_dropped, matrix(3, 2), "dy[2,"),
    _bug(
        "bias takes the first row",
        lambda x, b: x + b,
        lambda x, g: (g, g[0]),
        (matrix(3, 2), vector(2)),
        "a missing term",
    ),
    _bug(
        "bias takes the mean",
        lambda x, b: x + b,
        lambda x, g: (g, g.mean(0)),
        (matrix(4, 2), vector(2)),
        "the factor 0.25 in these entries",
    ),
    _bug(
        "a matrix for a vector, which torch sums",
        lambda x: 2 * x,
        lambda x, g: 2 * g.expand(3, -1),
        X,
        "the factor 3",
    ),
    _bug(
        "gradients of two inputs swapped",
        lambda a, b: a * b,
        lambda x, g: (x[0] * g, x[1] * g),
        (TWO, FIVE),
        "two elements of x swapped",
    ),
    _bug(
        "gradients of two outputs swapped",
        lambda x: (x.sin(), x.exp()),
        lambda x, g, h: h * x[0].cos() + g * x[0].exp(),
        vector(1),
        "two elements of y swapped",
    ),
    _bug(
        "an input forgotten",
        lambda a, b: a * b,
        lambda x, g: (x[1] * g, None),
        (vector(3), vector(3) + 1),
        "a missing term: zero",
    ),
    _bug(
        "mean without its 1/n",
        lambda x: x.mean(),
        lambda x, g: g.expand_as(x[0]),
        X,
        "the factor 4",
    ),
    _bug(
        "square root without its 1/2", torch.sqrt, lambda x, g: g / x[0].sqrt(), X, "the factor 2"
    ),
    _bug(
        "wrong slope for negative inputs",
        lambda x: torch.where(x > 0, x, 0.01 * x),
        _leaky,
        torch.tensor([-2.0, -1.0, 1.5, 3.0], dtype=torch.float64),
        "the factor 10 in these entries",
    ),
    _bug(
        "clamp passes everything",
        lambda x: x.clamp(0, 1),
        lambda x, g: g,
        X,
        "the backward is wrong",
    ),
    _bug("round passes everything", torch.round, lambda x, g: g, X, "the backward is wrong"),
    _bug(
        "softmax without its sum",
        lambda x: x.softmax(0),
        lambda x, g: x[0].softmax(0) * g,
        X,
        "a missing term",
    ),
    _bug("rolled the wrong way", lambda x: x.roll(1), lambda x, g: g.roll(1), X, "transposed"),
    _bug("kernel not flipped", _convolved, lambda x, g: _convolved(g), vector(6), "transposed"),
    _square(
        "wrong shape of the gradient",
        lambda x, g: (2 * x[0] * g).sum(),
        X,
        "backward raises RuntimeError",
    ),
]
