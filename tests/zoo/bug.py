"""One planted bug."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Bug:
    """A function with a mistake in it, and what vtj must say.

    `make` gives a fresh `f`, so that what one check leaves in it does not reach the next.
    """

    name: str
    make: Callable[[], Callable[..., Any]]
    x: Tensor | tuple[Tensor, ...]
    culprit: str | None
    says: str
    jacobian: Any = None
    order: int = 1
    lesson: str = ""  # what would have shown it to its author


def vector(n: int) -> Tensor:
    """Give n distinct numbers, none of them an integer and none near zero."""
    return torch.linspace(0.6, 1.9, n, dtype=torch.float64)


def matrix(rows: int, columns: int, seed: int = 0) -> Tensor:
    """Give a random matrix without symmetry."""
    return torch.randn(
        rows, columns, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )


def custom(
    forward: Callable[..., Any], backward: Callable[..., Any], jvp: Any = None
) -> Callable[..., Any]:
    """Give a custom autograd Function: `forward(*x)`, `backward(x, *g)` and `jvp(x, *u)`.

    `x` is the tuple of inputs; both derivatives return a tensor, or a tuple of them.
    """

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *x: Tensor) -> Any:
            ctx.save_for_backward(*x)
            ctx.save_for_forward(*x)
            return forward(*x)

        @staticmethod
        def backward(ctx: Any, *g: Tensor) -> Any:
            return backward(ctx.saved_tensors, *g)

    if jvp is not None:
        Custom.jvp = staticmethod(lambda ctx, *u: jvp(ctx.saved_tensors, *u))  # type: ignore[method-assign]
    return Custom.apply
