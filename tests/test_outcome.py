import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.outcome import backward, same, vjp

X = torch.tensor([1.0, 2.0])


def test_gradient_and_value() -> None:
    outcome = backward(lambda x: 3 * x**2, X, torch.tensor([1.0, 10.0]))
    assert outcome.error is None
    assert torch.equal(outcome.y, torch.tensor([3.0, 12.0]))
    assert torch.equal(outcome.grad, torch.tensor([6.0, 120.0]))
    assert (outcome.v_changed, outcome.x_changed) == (False, False)


def test_tuples_in_and_out() -> None:
    outcome = backward(
        lambda a, b: (a * b, a.sum()), (X, X + 1), (torch.ones(2), torch.tensor(10.0))
    )
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


def test_integers_have_no_gradient() -> None:
    outcome = backward(lambda x: x, torch.tensor([1, 2]))
    assert "floating point" in str(outcome.error)
    assert (outcome.y, outcome.grad) == (None, None)


def test_not_a_tensor() -> None:
    outcome = backward(lambda x: [x], X)
    assert isinstance(outcome.error, TypeError)
    assert outcome.y is None


def test_nothing_leads_to_x() -> None:
    y = torch.ones(1, requires_grad=True)
    assert backward(lambda x: y * 2, X).grad is None
    assert torch.equal(vjp(lambda x: y * 2, X), torch.zeros(2))
    assert y.grad is None, "the gradient of another tensor must be left alone"


def test_v_and_x_that_are_written_to_are_seen_and_the_callers_are_not() -> None:
    class Mutates(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: Tensor) -> Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: object, g: Tensor) -> Tensor:
            return g.mul_(2)

    v, x = torch.ones(2), X.clone()

    def f(x: Tensor) -> Tensor:
        x.data += 1
        return Mutates.apply(x)

    outcome = backward(f, x, v)
    assert (outcome.v_changed, outcome.x_changed) == (True, True)
    assert torch.equal(v, torch.ones(2))
    assert torch.equal(x, X)


def test_reentrant_checkpoint_refuses_inputs_and_is_run_without() -> None:
    outcome = backward(lambda x: checkpoint(torch.square, x, use_reentrant=True), X, torch.ones(2))
    assert outcome.error is None
    assert torch.equal(outcome.grad, 2 * X)


def test_nan_is_the_same_as_nan() -> None:
    assert same(torch.tensor([torch.nan]), torch.tensor([torch.nan]))
    assert not same(torch.tensor([torch.nan]), torch.tensor([1.0]))
    assert not backward(torch.log, torch.tensor([torch.nan]), torch.ones(1)).x_changed
