"""Checks of the causes that the pages of errors give, in `docs/how-to`."""

from collections.abc import Callable
from typing import Any

import torch

from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import leaf, refused

SAVING: tuple[Callable[..., Any], ...] = (torch.exp, torch.tanh, torch.sigmoid, torch.sqrt)
"""Operations that save their result."""


@statement(
    "second backward",
    "The first `backward` frees what the graph has saved, and a second one through the same graph "
    "needs it.",
)
def _() -> None:
    for f in SAVING:
        y = f(leaf(3))
        assert y.grad_fn._saved_result.equal(y), f
        y.sum().backward()
        assert "already been freed" in refused(getattr, y.grad_fn, "_saved_result"), f
        assert "a second time" in refused(y.sum().backward), f
    saves_nothing = leaf(3) + 1
    saves_nothing.sum().backward()
    assert not refused(saves_nothing.sum().backward)


@statement(
    "overwritten before backward",
    "An in-place operation overwrote a tensor that the forward pass had saved for `backward`, "
    "such as `y += 1` after `y = x.exp()`, or `optimizer.step()` before a second `backward`.",
)
def _() -> None:
    said = "modified by an inplace operation"
    for f in SAVING:
        y = f(leaf(3))
        y += 1
        assert said in refused(y.sum().backward), f
    saves_nothing = leaf(3) + 1
    saves_nothing += 1
    assert not refused(saves_nothing.sum().backward)
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.Adagrad):
        w = leaf(3)
        first, second = (w * w).sum(), (w * w * w).sum()
        first.backward()
        optimizer([w]).step()
        assert said in refused(second.backward), optimizer


@statement(
    "inference tensors",
    "Torch cannot tell whether an inference tensor was overwritten, so it refuses to save it for "
    "`backward`.",
)
def _() -> None:
    for f in (torch.mul, torch.div, torch.dot):
        with torch.inference_mode():
            tensor = torch.ones(3)
        assert "do not track version counter" in refused(getattr, tensor, "_version"), f
        assert "Inference tensors cannot be saved" in refused(f, leaf(3), tensor), f
        normal = torch.ones(3)
        y = f(leaf(3), normal)
        normal += 1
        assert normal._version == 1
        assert "is at version 1; expected version 0" in refused(y.sum().backward), f
    assert (leaf(3) + tensor).requires_grad  # which saves nothing
