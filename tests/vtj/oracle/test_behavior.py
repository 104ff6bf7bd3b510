"""What backward passes are observed to do, beyond one gradient."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from vtj.calling.tensors import Tensors
from vtj.oracle.behavior import (
    CREATE_GRAPH,
    WITH_AND_WITHOUT,
    Judged,
    Observed,
    observe,
    random_weights,
    rounding_between,
    same_up_to_rounding,
    signed,
)
from vtj.oracle.trial import Trial, try_out
from vtj.oracle.voting import Witness, product, unnamed

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
V = torch.tensor([1.0, 10.0], dtype=torch.float64)


def agreed(trial: Trial, off: float = 0.0) -> Witness:
    """Give J, or what is off from it by that much everywhere."""
    J = torch.autograd.functional.jacobian(trial.f, trial.x)  # noqa: N806 - J is the term
    return Witness("agreed", "agreed", trial.matrix(J) + off)


def seen(f: Callable[..., Any], x: Tensors = X, v: Tensors | None = V, seed: int = 0) -> Observed:
    trial = try_out(f, x, seed=seed)
    return observe(trial, v)


def cube(x: Tensor) -> Tensor:
    return x**3


def test_the_signed_weights_are_drawn_by_the_seed() -> None:
    first, again, other = (
        seen(torch.sin, torch.ones(100), torch.ones(100), seed).signed_weights for seed in (1, 1, 2)
    )
    assert first.tolist() == again.tolist() != other.tolist()
    assert abs(first).min() >= 0.1
    assert 1 < abs(first).max() <= 10
    assert (first < 0).any()
    assert (first > 0).any()


def test_magnitudes_fill_the_range_that_was_asked_for_with_both_signs() -> None:
    drawn = random_weights(0, 10_000, 0.5, 2)
    for half in (drawn[drawn > 0], -drawn[drawn < 0]):
        assert 4_800 < half.size < 5_200
        assert 0.5 <= half.min() < 0.51
        assert 1.99 < half.max() <= 2
        assert abs(half.mean() - 1.25) < 0.02


def two(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Have a second output that no gradient can come from."""
    return a * b, b.detach() ** 2, b.sum()


PARTS = (X, 3 * X)
VS = (V, 5 * V, torch.tensor(100.0, dtype=torch.float64))


def test_an_output_without_a_gradient_is_left_out() -> None:
    found = seen(two, PARTS, VS)
    assert found.weights.tolist() == [1, 10, 0, 0, 100]
    assert (found.signed_weights == 0).tolist() == [False, False, True, True, False]
    grads = [[3.0, 60.0], [101.0, 120.0]]
    assert [part.tolist() for part in found.first.grad] == grads  # type: ignore[union-attr]
    flat = np.array(grads).reshape(-1)
    assert np.asarray(found.twice).tolist() == (2 * flat).tolist()
    assert np.asarray(found.graph).tolist() == flat.tolist()


class Counts(torch.autograd.Function):
    """Its backward counts the passes of its graph, and writes into v."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.passes = 0
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        ctx.passes += 1
        return g.mul_(2 if ctx.passes == 1 else 100)


def test_what_backward_writes_into_v_reaches_nobody() -> None:
    v = V.clone()
    found = seen(Counts.apply, v=v)
    assert v.tolist() == [1, 10]
    assert (found.first.v_changed, found.again.v_changed) == (True, True)
    assert found.again.grad.tolist() == [2, 20]  # type: ignore[union-attr]
    assert np.asarray(found.graph).tolist() == [2, 20]


class Spoils(torch.autograd.Function):
    """An exponential whose backward writes into the output that it saved."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        grad = g * y
        y.data.mul_(2)
        return grad


@pytest.mark.parametrize(
    "verify",
    [
        vtj.check,
        vtj.certify,
        partial(vtj.certify, probes=1),
        partial(vtj.check, reference=torch.exp),
    ],
    ids=["check", "certify", "certify, one probe", "beside a plain function"],
)
@pytest.mark.parametrize("n", [1, 4])
def test_what_backward_writes_into_y_is_no_fault_of_f(verify: Any, n: int) -> None:
    report = verify(Spoils.apply, torch.linspace(0.5, 2, n))
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings[0].startswith("y: backward writes into y, the output of f: ")
    told = {row.what: row.result for row in report.rows}
    assert (told["y unchanged"], told["y repeatable"]) == ("fails", "holds")
    assert "y unchanged" not in [row.what for row in verify(torch.exp, X).rows]


@pytest.mark.parametrize(
    ("f", "v", "shares"),
    [
        (lambda x: x.view(2, 1), V[:, None], True),
        (lambda x: (x.view(2, 1), 2 * x), (V[:, None], V), False),
        (lambda x: 1 * x, V, False),
    ],
)
def test_whether_a_gradient_lies_in_the_memory_of_v(f: Any, v: Any, shares: bool) -> None:
    assert seen(f, v=v).shares == shares


def cancels(x: Tensor) -> Tensor:
    """Give what has gradients of nothing but rounding."""
    return x.softmax(0).sum()


def rounding(trial: Trial, v: Tensors, value: float = 1.0) -> np.ndarray:
    weights = np.where(trial.reached, trial.weighing(v), 0.0)
    right = product(agreed(trial, value), weights)
    return rounding_between(trial, weights, unnamed(trial.vjp(weights)), right)


def test_rounding_is_measured_where_a_gradient_seems_off() -> None:
    trial = try_out(cancels, torch.tensor([0.3, -1.7, 2.9], dtype=torch.float64))
    for off in (rounding(trial, torch.ones(())), rounding(trial, signed(trial))):
        assert (off > 1e-18).all()
        assert (off < 1e-13).all()


def test_rounding_of_several_inputs_and_outputs() -> None:
    trial = try_out(two, PARTS)
    for off in (rounding(trial, VS), rounding(trial, signed(trial))):
        assert off.shape == (4,)
        assert (off < 1e-11).all()


def under_create_graph(part: float) -> Callable[..., Any]:
    class Another(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g * (2 * (1 + part) if torch.is_grad_enabled() else 2)

    return Another.apply


def of_graph(trial: Trial) -> tuple[np.ndarray, np.ndarray, Judged]:
    """Give the gradient under create_graph, how far it may be off, and what is said of it."""
    found = observe(trial, V)
    assert isinstance(found.graph, np.ndarray)
    first = trial.gradient(found.first.grad)
    right, v = unnamed(first, 0.0, abs(first)), found.weights
    off = rounding_between(trial, v, unnamed(found.graph), right, WITH_AND_WITHOUT)
    told = same_up_to_rounding(trial, CREATE_GRAPH, v, found.graph, right, WITH_AND_WITHOUT)
    return found.graph, off, told


def test_what_is_another_under_create_graph_is_not_excused() -> None:
    graph, off, told = of_graph(try_out(under_create_graph(1e-6), X))
    assert graph.tolist() == pytest.approx([2 * (1 + 1e-6), 20 * (1 + 1e-6)])
    assert (off > 0).all()
    assert (off < 1e-9).all()
    assert told.finding


def test_last_digits_under_create_graph_need_no_excuse() -> None:
    graph, off, told = of_graph(try_out(under_create_graph(1e-15), X))
    assert graph.tolist() != [2, 20]
    assert off.tolist() == [0, 0]
    assert not told.finding
