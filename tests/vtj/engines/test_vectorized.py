"""What torch.func can transform, and what it and a forward pass refuse."""

import pytest
import torch
from torch import Tensor

from vtj.engines import forward
from vtj.engines.vectorized import jacfwd, jacrev


class Old(torch.autograd.Function):
    """An old-style Function, without `setup_context`."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: object, g: Tensor) -> Tensor:
        return g * 2


class NoVmap(torch.autograd.Function):
    """A Function without a vmap rule."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def setup_context(ctx: object, inputs: object, output: object) -> None:
        pass

    @staticmethod
    def jvp(ctx: object, u: Tensor) -> Tensor:
        return u * 2


@pytest.mark.parametrize(
    ("engine", "function", "reason"),
    [
        (jacrev, Old, "setup_context"),
        (jacfwd, Old, "setup_context"),
        (jacfwd, NoVmap, "vmap"),
        (forward.jacobian, Old, "jvp"),
    ],
)
def test_what_torch_func_refuses(engine: object, function: object, reason: str) -> None:
    with pytest.raises(RuntimeError, match=reason):
        engine(function.apply, torch.ones(2))  # type: ignore[operator, attr-defined]


@pytest.mark.parametrize("engine", [jacrev, jacfwd])
def test_one_argument_of_a_tuple(engine: object) -> None:
    J = engine(lambda x: x**2, (torch.tensor([3.0]),))  # type: ignore[operator]  # noqa: N806
    assert J[0].tolist() == [[6.0]]


def test_dropout_draws_what_reverse_mode_draws() -> None:
    def f(x: Tensor) -> Tensor:
        torch.default_generator.manual_seed(0)
        return torch.nn.functional.dropout(x, 0.5)

    assert torch.equal(jacfwd(f, torch.ones(9)), jacrev(f, torch.ones(9)))
