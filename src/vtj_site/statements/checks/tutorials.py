"""Checks for the pages of `docs/tutorials`, the front page, and the questions and answers."""

from typing import Any

import numpy as np
import torch

import vtj
from vtj.examples.three_outputs import three_outputs
from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import OPERATIONS, leaf


@statement(
    "softmax adds up to one",
    "The outputs of softmax add up to one, so the gradient of their sum is zero, up to rounding.",
)
def _() -> None:
    generator = torch.Generator().manual_seed(0)
    for elements in range(1, 9):
        for size in (1e-3, 1.0, 1e3):
            x = size * torch.randn(elements, generator=generator, dtype=torch.float64)
            x.requires_grad_()
            total = x.softmax(0).sum()
            (gradient,) = torch.autograd.grad(total, x)
            torch.testing.assert_close(total, torch.ones_like(total))
            torch.testing.assert_close(gradient, torch.zeros_like(gradient))


@statement(
    "handed on the way back",
    "In `loss.backward()`, each operation is handed one number for each of its outputs: how fast "
    "the loss grows if that output grows.",
)
def _() -> None:
    for f in OPERATIONS:
        handed = list[torch.Tensor]()
        y = f(leaf(2, 2))
        y.grad_fn.register_prehook(handed.extend)
        (y**2).sum().backward()
        torch.testing.assert_close(handed[0], 2 * y.detach())


@statement(
    "used twice",
    "If a tensor is used twice, two contributions flow back into it, and its gradient is their "
    "sum.",
)
@statement("ways meet", "Where ways meet, what they bring is added up.")
def _() -> None:
    for f in OPERATIONS:
        one, two, both = leaf(2, 2), leaf(2, 2), leaf(2, 2)
        f(one).sum().backward()
        (two**3).sum().backward()
        (f(both).sum() + (both**3).sum()).backward()
        torch.testing.assert_close(both.grad, one.grad + two.grad)


@statement(
    "ways of the oracle",
    "The oracle compares what the cells above computed with Jacobians found in other ways: "
    "backward row by row, forward column by column, and by differences.",
)
def _() -> None:
    engines = str(three_outputs().check())
    for way in ("reverse", "forward", "numeric"):
        assert way in engines, way


@statement("confirmed", "If one of these values differed, the build would fail here.")
def _() -> None:
    x, v = (torch.from_numpy(np.asarray(each)) for each in ([1.0, 2.0], [1.0, 10.0, 100.0]))
    y, J = three_outputs().f(x), vtj.jacobian(three_outputs().f, x, "forward").numpy()  # noqa: N806
    right = {"y": y, "grad": v @ torch.from_numpy(J), "jacobian": J, "product": v.numpy() @ J}
    assert three_outputs().confirm(**right)
    for name in right:
        try:
            three_outputs().confirm(**right | {name: 2 * right[name]})
        except vtj.JacobianMismatch:
            continue
        raise AssertionError(name)


@statement(
    "right angles",
    "`x.grad` stands at right angles to the line through `x`: that way the pretend loss grows "
    "fastest.",
)
def _() -> None:
    around = torch.linspace(0, 2 * torch.pi, 360, dtype=torch.float64)[:-1]
    steps = 1e-5 * torch.stack([around.cos(), around.sin()], 1)
    for f in (
        lambda x: torch.stack([x @ x, x.prod()]),
        lambda x: x.softmax(0),
        lambda x: torch.stack([x[0] + x[1] / 2, x[1] - x[0] / 2]),
    ):
        for v in torch.tensor([[1.0, 10.0], [-3.0, 1.0]], dtype=torch.float64):
            x: Any = torch.tensor([0.75, -0.5], dtype=torch.float64, requires_grad=True)
            f(x).backward(v)
            here = x.detach()
            grows = torch.stack([v @ (f(here + step) - f(here - step)) for step in steps])
            along = steps @ x.grad / (steps.norm(dim=1) * x.grad.norm())
            assert along[grows.argmax()] > 0.999, (f, v)
            assert along[grows.abs().argmin()].abs() < 0.01, (f, v)  # on the line


@statement(
    "made in between",
    "What `forward` made in between is a constant there, and the second derivative is silently "
    "wrong.",
)
def _() -> None:
    class Kept(torch.autograd.Function):  # exp of x, twice
        @staticmethod
        def forward(ctx: Any, x: Any, outputs: bool) -> Any:
            between = x.exp()
            y = between.exp()
            ctx.save_for_backward(x, between, y)
            ctx.outputs = outputs
            return y

        @staticmethod
        def backward(ctx: Any, v: Any) -> Any:
            x, between, y = ctx.saved_tensors
            return v * y * (x.exp() if ctx.outputs else between), None

    for at in (-1.0, 0.25, 0.5):
        x = torch.tensor(at, requires_grad=True)
        (first,) = torch.autograd.grad(x.exp().exp(), x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        for outputs in (True, False):
            y = Kept.apply(x, outputs)  # type: ignore[no-untyped-call]
            (found,) = torch.autograd.grad(y, x, create_graph=True)
            torch.testing.assert_close(found, first)
            (twice,) = torch.autograd.grad(found, x)
            assert twice.isclose(second) == outputs, (at, outputs)
