"""What `f` keeps between its calls is found and put back."""

from collections.abc import Callable
from functools import partial, wraps

import pytest
import torch
from torch import Tensor, nn

import vtj
from vtj.calling.state import state_kept

X = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
GLOBAL, FROZEN = nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval()
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


def wrapping(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    def double(x: Tensor) -> Tensor:
        return 2 * x

    return wraps(double)(lambda x: norm(double(x)))


def of_an_object(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    class Model:
        def loss(self, x: Tensor) -> Tensor:
            return norm(x).sum()

    return Model().loss


WAYS: dict[str, Callable[[nn.Module], Callable[[Tensor], Tensor]]] = {
    "itself": lambda norm: norm,
    "closed over": lambda norm: lambda x: norm(x),
    "positional argument": lambda norm: partial(lambda module, x: module(x), norm),
    "keyword argument": lambda norm: partial(lambda x, module: module(x), module=norm),
    "a partial's function": lambda norm: partial(lambda factor, x: norm(factor * x), 2.0),
    "bound method": lambda norm: norm.forward,
    "a wrapper": wrapping,
    "wrapped": lambda norm: torch.enable_grad()(lambda x: norm(x)),
    "a method": of_an_object,
    "global": lambda norm: lambda x: GLOBAL(x),
    "frozen beside it": lambda norm: lambda x: norm(FROZEN(x)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_module_is_found_however_f_refers_to_it(way: str) -> None:
    norm = GLOBAL if way == "global" else nn.BatchNorm1d(2)
    f = WAYS[way](norm)
    with state_kept(f) as kept:
        f(X)
        assert kept.changed == STATISTICS
    assert norm.running_mean.tolist() == [0.0, 0.0]
    assert norm.num_batches_tracked == 0


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


def test_a_buffer_that_becomes_another_tensor_is_put_back() -> None:
    counting = Counting()
    before = counting.calls
    report = vtj.check(counting, X)
    (told,) = (row.note for row in report.rows if row.what == "state of f")
    assert (bool(report), told) == (True, "f changed calls; put back")
    assert counting.calls is before
    assert counting.calls == 0


def test_a_buffer_that_is_made_is_taken_away_and_one_that_is_taken_away_is_given_back() -> None:
    caching = Caching()
    with state_kept(caching) as kept:
        assert kept.changed == []
        caching(X)
        assert kept.changed == ["mask"]
    assert caching.mask is None
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


def test_gradients_of_leaves_and_of_all_parameters_are_put_back() -> None:
    first, second, weight = nn.Linear(2, 2), nn.Linear(2, 2), torch.ones(2, requires_grad=True)
    leaves = [weight, *first.parameters(), *second.parameters()]
    grads = [torch.ones_like(leaf) for leaf in leaves]
    for leaf, grad in zip(leaves, grads, strict=True):
        leaf.grad = grad
    with state_kept(lambda x: second(first(x * weight))):
        assert [leaf.grad for leaf in leaves] == [None] * 5
        second(first(X * weight)).sum().backward()
    assert all(leaf.grad is grad for leaf, grad in zip(leaves, grads, strict=True))
    assert all(torch.equal(grad, torch.ones_like(grad)) for grad in grads)


def test_a_name_that_is_not_assigned_yet_is_no_state() -> None:
    def f(x: Tensor) -> Tensor:
        return x**2 if x.numel() else later

    assert vtj.check(f, X)
    later = X
    assert f(torch.empty(0)) is later


@pytest.mark.filterwarnings("ignore:.*weight_norm")
@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_every_call_finds_the_buffers_as_they_were(verify: Callable[..., vtj.Report]) -> None:
    """A spectral norm goes on from its last estimate, and would be another f at every call."""
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(3, 2)).double().requires_grad_(False)
    before = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    report = verify(layer, torch.tensor([1.0, 2.0, -0.5]))
    assert report, str(report)
    assert all(torch.equal(now, before[name]) for name, now in layer.named_buffers())
