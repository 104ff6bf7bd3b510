"""Checks for the pages of `docs/tutorials`, the front page, and the questions and answers."""

import numpy as np
import torch

import vtj
from vtj.examples.three_outputs import three_outputs
from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import OPERATIONS, leaf


@statement(
    "softmax adds up to one",
    "The outputs of softmax add up to one, so the gradient of their sum is zero.",
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


@statement("confirmed", "If anything differed, this page would not exist.")
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
