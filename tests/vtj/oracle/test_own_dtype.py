"""What a custom Function leaves in the dtype of `x`, where the verdict is about float64."""

from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom

VERIFY = (vtj.check, vtj.certify)


def rows(verify: Any, f: Any, x: Any) -> list[str]:
    """Return what the report on a function that is correct in float64 says of another dtype."""
    report = verify(f, x)
    assert report.verdict == "correct"
    return [f"{row.what}: {row.note}" for row in report.rows if row.what.startswith("x.grad in")]


def overflows(x: Tensor) -> Tensor:
    """Give a softplus whose exponential is infinite in float32 from 89 on."""
    return (1 + x.exp()).log()


def overflowing(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a softplus by that exponential: inf / inf is nan."""
    return g * x[0].exp() / (1 + x[0].exp())


def of_float64(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a sine, in other dtypes that of another function."""
    return g * x[0].cos() if x[0].dtype == torch.float64 else 2 * g * x[0].cos()


def refusing(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a sine in float64 alone."""
    if x[0].dtype != torch.float64:
        raise RuntimeError("no kernel for this dtype")
    return g * x[0].cos()


def softmax_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a softmax."""
    y = x[0].softmax(-1)
    return y * (g - (g * y).sum(-1, keepdim=True))


def sums_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of the tanh of running sums: running sums from the other end."""
    slope = 1 - x[0].cumsum(-1).tanh() ** 2
    return (g * slope).flip(-1).cumsum(-1).flip(-1)


SOFTMAX = custom(lambda x: x.softmax(-1), softmax_backward)
SUMS = custom(lambda x: x.cumsum(-1).tanh(), sums_backward)
TOLD = "reference=f compares f with itself in float64"


@pytest.mark.parametrize("verify", VERIFY)
def test_what_is_wrong_in_the_dtype_of_x_has_a_row(verify: Any) -> None:
    x = torch.tensor([1.0, 100.0])
    told = "nan or infinite at 1 of 2 elements, in float64 at none of these"
    found = rows(verify, custom(overflows, overflowing), x)
    assert found == [f"x.grad in float32: {told}; {TOLD}"]
    told = "x.grad is off by 1 of its size in float64"
    found = rows(verify, custom(torch.sin, of_float64), x[:1].half())
    assert found == [f"x.grad in float16: {told}; {TOLD}"]
    found = rows(verify, custom(torch.sin, refusing), x[:1])
    assert found == [f"x.grad in float32: raises RuntimeError: no kernel for this dtype; {TOLD}"]


def test_the_input_is_named() -> None:
    def of_the_first(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, Tensor]:
        return of_float64((x[0],), g), g

    f = custom(lambda a, b: a.sin() + b, of_the_first)
    (told,) = rows(vtj.check, f, (torch.ones(2), torch.ones(2)))
    assert told.startswith("x.grad in float32: x.grad[0] is off by 1 of its size")


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_what_rounds_has_none(verify: Any, dtype: torch.dtype) -> None:
    for seed in range(5):
        x = torch.randn(4, 100, generator=torch.Generator().manual_seed(seed)).to(dtype)
        assert rows(verify, SOFTMAX, x) == []
        assert rows(verify, SUMS, x) == []


def test_what_came_in_float64_has_none() -> None:
    assert rows(vtj.check, custom(torch.sin, of_float64), torch.ones(2).double()) == []


def test_reference_finds_it() -> None:
    f = custom(torch.sin, of_float64)
    assert vtj.check(f, torch.ones(2), reference=f).verdict == "wrong"


@pytest.mark.parametrize("verify", VERIFY)
def test_a_zero_that_rounding_leaves_something_of_has_none(verify: Any) -> None:
    """A layer norm does not depend on what is added to its rows."""

    def shifted(x: Tensor, shift: Tensor) -> Tensor:
        return torch.nn.functional.layer_norm(x + shift, x.shape[-1:])

    def backward(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            leaves = [part.detach().requires_grad_() for part in x]
            return torch.autograd.grad(shifted(*leaves), leaves, g)

    random = torch.Generator().manual_seed(0)
    x = torch.randn(3, 5, generator=random), torch.randn(3, 1, generator=random)
    assert rows(verify, custom(shifted, backward), x) == []
