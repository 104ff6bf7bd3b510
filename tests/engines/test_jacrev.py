import pytest
import torch
from torch import Tensor

from vtj.engines.vectorized import jacrev


def test_old_style_function_is_refused_by_torch() -> None:
    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, g: Tensor) -> Tensor:
            return g * 2

    with pytest.raises(RuntimeError, match="setup_context"):
        jacrev(Old.apply, torch.ones(2))


def test_one_argument_of_a_tuple() -> None:
    assert jacrev(lambda x: x**2, (torch.tensor([3.0]),))[0].tolist() == [[6.0]]
