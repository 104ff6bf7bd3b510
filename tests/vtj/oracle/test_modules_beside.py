"""A module beside a plain one: its parameters are handed to both, which are left as they were."""

from copy import deepcopy
from types import MethodType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import vtj
from tests.zoo.bug import custom

verified = pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
TOLD = "hand in plain modules (no script, no DistributedDataParallel) as f and reference=, whose"
TOLD += " parameters have the same names and shapes"


def product(factor: float) -> Any:
    """Return a product that adds up in float32, the gradient of its weight off by a factor."""

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> tuple[Tensor, Tensor]:
        x, w = (part.float() for part in saved)
        of_x, of_w = v.float() @ w, factor * v.float().T @ x
        return of_x.to(v), of_w.to(v)

    return custom(lambda x, w: (x.float() @ w.float().T).to(x), backward)


class Plain(nn.Module):
    """A product, moved by a buffer, and a bias."""

    mean: Tensor
    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(6))
        self.weight = nn.Parameter(torch.randn(6, 8) / 3)
        self.register_buffer("mean", torch.tensor(0.5))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return functional.linear(x - self.mean, self.weight, self.bias)

    def reversed(self, x: Tensor) -> Tensor:
        """Give the opposite gradient back, as of a gradient reversal behind it."""
        y = self.forward(x)
        return (2 * y).detach() - y


