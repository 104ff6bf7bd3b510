"""What the backwards of published custom Functions got wrong, in code of our own."""

from typing import Any

import torch
from torch import Tensor

from .bug import Bug, custom, matrix, vector

X = vector(4)
EPS = 0.01
WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 3.0], dtype=torch.float64)
TARGET = torch.tensor([0.1, 0.7, 0.1, 0.1], dtype=torch.float64)  # the label 1, smoothed


def _weighted_loss(x: Tensor) -> Tensor:
    return -(WEIGHTS * TARGET * x.log_softmax(0)).sum()


def _weight_of_the_label(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return g * WEIGHTS[1] * (x[0].softmax(0) - TARGET)


def _normalized(x: Tensor) -> Tensor:
    return (x - x.mean()) / x.std(correction=0)


def _without_coupling(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return g / x[0].std(correction=0)


def _spread_along_rows(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return 2 * x[0] * g[None, :]


def _other_stride(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    rows, columns = x[0].shape
    return torch.as_strided(g.contiguous(), (rows, columns), (rows, 1)) * x[0].cos()


def _inverse_transposed(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    inverse = x[0].inverse()
    return -inverse @ g.T @ inverse


def _rms(x: Tensor) -> Tensor:
    return x / ((x**2).mean() + EPS).sqrt()


def _eps_forgotten_once(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    (x0,) = x
    square = (x0**2).mean()
    return g / (square + EPS).sqrt() - x0 * (g @ x0) / (x0.numel() * square**1.5)


def _spoils_what_it_saved() -> Any:
    class Softmax(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.probabilities = x.softmax(0)
            return ctx.probabilities.clone()

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            inner = g @ ctx.probabilities
            return ctx.probabilities.mul_(g - inner)

    return Softmax.apply


def _product(needs: Any) -> Any:
    """Multiply, with a backward that asks which gradients are needed as `needs` does."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor | None]:
            a, b = ctx.saved_tensors
            return needs(ctx.needs_input_grad, g * b, g * a)

    return Product.apply


def _permuted(needed: Any, of_a: Tensor, of_b: Tensor) -> Any:
    return of_a if needed[1] else None, of_b if needed[0] else None


def _where_all_are(needed: Any, of_a: Tensor, of_b: Tensor) -> Any:
    if all(needed):
        both = of_a, of_b
    return both


def _bug(name: str, forward: Any, backward: Any, x: Any, says: str, lesson: str) -> Bug:
    return Bug(name, lambda: custom(forward, backward), x, "backward", says, lesson=lesson)


def _alone(name: str, needs: Any, says: str, lesson: str) -> Bug:
    return Bug(name, lambda: _product(needs), (X, X + 1), "backward", says, lesson=lesson)


def _of_the_latest_call() -> Any:
    latest: list[Tensor] = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            latest[:] = [x]
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return 2 * latest[0] * g

    return Square.apply


def _in_place_of_the_first() -> Any:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(x)
            return x.sin(), x.exp()

        @staticmethod
        def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Tensor | None:
            (x,) = ctx.saved_tensors
            grad = None if g is None else x.cos() * g
            return grad if h is None else x.exp() * h

    return Both.apply


BUGS = [
    _bug(
        "the label's weight for that of each class",
        _weighted_loss,
        _weight_of_the_label,
        X,
        "the backward is wrong",
        "Try weights that are not all alike.",
    ),
    _bug(
        "a layer norm, element by element",
        _normalized,
        _without_coupling,
        X,
        "a missing term",
        "Each output depends on all inputs through the mean and the deviation.",
    ),
    _bug(
        "g spread along the other axis",
        lambda x: (x**2).sum(1),
        _spread_along_rows,
        matrix(3, 3),
        "the backward is wrong",
        "Try shapes in which no two sizes are alike.",
    ),
    _bug(
        "a stride of the other dimension",
        torch.sin,
        _other_stride,
        matrix(2, 3),
        "the backward is wrong",
        "Try matrices that are not square.",
    ),
    _bug(
        "the gradient of an inverse transposed",
        torch.inverse,
        _inverse_transposed,
        matrix(3, 3, 7),
        "the gradient of x is transposed",
        "Try a v that is not symmetric.",
    ),
    _bug(
        "eps in one of two denominators",
        _rms,
        _eps_forgotten_once,
        X,
        "the backward is wrong",
        "Try an eps that is not small beside x.",
    ),
    Bug(
        "writes into what it saved",
        _spoils_what_it_saved,
        X,
        "backward",
        "a second backward",
        lesson="Call backward twice with retain_graph=True.",
    ),
    Bug(
        "what it saved is that of the latest call",
        _of_the_latest_call,
        X,
        "backward",
        "where f is called elsewhere before backward",
        lesson="Call f on two inputs, then go back from the first.",
    ),
    Bug(
        "the second output's gradient in place of the first's",
        _in_place_of_the_first,
        X,
        "backward",
        "right where each output is used alone, wrong where several are",
        lesson="Use both outputs in one loss.",
    ),
    _alone(
        "needs_input_grad permuted",
        _permuted,
        "needs_input_grad",
        "Let each input alone require grad.",
    ),
    _alone(
        "a gradient only where all are needed",
        _where_all_are,
        "backward raises UnboundLocalError",
        "Let each input alone require grad.",
    ),
]
