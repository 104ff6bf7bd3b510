"""A backward behind another call of f: what a Function keeps outside of its ctx is another's."""

from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import vector

X = vector(4)
latest: list[Tensor] = []


class Kept(torch.autograd.Function):
    """Right: what it saved is in its ctx."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        latest[:] = [x]
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Latest(Kept):
    """Takes the x of the latest call."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * latest[0] * g


class Once(Kept):
    """Raises where that x is another one."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        if not torch.equal(latest[0], x):
            raise RuntimeError("x is gone")
        return 2 * x * g


@pytest.mark.parametrize("reference", [None, torch.square])
@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    ("f", "says"),
    [
        (Kept, ""),
        (Latest, "another gradient where f is called elsewhere before backward"),
        (Once, "x.grad: backward raises RuntimeError: x is gone: where f is called elsewhere"),
    ],
)
def test_backward_behind_another_call(f: Any, says: str, verify: Any, reference: Any) -> None:
    report = verify(f.apply, X, reference=reference)
    expected = ("wrong", "backward") if says else ("correct", None)
    assert (report.verdict, report.culprit) == expected, str(report)
    (result,) = [row.result for row in report.rows if row.what == "another call between"]
    assert result == ("fails" if says else "holds")
    assert len(report.findings) == bool(says)
    assert all(says in one for one in report.findings)
