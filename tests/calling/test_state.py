"""What `f` keeps between its calls is found and put back."""

from collections.abc import Callable
from functools import partial, wraps

import pytest
import torch
from torch import Tensor, nn

import vtj
from vtj.calling.state import state_kept

X = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
STATISTICS = ["running_mean", "running_var", "num_batches_tracked"]


class Counting(nn.Module):
    """Counts its calls in a buffer that is another tensor after each."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        self.calls = self.calls + 1
        return 2 * x


class Caching(nn.Module):
    """Makes a buffer at its first call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", None)

    def forward(self, x: Tensor) -> Tensor:
        if self.mask is None:
            self.mask = torch.ones_like(x)
        return x * self.mask


def closing_over(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return lambda x: norm(x)


def with_default(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return partial(lambda module, x: module(x), norm)


def with_keyword(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return partial(lambda x, module: module(x), module=norm)


def partly(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return partial(lambda factor, x: norm(factor * x), 2.0)


def bound(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return norm.forward


def wrapping(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    def double(x: Tensor) -> Tensor:
        return 2 * x

    @wraps(double)
    def normalized(x: Tensor) -> Tensor:
        return norm(double(x))

    return normalized


def wrapped(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    return torch.enable_grad()(lambda x: norm(x))


def of_an_object(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    class Model:
        def loss(self, x: Tensor) -> Tensor:
            return norm(x).sum()

    return Model().loss


@pytest.mark.parametrize(
    "made",
    [
        lambda norm: norm,
        closing_over,
        with_default,
        with_keyword,
        partly,
        bound,
        wrapping,
        wrapped,
        of_an_object,
    ],
)
def test_a_module_is_found_however_f_refers_to_it(
    made: Callable[[nn.Module], Callable[[Tensor], Tensor]],
) -> None:
    norm = nn.BatchNorm1d(2)
    f = made(norm)
    with state_kept(f) as kept:
        f(X)
        assert kept.changed == STATISTICS
    assert norm.running_mean.tolist() == [0.0, 0.0]
    assert norm.num_batches_tracked == 0


GLOBAL = nn.BatchNorm1d(2)


def test_a_module_that_is_a_global_is_found() -> None:
    with state_kept(lambda x: GLOBAL(x)) as kept:
        GLOBAL(X)
        assert kept.changed == STATISTICS
    assert GLOBAL.running_mean.tolist() == [0.0, 0.0]


def test_state_of_two_modules_with_the_same_names() -> None:
    first, second = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    with state_kept(lambda x: second(first(x))) as kept:
        second(first(X))
        assert kept.changed == STATISTICS * 2
    for norm in (first, second):
        assert norm.running_mean.tolist() == [0.0, 0.0]


def test_a_buffer_is_named_from_the_module_that_f_refers_to() -> None:
    net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    with state_kept(net) as kept:
        net(X)
        assert kept.changed == [f"0.1.{name}" for name in STATISTICS]


def test_a_buffer_that_did_not_change_is_not_named() -> None:
    norm, frozen = nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval()
    with state_kept(lambda x: norm(frozen(x))) as kept:
        norm(frozen(X))
        assert kept.changed == STATISTICS


def test_a_buffer_that_becomes_another_tensor_is_put_back() -> None:
    counting = Counting()
    before = counting.calls
    report = vtj.check(counting, X)
    assert report
    assert [row.note for row in report.rows if row.what == "state of f"] == [
        "f changed calls; put back"
    ]
    assert counting.calls is before
    assert counting.calls == 0


def test_a_buffer_that_is_made_at_the_first_call_is_taken_away() -> None:
    caching = Caching()
    with state_kept(caching) as kept:
        assert kept.changed == []
        caching(X)
        assert kept.changed == ["mask"]
    assert caching.mask is None
    assert torch.equal(caching(X), X)


def test_a_buffer_that_is_taken_away_is_given_back() -> None:
    caching = Caching()
    caching(X)
    made = caching.mask
    with state_kept(caching) as kept:
        caching.mask = None
        assert kept.changed == ["mask"]
    assert caching.mask is made


def test_a_buffer_in_another_shape_is_put_back() -> None:
    counting = Counting()
    with state_kept(counting) as kept:
        counting.calls.unsqueeze_(0)
        assert kept.changed == ["calls"]
    assert counting.calls.shape == ()


def test_gradients_of_closed_over_leaves_are_put_back() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.full((2,), 5.0)
    with state_kept(lambda x: x * weight):
        assert weight.grad is None
        (weight * 2).sum().backward()
    assert weight.grad.tolist() == [5.0, 5.0]


def test_gradients_of_all_parameters_are_put_back() -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    parameters = [*first.parameters(), *second.parameters()]
    grads = [torch.ones_like(parameter) for parameter in parameters]
    for parameter, grad in zip(parameters, grads, strict=True):
        parameter.grad = grad
    with state_kept(lambda x: second(first(x))):
        assert [parameter.grad for parameter in parameters] == [None] * 4
        second(first(X)).sum().backward()
    assert all(p.grad is grad for p, grad in zip(parameters, grads, strict=True))
    assert all(torch.equal(grad, torch.ones_like(grad)) for grad in grads)


def test_a_name_that_is_not_assigned_yet_is_no_state() -> None:
    def f(x: Tensor) -> Tensor:
        return x**2 if x.numel() else later

    assert vtj.check(f, X)
    later = X
    assert f(torch.empty(0)) is later
