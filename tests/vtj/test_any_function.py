"""`check` on every kind of function a user brings."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import custom

X = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64)


class NewStyle(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x**2

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * g

    @staticmethod
    def jvp(ctx: Any, u: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * u


def _items(x: Tensor) -> Tensor:
    y = torch.empty(3, dtype=x.dtype)
    y[0], y[1], y[2] = 3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]
    return y


def _branch(x: Tensor) -> Tensor:
    return x**2 if x.sum() > -1 else x**3


def _item(x: Tensor) -> Tensor:
    return x * x.max().item() if x[0].item() > 5 else x**2


def _in_place(x: Tensor) -> Tensor:
    y = x**2
    y.mul_(3).add_(1)
    return y


@cache
def _compiled() -> Callable[[Tensor], Tensor]:
    """Compile when a test asks: importing the compiler takes seconds, and every worker collects."""
    return torch.compile(lambda x: torch.sin(x) * x, backend="aot_eager")


FUNCTIONS = {
    "item writes": _items,
    "branch on a value": _branch,
    "item()": _item,
    "in place on an intermediate": _in_place,
    "old-style Function": custom(lambda x: x**2, lambda x, g: 2 * x[0] * g),
    "new-style Function": NewStyle.apply,
    "non-reentrant checkpoint": lambda x: checkpoint(torch.sin, x**2, use_reentrant=False),
    "reentrant checkpoint": lambda x: checkpoint(torch.sin, x, use_reentrant=True),
    "dropout": lambda x: nn.functional.dropout(x**2, 0.5),
    "noise": lambda x: x * torch.rand(3, dtype=x.dtype),
    "noise from NumPy": lambda x: x * float(np.random.random()),
    "view": lambda x: x.view(3, 1).expand(3, 2) * 2,
    "mask": lambda x: x[x > 0] ** 2,
    "a Python number of ones": lambda x: x.new_ones(4) * x[0],
    "partial": partial(torch.pow, exponent=3),
    "matrix functions": lambda x: torch.linalg.inv(torch.diag(x) + x.outer(x)),
    "named tuple": lambda x: tuple(torch.linalg.slogdet(torch.diag(x**2) + 1)),
    "identity": lambda x: x,
    "a view of x": lambda x: x[1:],
    "scalar output of shape (1,)": lambda x: x.sum().reshape(1),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_right_function_is_correct(verify: Any, name: str) -> None:
    report = verify(FUNCTIONS[name], X)
    assert report.verdict == "correct", str(report)


MORE: dict[str, tuple[Any, Any]] = {
    "compiled": (lambda x: _compiled()(x), X),
    "several inputs and outputs": (
        lambda a, b, c: (a * b, (c @ a).sum(), c * b),
        (torch.tensor([1.0, 2.0]), torch.tensor(3.0), torch.ones(2, 2)),
    ),
    "an output no gradient comes from": (lambda x: (x**2, torch.ones(2, dtype=x.dtype)), X),
}


@pytest.mark.parametrize(("f", "x"), MORE.values(), ids=MORE)
def test_check_finds_a_right_function_correct(f: Any, x: Any) -> None:
    report = vtj.check(f, x)
    assert report.verdict == "correct", str(report)


@pytest.mark.parametrize(
    "x",
    [
        torch.tensor(3.0),
        torch.arange(1.0, 7).reshape(2, 3).t(),
        torch.arange(1.0, 9)[::2],
        torch.tensor([2.0]).expand(3),
    ],
    ids=["0-d", "transposed", "strided", "expanded"],
)
def test_shapes_and_layouts(x: Tensor) -> None:
    for f in (lambda x: x**2 * 3, lambda x: (x**2).sum()):
        report = vtj.check(f, x)
        assert report.verdict == "correct", str(report)


def test_parameters_of_a_module() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    names = [name for name, _ in net.named_parameters()]
    x = torch.tensor([[0.1, -0.2, 0.3]])

    def f(*parameters: Tensor) -> Tensor:
        values = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(net, values, (x.to(parameters[0]),))

    report = vtj.check(f, tuple(net.parameters()))
    assert report.verdict == "correct", str(report)
    assert "float64" in report.title


def _float32_net() -> nn.Module:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    return layers.requires_grad_(False)


def _in_float32(net: nn.Module) -> Callable[[Tensor], Tensor]:
    """Return it as a function whose weights do not follow x."""
    return lambda x: net(x)


def _autocast(x: Tensor) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return nn.functional.linear(x, torch.tensor([[0.25, -0.5, 0.3]]))


@pytest.mark.parametrize(
    ("f", "x", "told"),
    [
        (lambda x: torch.ones(2, dtype=x.dtype), X, "x.grad is None"),
        (_in_float32(_float32_net()), X.float() / 8, "compared to 1e-05"),
        (_in_float32(_float32_net()), X.float() / 8, " in float32, "),
        (_float32_net(), X.float() / 8, " in float64, "),
        (lambda x: (x.float() ** 2).double(), X, "f works in float32"),
        (_autocast, X.float(), " in bfloat16, "),
        (lambda x: 3 * x**2, X.bfloat16(), " in float64, "),
    ],
    ids=[
        "constant",
        "tolerance",
        "float32",
        "weights too",
        "float32 inside",
        "autocast",
        "raised to float64",
    ],
)
def test_the_report_says_what_it_rests_on(f: Any, x: Tensor, told: str) -> None:
    report = vtj.check(f, x)
    assert report.verdict == "correct", str(report)
    assert told in str(report)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x**3, X),
        (lambda x: torch.sin(x) * x.sum(), X),
        (NewStyle.apply, X),
        (lambda x: (2 * x).sum(), X),
        (lambda a, b: (a * b, a.exp()), (X, X + 3)),
    ],
    ids=["cube", "product", "Function", "linear", "several inputs"],
)
def test_order_2(f: Any, x: Any) -> None:
    report = vtj.check(f, x, order=2)
    assert report.verdict == "correct", str(report)
    assert "order 2" in report.title


def test_batch_norm_in_training_mode_is_left_as_it_was() -> None:
    norm = nn.BatchNorm1d(2, dtype=torch.float64).requires_grad_(False)
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0]], dtype=torch.float64)
    for verify in (vtj.check, vtj.certify):
        report = verify(norm, x)
        assert report.verdict == "correct", str(report)
        assert "f changed running_mean, running_var, num_batches_tracked; put back" in str(report)
        assert norm.running_mean.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("f", "x", "slopes"),
    [
        (torch.relu, [0.0, 1.0], "slope 0 on the left, 1 on the right, torch chose 0"),
        (torch.abs, [0.0, 1.0], "slope -1 on the left, 1 on the right, torch chose 0"),
        (lambda x: x.amax(), [2.0, 2.0], "slope 0 on the left, 1 on the right, torch chose 0.5"),
        (lambda x: x.clamp(0, 1), [1.0], "slope 1 on the left, 0 on the right, torch chose {}"),
        (lambda x: x.norm(), [0.0], "slope -1 on the left, 1 on the right, torch chose 0"),
    ],
    ids=["relu", "abs", "a tie in max", "clamp", "norm"],
)
def test_kinks(f: Any, x: list[float], slopes: str) -> None:
    report = vtj.check(f, torch.tensor(x))
    assert report.verdict == "correct", str(report)
    chosen = vtj.jacobian(f, torch.tensor(x)).flatten()[0].item()  # of clamp, it depends on torch
    slopes = slopes.format(f"{chosen:g}")
    assert any(row.result == "kink" and slopes in row.note for row in report.rows), str(report)


def test_kinks_that_cancel_are_not_decided() -> None:
    report = vtj.check(lambda x: torch.relu(x) - torch.relu(-x), torch.zeros(1))
    assert report.verdict == "undecided"
    assert report.findings == (
        "dy[0]/dx[0]: torch chose 0 where the slope is 1: kinks inside f meet; move x off them",
    )
