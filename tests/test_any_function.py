"""`check` on every kind of function a user brings."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import vtj

X = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64)


class OldStyle(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * g


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


FUNCTIONS = {
    "item writes": _items,
    "branch on a value": _branch,
    "item()": _item,
    "in place on an intermediate": _in_place,
    "old-style Function": OldStyle.apply,
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_right_function_is_correct(name: str) -> None:
    report = vtj.check(FUNCTIONS[name], X)
    assert report.verdict == "correct", str(report)


def test_compiled_function() -> None:
    compiled = torch.compile(lambda x: torch.sin(x) * x, backend="aot_eager")
    report = vtj.check(compiled, X)
    assert report.verdict == "correct", str(report)


@pytest.mark.parametrize(
    "x",
    [
        torch.tensor(3.0),
        torch.empty(0),
        torch.empty(2, 0),
        torch.arange(1.0, 7).reshape(2, 3).t(),
        torch.arange(1.0, 9)[::2],
        torch.tensor([2.0]).expand(3),
    ],
    ids=["0-d", "empty", "empty matrix", "transposed", "strided", "expanded"],
)
def test_shapes_and_layouts(x: Tensor) -> None:
    report = vtj.check(lambda x: x**2 * 3, x)
    assert report.verdict == "correct", str(report)
    total = vtj.check(lambda x: (x**2).sum(), x)
    assert total.verdict == "correct", str(total)


def test_several_inputs_and_outputs() -> None:
    x = (torch.tensor([1.0, 2.0]), torch.tensor(3.0), torch.ones(2, 2))
    report = vtj.check(lambda a, b, c: (a * b, (c @ a).sum(), c * b), x)
    assert report.verdict == "correct", str(report)


def test_an_output_no_gradient_comes_from() -> None:
    report = vtj.check(lambda x: (x**2, torch.ones(2, dtype=x.dtype)), X)
    assert report.verdict == "correct", str(report)


def test_a_constant() -> None:
    report = vtj.check(lambda x: torch.ones(2, dtype=x.dtype), X)
    assert report.verdict == "correct", str(report)
    assert "x.grad is None" in str(report)


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


def test_a_module_in_float32_is_compared_with_float32s_tolerance() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).requires_grad_(False)
    report = vtj.check(net, torch.tensor([0.1, -0.2, 0.3]))
    assert report.verdict == "correct", str(report)
    assert "float32" in report.title
    assert "compared to 1e-05" in str(report)


def test_float32_hidden_inside_is_found() -> None:
    report = vtj.check(lambda x: (x.float() ** 2).double(), X)
    assert report.verdict == "correct", str(report)
    assert "f works in float32" in str(report)


def test_autocast_to_bfloat16() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(3, 2).requires_grad_(False)

    def f(x: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return linear(x)

    report = vtj.check(f, torch.tensor([0.5, 1.5, -2.0]))
    assert report.verdict == "correct", str(report)
    assert "bfloat16" in report.title


def test_bfloat16_goes_to_float64_where_f_allows() -> None:
    report = vtj.check(lambda x: 3 * x**2, torch.tensor([1.0, 2.0], dtype=torch.bfloat16))
    assert report.verdict == "correct"
    assert "float64" in report.title


def test_complex_is_not_supported_and_says_so() -> None:
    with pytest.raises(TypeError, match="complex is not supported"):
        vtj.check(lambda x: x**2, torch.ones(2, dtype=torch.complex64))
    with pytest.raises(TypeError, match=r"y has dtype torch\.complex"):
        vtj.check(lambda x: torch.complex(x, x), X)


@pytest.mark.parametrize(
    "f",
    [lambda x: x**3, lambda x: torch.sin(x) * x.sum(), NewStyle.apply, lambda x: (2 * x).sum()],
    ids=["cube", "product", "Function", "linear"],
)
def test_order_2(f: Any) -> None:
    report = vtj.check(f, X, order=2)
    assert report.verdict == "correct", str(report)
    assert "order 2" in report.title


def test_order_2_several_inputs() -> None:
    report = vtj.check(lambda a, b: (a * b, a.exp()), (X, X + 3), order=2)
    assert report.verdict == "correct", str(report)


def test_batch_norm_in_training_mode_is_left_as_it_was() -> None:
    norm = nn.BatchNorm1d(2, dtype=torch.float64).requires_grad_(False)
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0]], dtype=torch.float64)
    report = vtj.check(norm, x)
    assert report.verdict == "correct", str(report)
    assert "f changed running_mean, running_var, num_batches_tracked; put back" in str(report)
    assert norm.running_mean.tolist() == [0.0, 0.0]


def test_large_jacobian_is_handed_to_certify() -> None:
    report = vtj.check(torch.sin, torch.linspace(0.1, 1, 200))
    assert report.verdict == "correct", str(report)
    assert "2 probes" in report.title


@pytest.mark.parametrize("name", [*FUNCTIONS])
def test_certify_finds_nothing_either(name: str) -> None:
    report = vtj.certify(FUNCTIONS[name], X)
    assert report.verdict == "correct", str(report)


@pytest.mark.parametrize(
    ("f", "x", "slopes"),
    [
        (torch.relu, [0.0, 1.0], "slope 0 on the left, 1 on the right, torch chose 0"),
        (torch.abs, [0.0, 1.0], "slope -1 on the left, 1 on the right, torch chose 0"),
        (lambda x: x.amax(), [2.0, 2.0], "slope 0 on the left, 1 on the right, torch chose 0.5"),
        (lambda x: x.clamp(0, 1), [1.0], "slope 1 on the left, 0 on the right, torch chose 1"),
        (lambda x: x.norm(), [0.0], "slope -1 on the left, 1 on the right, torch chose 0"),
    ],
    ids=["relu", "abs", "a tie in max", "clamp", "norm"],
)
def test_kinks(f: Any, x: list[float], slopes: str) -> None:
    report = vtj.check(f, torch.tensor(x))
    assert report.verdict == "correct", str(report)
    assert any(row.result == "kink" and slopes in row.note for row in report.rows), str(report)


def test_kinks_that_cancel_are_not_decided() -> None:
    report = vtj.check(lambda x: torch.relu(x) - torch.relu(-x), torch.zeros(1))
    assert report.verdict == "undecided"
    assert report.findings == (
        "dy[0]/dx[0]: torch chose 0 where the slope is 1: kinks inside f meet",
    )
