"""Checks of the causes that the pages of errors give, in `docs/how-to`."""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.utils.checkpoint import checkpoint

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


@statement("zeros from gradcheck", "`gradcheck` calls it with zeros as `v`, and expects zeros.")
def _() -> None:
    for multiplies in (True, False):
        for power in (2, 3):
            seen = list[Any]()

            def forward(ctx: Any, x: Any, power: int = power) -> Any:
                ctx.save_for_backward(x)
                return x**power

            def backward(ctx: Any, v: Any, power: int = power, seen: Any = seen) -> Any:
                seen.append(v.clone())
                derivative = power * ctx.saved_tensors[0] ** (power - 1)
                return v * derivative if multiplies else derivative  # noqa: B023

            parts = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
            function: Any = type("Power", (torch.autograd.Function,), parts)
            said = refused_check(function.apply)
            assert said == ("" if multiplies else "backward not multiplied by grad_output")
            assert not seen[-1].any(), power


def refused_check(function: Callable[..., Any]) -> str:
    """Return what `gradcheck` raises; "" if nothing."""
    try:
        gradcheck(function, leaf(1).double().detach().requires_grad_())
    except GradcheckError as error:
        return str(error)
    return ""


@statement(
    "reentrant looks at inputs",
    "A reentrant checkpoint looks at its inputs, and not at the parameters inside.",
)
def _() -> None:
    for layer in (nn.Linear(2, 1), nn.Bilinear(2, 2, 1), nn.LayerNorm(2)):
        inputs = 2 if isinstance(layer, nn.Bilinear) else 1
        for requires in (True, False):
            data = [torch.ones(2, requires_grad=requires)] * inputs
            for frozen in (True, False):
                layer.requires_grad_(not frozen)
                with warnings.catch_warnings(action="ignore"):
                    y: Any = checkpoint(layer, *data, use_reentrant=True)
                assert y.requires_grad is requires, layer
                y = checkpoint(layer, *data, use_reentrant=False)
                assert y.requires_grad is (requires or not frozen), layer
