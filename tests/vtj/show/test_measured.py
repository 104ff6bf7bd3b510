"""The values that a figure shows, and how they are written."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

import vtj
from vtj.show.measured import measure, number

X = torch.tensor([[1.0, 2.0]])


def test_an_input_that_does_not_matter_gets_zeros() -> None:
    unused = torch.ones((), requires_grad=True)
    seen = measure(lambda x: unused * torch.ones(3), X, torch.ones(3))
    assert seen.grad.tolist() == [[0, 0]]
    assert seen.J.shape == (3, 1, 2)


def test_a_random_function_shows_the_draw_of_seed_0() -> None:
    x = torch.ones(64)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        expected = F.dropout(x)
    torch.manual_seed(5)
    seen = measure(F.dropout, x, torch.ones(64))
    assert seen.y.tolist() == seen.grad.tolist() == seen.J.diagonal().tolist() == expected.tolist()


class WrongForTen(torch.autograd.Function):
    """Right for all weights but 10."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0] + (grads[0] == 10)


@pytest.mark.parametrize(
    ("f", "x", "v"), [(lambda x: (x, x), X, (X, X)), (lambda a, b: a * b, (X, X), X)]
)
def test_tuples_are_not_drawn(f: Any, x: Any, v: Any) -> None:
    with pytest.raises(TypeError, match=r"^x and y must be one tensor each to be drawn, not a tu"):
        measure(f, x, v)


def test_is_measured_with_the_v_that_is_shown() -> None:
    measure(WrongForTen.apply, X, torch.tensor([[1.0, 100.0]]))
    with pytest.raises(vtj.JacobianMismatch):
        measure(WrongForTen.apply, X, torch.tensor([[1.0, 10.0]]))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (-3.0, "−3"),
        (5705182.0, "5705182"),
        (-1234567.0, "−1234567"),
        (12345.6, "12345.6"),
        (12345.67, "≈12350"),
        (float(torch.tensor(0.1)), "0.1"),
        (-1 / 3, "≈−0.3333"),
        (0.0000123456789, "≈0.00001235"),
        (float("nan"), "nan"),
    ],
)
def test_whole_numbers_are_written_in_full_and_rounded_ones_with_a_sign(
    value: float, written: str
) -> None:
    assert number(value) == written
