"""A gradient that may be taken only once is no gradient of zeros."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable

import vtj
from vtj.oracle.question import RAISED_ONCE

X = torch.tensor([1.0, 2.0])


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, v: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return v * 3 * x**2


def slope(x: Tensor) -> Tensor:
    x = x if x.requires_grad else x.requires_grad_()
    ones = torch.ones_like(x, requires_grad=True)  # where v needs no grad, no graph is made
    (grad,) = torch.autograd.grad(Cube.apply(x), x, ones, create_graph=True)
    return grad


def test_one_derivative_is_right() -> None:
    assert vtj.check(Cube.apply, X)
    assert vtj.certify(Cube.apply, X)


def test_of_a_second_torch_says_why_there_is_none() -> None:
    with pytest.raises(RuntimeError) as raised:
        slope(X.clone().requires_grad_()).sum().backward()
    assert str(raised.value) == RAISED_ONCE


def test_a_second_is_wrong_and_not_zero() -> None:
    error = f"RuntimeError: {RAISED_ONCE}"
    told = f"x.grad: backward raises {error}"
    for report in (vtj.check(slope, X), vtj.certify(slope, X)):
        assert (report.verdict, report.culprit, report.findings) == ("wrong", "backward", (told,))
        assert report.rows == (vtj.Row("x.grad", "backward", "fails", note=error),)
        assert report.title == "J (2, 2)"
    report = vtj.check(Cube.apply, X, order=2)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings == (f"order 2: {told}",)
