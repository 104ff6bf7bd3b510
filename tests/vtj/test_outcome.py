from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from tests.zoo.bug import custom
from vtj.outcome import RefusesInputs, backward, finished, same, vjp

X = torch.tensor([1.0, 2.0])


def test_gradients_and_values_of_one_and_of_tuples() -> None:
    outcome = backward(lambda x: 3 * x**2, X, torch.tensor([1.0, 10.0]))
    assert (outcome.y.tolist(), outcome.grad.tolist()) == ([3.0, 12.0], [6.0, 120.0])
    assert (outcome.error, outcome.v_changed, outcome.x_changed) == (None, False, False)
    v = (torch.ones(2), torch.tensor(10.0))
    outcome = backward(lambda a, b: (a * b, a.sum()), (X, X + 1), v)
    assert [part.tolist() for part in outcome.grad] == [[12.0, 13.0], [1.0, 2.0]]
    assert [part.tolist() for part in outcome.y] == [[2.0, 6.0], 3.0]


@pytest.mark.parametrize(
    ("v", "error", "message"),
    [
        (torch.ones(3), RuntimeError, "Mismatch in shape: grad_output"),
        ([1.0, 1.0], TypeError, "gradients can be either Tensors or None"),
        (1.0, TypeError, "'float' object is not iterable"),
        (None, RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ],
)
def test_torchs_own_error_is_part_of_the_outcome(v: object, error: type, message: str) -> None:
    outcome = backward(lambda x: 3 * x**2, X, v)
    assert isinstance(outcome.error, error)
    assert message in str(outcome.error)
    assert outcome.grad is None
    with pytest.raises(error, match=message.split(":")[0]):
        vjp(lambda x: 3 * x**2, X, v)


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (lambda x: x, torch.tensor([1, 2]), "only Tensors of floating point"),
        (lambda x: [x], X, "y is list; expected a torch.Tensor or a tuple of them"),
        (lambda x: (x, 1), X, "y[1] is int; expected a torch.Tensor"),
    ],
    ids=["integers", "a list", "an integer among them"],
)
def test_what_has_no_gradient_is_part_of_the_outcome(f: Any, x: Tensor, message: str) -> None:
    outcome = backward(f, x)
    assert message in str(outcome.error)
    assert (outcome.y, outcome.grad) == (None, None)


def test_the_gradient_of_another_tensor_is_left_alone() -> None:
    weight = torch.ones(2, requires_grad=True)
    assert backward(lambda x: weight.sum(), X).grad is None
    assert torch.equal(vjp(lambda x: weight.sum(), X), torch.zeros(2))
    outcome = backward(lambda x: (x * weight, weight.sum()), X, (torch.ones(2), torch.tensor(1.0)))
    assert torch.equal(outcome.grad, torch.ones(2))
    leaf = X.clone().requires_grad_()
    assert torch.equal(finished((leaf,), weight * leaf, X, torch.ones(2)).grad, torch.ones(2))
    assert weight.grad is None


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


MUTATES = custom(lambda x: x * 1, lambda x, g: g.mul_(2))
"""The identity, whose backward writes into its argument."""


def test_v_and_x_that_are_written_to_are_seen_and_the_callers_are_not() -> None:
    v, x = torch.ones(2), X.clone()

    def f(x: Tensor) -> Tensor:
        x.data += 1
        return MUTATES(x)

    outcome = backward(f, x, v)
    assert (outcome.v_changed, outcome.x_changed) == (True, True)
    assert torch.equal(v, torch.ones(2))
    assert torch.equal(x, X)


@pytest.mark.parametrize(
    "v", [torch.ones(2, 2), torch.eye(2).to_sparse(), (torch.ones(2, 2), torch.ones(2, 2))]
)
def test_v_of_any_kind_that_is_written_to_is_seen(v: Any) -> None:
    parts = v if isinstance(v, tuple) else (v,)
    before = [part.to_dense().clone() for part in parts]
    for last, changed in ((MUTATES, True), (torch.neg, False)):

        def f(x: Tensor, last: Any = last) -> Any:
            y = (*(x * 1 for _ in parts[1:]), last(x))
            return y if isinstance(v, tuple) else y[0]

        assert backward(f, torch.ones(2, 2), v).v_changed is changed
    assert all(torch.equal(a.to_dense(), b) for a, b in zip(parts, before, strict=True))


def test_a_v_that_is_left_out_or_refused_is_unchanged() -> None:
    assert not backward(torch.sum, X).v_changed
    assert not backward(torch.sum, X, [1.0]).v_changed


def test_x_that_gets_another_shape_is_changed_and_one_of_nan_is_not() -> None:
    def f(x: Tensor) -> Tensor:
        x.data = x.data[:1]
        return x.sum()

    assert backward(f, X).x_changed
    assert backward(f, torch.ones(2)).x_changed
    assert not backward(torch.log, torch.tensor([torch.nan]), torch.ones(1)).x_changed


def test_reentrant_checkpoint_refuses_inputs_and_is_run_without() -> None:
    outcome = backward(lambda x: checkpoint(torch.square, x, use_reentrant=True), X, torch.ones(2))
    assert outcome.error is None
    assert torch.equal(outcome.grad, 2 * X)
    leaf = X.clone().requires_grad_()
    with pytest.raises(RefusesInputs):
        finished((leaf,), checkpoint(torch.square, leaf, use_reentrant=True), X, torch.ones(2))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (torch.tensor([torch.nan]), torch.tensor([torch.nan]), True),
        (torch.tensor([torch.nan]), torch.tensor([1.0]), False),
        (torch.ones(2), torch.ones(1, 2), False),
        (torch.ones(2), torch.ones(3), False),
        (torch.eye(2).to_sparse(), torch.eye(2).to_sparse(), True),
        (torch.eye(2).to_sparse(), 2 * torch.eye(2).to_sparse(), False),
    ],
)
def test_values_are_the_same_in_one_shape_alone(a: Tensor, b: Tensor, expected: bool) -> None:
    assert same(a, b) is expected


@pytest.mark.parametrize("of", [lambda y: y, lambda y: (y, y.sum())], ids=["tensor", "tuple"])
def test_y_that_backward_writes_to_is_seen_and_told_as_it_was(of: Any) -> None:
    outcome = backward(lambda x: of(Spoils.apply(x)), X, of(torch.ones(2)))
    assert outcome.y_changed
    assert torch.equal(outcome.y[0] if isinstance(outcome.y, tuple) else outcome.y, X.exp())
    assert not backward(lambda x: of(x.exp()), X, of(torch.ones(2))).y_changed
    assert not backward(lambda x: of(x.log()), -X, of(torch.ones(2))).y_changed  # nan