class Kernel(Plain):
    """The same by a custom Function, whose parameters stand in another order."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        bias = self.bias
        del self.bias
        self.bias = bias
        self.product = product(factor)

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.product(x - self.mean, self.weight) + self.bias


def drawn(factor: float = 1.0) -> tuple[Kernel, Tensor]:
    """Return a module in bfloat16, and an input."""
    torch.manual_seed(0)
    return Kernel(factor).bfloat16(), torch.randn(4, 8).bfloat16()


@verified
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("held", [False, True], ids=["trained", "frozen"])
def test_the_gradient_of_a_weight_is_compared_with_that_of_the_reference(
    verify: Any, dtype: torch.dtype, held: bool
) -> None:
    right, x = drawn()
    plain = Plain().to(dtype).requires_grad_(not held)  # of other values, which are not looked at
    report = verify(right, x, reference=plain)
    assert report, str(report)
    assert "in bfloat16, beside reference in float64" in report.title
    assert not [row for row in report.rows if row.what == "not checked"]
    wrong, _ = drawn(1.05)
    report = verify(wrong.forward, x, reference=plain.forward)
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)
    assert report.findings[0].startswith("weight.grad[")


@verified
def test_a_surrogate_that_is_a_module_is_handed_them_too(verify: Any) -> None:
    class Reversed(Kernel):
        def forward(self, x: Tensor) -> Tensor:
            return custom(lambda y: y * 1, lambda y, v: -v)(super().forward(x))

    torch.manual_seed(0)
    x, plain = torch.randn(4, 8), Plain()
    given = {"reference": plain, "surrogate": plain.reversed}
    assert verify(Reversed(), x, **given)
    assert verify(Reversed(1.05), x, **given).findings[0].startswith("weight.grad[")
    # one of two that has no parameters is a function of x alone
    report = verify(Reversed(), x, reference=plain, surrogate=lambda x: -plain(x))
    assert report.verdict != "correct"
    assert [row.note for row in report.rows if row.what == "not checked"]


class Fewer(Plain):
    def __init__(self) -> None:
        super().__init__()
        bias = self.bias.detach()
        del self.bias
        vars(self)["bias"] = bias


class More(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))


class Wider(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1, 6))


@verified
@pytest.mark.parametrize("other", [Fewer, More, Wider, None])
def test_what_would_help_is_said_beside_other_parameters(verify: Any, other: Any) -> None:
    f, x = drawn()
    w, b = (part.detach().double() for part in (f.weight, f.bias))
    plain: Any = other() if other else lambda x: functional.linear(x - 0.5, w, b)
    if other:
        plain.double().weight.data = w
        plain.bias.data = b.reshape(plain.bias.shape)
    report = verify(f, x, reference=plain)
    assert report.verdict == "undecided"
    (told,) = report.findings
    assert told.startswith("not checked, since x does not hold them: weight (6, 8), bias (6,);")
    assert told.endswith(f"to check them too, {TOLD}, or make them arguments")


def test_the_same_is_said_of_modules_that_f_calls() -> None:
    net = nn.Linear(3, 2)
    copy = deepcopy(net).double()
    (told,) = vtj.check(lambda x: net(x), torch.ones(3), reference=lambda x: copy(x)).findings
    assert TOLD in told


@verified
@pytest.mark.parametrize("fails", [False, True], ids=["runs", "raises"])
def test_both_modules_are_left_as_they_were(verify: Any, fails: bool) -> None:
    class Failing(Plain):
        def forward(self, x: Tensor) -> Tensor:
            y = super().forward(x)
            if fails:
                raise ZeroDivisionError
            return y

    f, x = drawn()
    modules = f, Failing()
    held = [(*one.named_parameters(), *one.named_buffers()) for one in modules]
    before = [deepcopy(one.state_dict()) for one in modules]
    if fails:
        with pytest.raises(TypeError, match="reference raised ZeroDivisionError"):
            verify(f, x, reference=modules[1])
    else:
        assert verify(f, x, reference=modules[1])
    for module, parts, values in zip(modules, held, before, strict=True):
        now = (*module.named_parameters(), *module.named_buffers())
        assert [(name, id(part)) for name, part in now] == [(n, id(part)) for n, part in parts]
        assert all(torch.equal(part, values[name]) for name, part in now)
        assert all(part.grad is None for part in module.parameters())


def test_a_module_that_a_plain_function_calls_keeps_its_buffers() -> None:
    norm = nn.BatchNorm1d(3).double().requires_grad_(False)
    torch.manual_seed(0)
    x = torch.randn(5, 3)
    f = nn.BatchNorm1d(3, affine=False)
    assert vtj.check(lambda x: f(x), x, reference=lambda x: norm(x))
    assert norm.num_batches_tracked == 0


def test_a_module_beside_itself() -> None:
    f, x = drawn()
    assert vtj.check(f, x, reference=MethodType(Plain.forward, f))
    net = nn.GRU(3, 2)
    assert vtj.check(net, torch.randn(4, 3), reference=net)
    assert net.weight_hh_l0 is net._flat_weights[1]


def test_the_row_that_an_embedding_holds_is_that_of_f() -> None:
    torch.manual_seed(0)
    f, plain = nn.Embedding(4, 3, padding_idx=1), nn.Embedding(4, 3, padding_idx=1)
    f.weight.data[1] = 5
    assert vtj.check(f, torch.tensor([3, 1]), reference=plain)


class Tail(nn.Module):
    shift: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(1))
        self.register_buffer("shift", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return functional.gelu(functional.linear(x + self.shift, self.weight))


def test_the_buffers_of_a_reference_follow_where_it_is_run_in_the_dtype_of_f() -> None:
    """What a gelu loses in its tail is seen in no other way."""
    x = torch.tensor([[1.0], [-6.0]])
    report = vtj.check(Tail(), x, reference=Tail().double())
    assert report, str(report)


def test_an_input_in_float64_meets_a_module_in_its_dtype() -> None:
    f, x = drawn()
    report = vtj.check(f, x.double(), reference=Plain())
    assert report, str(report)
    assert "in bfloat16" in report.title


class Network(nn.Module):
    """Its first bias has no gradient, since a batch norm takes the mean away."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(6, 5), nn.BatchNorm1d(5)
        self.others = nn.Sequential(nn.SiLU(), nn.Linear(5, 3))

    def forward(self, x: Tensor) -> Tensor:
        return self.others(self.norm(self.first(x)))


def test_a_gradient_that_is_zero_but_for_rounding_needs_not_show_an_error_of_a_part() -> None:
    torch.manual_seed(0)
    f, x = Network().bfloat16(), torch.randn(9, 6).bfloat16()
    report = vtj.check(f, x, reference=Network())
    assert report, str(report)
    (row,) = [row for row in report.rows if row.what == "power"]
    assert "first.bias.grad" not in row.note
    assert row.note.endswith(", 1 more 0.02 at most")

    class Added(Network):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) + 0.1 * self.first.bias.sum()

    report = vtj.check(Added().bfloat16(), x, reference=Network())
    assert any(one.startswith("first.bias.grad[") for one in report.findings)


def test_a_network_is_not_run_once_more_for_each_parameter() -> None:
    f, calls = Network(), []
    f.register_forward_pre_hook(lambda *_: calls.append(1))
    report = vtj.check(f, torch.randn(9, 6), reference=Network())
    assert report, str(report)
    assert not [row for row in report.rows if row.what == "each input alone"]
    assert len(calls) < 10
