"""A module is looked at with its parameters, in one call, and left as it was."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import custom

X = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.5]])
TWICE = custom(lambda x, w: x @ w.T, lambda x, g: (g @ x[1], 2 * g.T @ x[0]))
"""A linear layer with the gradient of its weight twice too large."""
verified = pytest.mark.parametrize("verify", [vtj.check, vtj.certify])


class Layer(nn.Linear):
    """A linear layer of a person's own."""

    def forward(self, x: Tensor) -> Tensor:
        return TWICE(x, self.weight) + self.bias

    def encode(self, x: Tensor) -> Tensor:
        return torch.tanh(self.forward(x))


@verified
@pytest.mark.parametrize(
    ("f", "name"),
    [
        (Layer(3, 2), "weight"),
        (Layer(3, 2).encode, "weight"),
        (nn.Sequential(nn.Tanh(), Layer(3, 2)), "1.weight"),
        (nn.Sequential(nn.Linear(3, 3).requires_grad_(False), Layer(3, 2).half()), "1.weight"),
    ],
    ids=["itself", "a method", "within another", "beside a frozen one"],
)
def test_a_wrong_gradient_of_a_weight_is_named(verify: Any, f: Any, name: str) -> None:
    report = verify(f, X)
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)
    assert f"/d{name}[" in report.findings[0]


RIGHT: dict[str, tuple[Callable[[], nn.Module], tuple[Any, ...]]] = {
    "batch norm": (lambda: nn.BatchNorm1d(3), (X,)),
    "half precision": (lambda: nn.Linear(3, 2).bfloat16(), (X.bfloat16(),)),
    "float32 beside float64": (lambda: nn.Linear(3, 2), (X.double(),)),
    "frozen": (lambda: nn.Linear(3, 2).requires_grad_(False), (X,)),
    "indices": (lambda: nn.Embedding(4, 2), (torch.tensor([3, 1, 1]),)),
    "padding": (lambda: nn.Embedding(4, 2, padding_idx=1), (torch.tensor([3, 1, 1]),)),
    "sparse gradients": (lambda: nn.Embedding(4, 2, sparse=True), (torch.tensor([3, 1, 1]),)),
    "sparse gradients, and a row for padding": (
        lambda: nn.Embedding(4, 2, padding_idx=1, sparse=True),
        (torch.tensor([3, 1, 1]),),
    ),
    "a target": (lambda: nn.CrossEntropyLoss(torch.ones(3)), (X, torch.tensor([1, 2]))),
    "attention": (lambda: nn.MultiheadAttention(2, 1), (X[:, :2], X[:, :2], X[:, 1:])),
    "a parametrization": (
        lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)),
        (X,),
    ),
    "shared": (lambda: Tied(), (X,)),
    "a checkpoint": (lambda: Checkpointed(), (X,)),
    "no inputs": (lambda: Alone(), ()),
}


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.second.weight = self.first.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.second(torch.tanh(self.first(x)))


class Checkpointed(nn.Module):
    """Its backward runs the layer again, after f has returned."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(lambda x: torch.tanh(self.layer(x)), x, use_reentrant=False)


class Alone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.0, -2.0]))

    def forward(self) -> Tensor:
        return self.scale**3


@verified
@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_module_is_correct_and_as_before(verify: Any, kind: str) -> None:
    torch.manual_seed(0)
    make, x = RIGHT[kind]
    module = make()
    before = {name: part.clone() for name, part in module.state_dict().items()}
    held = {id(part) for part in (*module.parameters(), *module.buffers())}
    report = verify(module, x)
    assert report, str(report)
    assert "float64" in report.title
    assert not [row for row in report.rows if row.what == "not checked"]
    after = module.state_dict()
    assert all(torch.equal(after[name], part) for name, part in before.items())
    assert {id(part) for part in (*module.parameters(), *module.buffers())} == held
    assert all(part.grad is None for part in module.parameters())


@verified
def test_a_recurrent_network_has_its_own_list_of_weights_again(verify: Any) -> None:
    net = nn.GRU(2, 1)
    assert verify(net, torch.tensor([[1.0, 2.0], [3.0, -1.0]]))
    assert all(a is b for a, b in zip(net._flat_weights, net.parameters(), strict=True))


@verified
def test_an_error_of_a_module_leaves_it_as_it_was(verify: Any) -> None:
    net = nn.Linear(3, 2)
    weight = net.weight
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        verify(net, X[:, :2])
    assert net.weight is weight


def test_a_jacobian_by_hand_is_that_of_x_alone() -> None:
    net = nn.Linear(3, 2)
    x = X[0]
    report = vtj.check(net, x, jacobian=net.weight.detach())
    assert report.verdict == "undecided"
    assert report.findings[0].startswith("not checked, since x does not hold them: weight (2, 3)")
    assert vtj.check(net.requires_grad_(False), x, jacobian=net.weight.detach())


@verified
def test_a_weight_that_the_graph_has_lost_is_a_detached_path(verify: Any) -> None:
    net = nn.Linear(3, 2)
    net.forward = lambda x: x @ net.weight.detach().T  # type: ignore[method-assign]
    report = verify(net, X)
    assert (report.verdict, report.culprit) == ("wrong", "f"), str(report)
    assert "/dweight[" in report.findings[0]
