import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.outcome import RefusesInputs, backward, finished, same, vjp

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


def test_f_that_cannot_be_called() -> None:
    with pytest.raises(TypeError) as raised:
        backward(3, X)
    assert str(raised.value) == "f is int; expected a function of tensors"


def test_integers_have_no_gradient() -> None:
    outcome = backward(lambda x: x, torch.tensor([1, 2]))
    assert "floating point" in str(outcome.error)
    assert (outcome.y, outcome.grad) == (None, None)


def test_not_a_tensor() -> None:
    outcome = backward(lambda x: [x], X)
    assert isinstance(outcome.error, TypeError)
    assert str(outcome.error) == "y is list; expected a torch.Tensor or a tuple of them"
    assert outcome.y is None
    assert str(backward(lambda x: (x, 1), X).error) == "y[1] is int; expected a torch.Tensor"


def test_nothing_leads_to_x() -> None:
    y = torch.ones(1, requires_grad=True)
    assert backward(lambda x: y * 2, X).grad is None
    assert torch.equal(vjp(lambda x: y * 2, X), torch.zeros(2))
    assert y.grad is None, "the gradient of another tensor must be left alone"


def test_the_gradient_of_another_tensor_is_left_alone_by_several_outputs() -> None:
    weight = torch.ones(2, requires_grad=True)
    outcome = backward(lambda x: (x * weight, weight.sum()), X, (torch.ones(2), torch.tensor(1.0)))
    assert torch.equal(outcome.grad, torch.ones(2))
    assert weight.grad is None


class Mutates(torch.autograd.Function):
    """The identity, whose backward writes into its argument."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: object, g: Tensor) -> Tensor:
        return g.mul_(2)


def test_v_and_x_that_are_written_to_are_seen_and_the_callers_are_not() -> None:
    v, x = torch.ones(2), X.clone()

    def f(x: Tensor) -> Tensor:
        x.data += 1
        return Mutates.apply(x)

    outcome = backward(f, x, v)
    assert (outcome.v_changed, outcome.x_changed) == (True, True)
    assert torch.equal(v, torch.ones(2))
    assert torch.equal(x, X)


@pytest.mark.parametrize("v", [torch.ones(2, 2), torch.eye(2).to_sparse()])
def test_v_of_any_layout_that_is_written_to_is_seen(v: Tensor) -> None:
    before = v.clone()
    assert backward(Mutates.apply, torch.ones(2, 2), v).v_changed
    assert torch.equal(v.to_dense(), before.to_dense())
    assert not backward(lambda x: x * 1, torch.ones(2, 2), v).v_changed


def test_v_of_several_outputs_that_is_written_to_is_seen() -> None:
    v = (torch.ones(2), torch.ones(2))
    assert backward(lambda x: (x * 1, Mutates.apply(x)), X, v).v_changed
    assert torch.equal(torch.stack(v), torch.ones(2, 2))
    assert not backward(lambda x: (x * 1, x * 2), X, v).v_changed


def test_a_v_that_is_left_out_or_refused_is_unchanged() -> None:
    assert not backward(torch.sum, X).v_changed
    assert not backward(torch.sum, X, [1.0]).v_changed


def test_x_that_gets_another_shape_is_changed() -> None:
    def f(x: Tensor) -> Tensor:
        x.data = x.data[:1]
        return x.sum()

    assert backward(f, X).x_changed
    assert backward(f, torch.ones(2)).x_changed


def test_reentrant_checkpoint_refuses_inputs_and_is_run_without() -> None:
    outcome = backward(lambda x: checkpoint(torch.square, x, use_reentrant=True), X, torch.ones(2))
    assert outcome.error is None
    assert torch.equal(outcome.grad, 2 * X)


def test_nan_is_the_same_as_nan() -> None:
    assert same(torch.tensor([torch.nan]), torch.tensor([torch.nan]))
    assert not same(torch.tensor([torch.nan]), torch.tensor([1.0]))
    assert not backward(torch.log, torch.tensor([torch.nan]), torch.ones(1)).x_changed


def test_values_are_the_same_in_one_shape_alone() -> None:
    assert not same(torch.ones(2), torch.ones(1, 2))
    assert not same(torch.ones(2), torch.ones(3))
    sparse = torch.eye(2).to_sparse()
    assert same(sparse, sparse.clone())
    assert not same(sparse, 2 * sparse)


def test_where_f_has_run_already_other_gradients_are_left_alone_too() -> None:
    weight, leaf = torch.ones(2, requires_grad=True), X.clone().requires_grad_()
    assert torch.equal(finished((leaf,), weight * leaf, X, torch.ones(2)).grad, torch.ones(2))
    assert weight.grad is None
    again = checkpoint(torch.square, leaf, use_reentrant=True)
    with pytest.raises(RefusesInputs):
        finished((leaf,), again, X, torch.ones(2))
