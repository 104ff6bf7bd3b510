"""Where f is seen to detach, a backward that differences alone contradict is not at fault."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import vtj

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
DETACHED = "autograd does not see all of f (a detached path"
MEANT = "; if that is meant, say so (surrogate=f)"


def test_the_weight_of_a_spectral_norm_in_training() -> None:
    """Its power iteration runs under no_grad, and has no forward pass."""
    torch.manual_seed(0)
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))
    x = torch.randn(4)
    report = vtj.check(layer, x)
    assert [row.result for row in report.rows if row.what == "forward"] == ["not applicable"]
    assert (report.verdict, report.culprit) == ("wrong", "f")
    (finding,) = report.findings
    assert "/dparametrizations.weight.original[" in finding
    assert f": {DETACHED}, " in finding
    assert finding.endswith(MEANT)
    told = vtj.certify(layer, x)
    assert (told.verdict, told.culprit) == ("wrong", "f")
    assert f": {DETACHED}" in told.findings[0]
    assert told.findings[0].endswith(MEANT)
    assert vtj.check(layer, x, surrogate=layer)
    assert vtj.check(layer.eval(), x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * x.detach(),
        lambda x: x * x.data,
        lambda x: x * x[0].item(),
        torch.no_grad()(lambda x: x * x.sum()),
    ],
    ids=["detach", "data", "item", "no_grad"],
)
def test_a_detached_path_without_a_forward_pass(f: object) -> None:
    report = vtj.check(lambda x: x + f(x), X, engines=["reverse", "numeric"])
    assert (report.verdict, report.culprit) == ("wrong", "f")
    assert DETACHED in report.findings[0]
    assert report.findings[0].endswith(MEANT)


def meta_learned(x: Tensor) -> Tensor:
    """Take a step of gradient descent inside of f, of first order."""
    loss = (x.sin() ** 2).sum()
    (grad,) = torch.autograd.grad(loss, x, retain_graph=True)
    return (x - 0.1 * grad) ** 2


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + x * x.detach(),
        lambda x: x + torch.no_grad()(lambda x: x * x.sum())(x),
        lambda x: x.detach() ** 2,
        lambda x: nn.functional.gumbel_softmax(x, hard=True),
        meta_learned,
    ],
    ids=["detach", "no_grad", "all of it", "inside torch", "a gradient without create_graph"],
)
def test_beside_a_forward_pass_too(f: Callable[[Tensor], Tensor], verify: Any) -> None:
    """It errs as backward does where a path is detached, and heeds no ``no_grad``."""
    report = verify(f, X)
    assert "forward" in report.findings[0]
    assert (report.verdict, report.culprit) == ("wrong", "f")
    assert DETACHED in report.findings[0]
    assert report.findings[0].endswith(MEANT)


def hooked(x: Tensor) -> Tensor:
    y = x.sin()
    if y.requires_grad:
        y.register_hook(lambda grad: 2 * grad)
    with torch.no_grad():
        assert y.sum() > 0  # a value that is written to a log
    return y


@pytest.mark.parametrize("engines", [None, ["reverse", "numeric"]])
def test_without_one_it_is_backward(engines: list[str] | None) -> None:
    report = vtj.check(hooked, X, engines=engines)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings[0].endswith("the backward is wrong (the factor 2, 2 of 4 entries)")
