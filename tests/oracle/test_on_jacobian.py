"""Verdicts that need unusual witnesses."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, vector

X = vector(3)


def test_backward_and_forward_wrong_together_point_at_f() -> None:
    f = custom(lambda x: x**2, lambda x, g: 3 * x[0] * g, lambda x, u: 3 * x[0] * u)
    report = vtj.check(f, X, jacobian=lambda x: 2 * np.diag(x))
    assert report.culprit == "f"
    assert report.findings[0].startswith("dy[0]/dx[0]: by hand 1.2, backward 1.8, forward 1.8")


def test_forward_alone_against_differences() -> None:
    f = custom(torch.sin, lambda x, g: g * x[0].cos(), lambda x, u: u)
    report = vtj.check(f, X, engines=["forward", "numeric"])
    assert report.culprit == "forward"


def test_hand_derived_and_backward_with_nobody_to_decide() -> None:
    report = vtj.check(torch.sin, X, jacobian=np.eye(3), engines=["reverse"])
    assert (report.verdict, report.culprit) == ("undecided", None)
    assert report.findings[0].endswith("nobody to decide between them")


@pytest.mark.parametrize("f", [torch.sin, lambda x: x + torch.sin(1e9 * x) / 1e3])
def test_one_family_alone_is_not_enough(f: Any) -> None:
    report = vtj.check(f, X, engines=["numeric"])
    assert report.verdict == "undecided"


def test_a_wrong_vmap_rule_splits_a_family() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return Gradient.apply(ctx.saved_tensors[0], g)

    class Gradient(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor, g: Tensor) -> Tensor:
            return 2 * x * g

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
            pass

        @staticmethod
        def vmap(info: Any, dims: Any, x: Tensor, g: Tensor) -> tuple[Tensor, int]:
            return 4 * x * g, 0

    report = vtj.check(Square.apply, X)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings == (
        "dy[0]/dx[0]: reverse 1.2, jacrev 2.4: f has another derivative under torch.func's vmap",
    )


@pytest.mark.parametrize("engines", [None, ["jacrev", "numeric"]])
def test_a_wrong_vmap_rule_of_torch_speaks_against_nobody(engines: list[str] | None) -> None:
    """The batching rule of cdist's backward is wrong in torch 2.13; x.grad is right."""
    x = torch.tensor([[1.0, 2.0], [4.0, 6.0]], dtype=torch.float64)

    def distances(x: Tensor) -> Tensor:
        return torch.cdist(x, x)

    right = torch.autograd.functional.jacobian(distances, x)
    assert not torch.allclose(torch.func.jacrev(distances)(x), right)
    report = vtj.check(distances, x, engines=engines)
    assert report, str(report)
    row = next(row for row in report.rows if row.what == "jacrev")
    assert row.result == "not applicable"
    assert row.note == "torch's own vmap rule is wrong: dy[0,1]/dx[0,0]: reverse -0.6, jacrev 0"


def test_a_symbolic_engine_alone_in_its_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    import vtj.engines.symbolic

    monkeypatch.setattr(
        "vtj.engines.symbolic.jacobian", lambda f, x: torch.eye(3, dtype=torch.float64)
    )
    report = vtj.check(torch.sin, X, engines=["reverse", "forward", "symbolic"])
    assert report.verdict == "undecided"
    assert report.findings[0].endswith("symbolic 1: the formula is wrong")


def test_many_kinks_are_counted() -> None:
    report = vtj.check(torch.relu, torch.zeros(12))
    kinks = [row for row in report.rows if row.result == "kink"]
    assert report.verdict == "correct"
    assert (len(kinks), kinks[-1].note) == (9, "12 in all")


def test_a_gradient_in_the_memory_of_v_is_noted() -> None:
    report = vtj.check(lambda x: x.view(3, 1), X, torch.ones(3, 1))
    assert report.verdict == "correct"
    assert "x.grad lies in the memory of v" in str(report)


def test_no_engine_applies() -> None:
    report = vtj.check(custom(torch.sin, lambda x, g: g), X, engines=["jacrev", "forward"])
    assert report.verdict == "undecided"
    assert report.findings == ("none of the engines asked applies: jacrev, forward",)
    assert [row.result for row in report.rows] == ["not applicable"] * 2
