"""Each input alone, each output alone: Functions that are right while everything is asked for."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import matrix

X = (torch.tensor([0.5, 1.5]).double(), torch.tensor([2.0, -3.0]).double())
VERIFY = [vtj.check, vtj.certify]


class Product(torch.autograd.Function):
    """A product; right."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return (g * b if ctx.needs_input_grad[0] else None), (
            g * a if ctx.needs_input_grad[1] else None
        )


class Permuted(Product):
    """Asks for the other input's flag: None comes for the one that needs a gradient."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        first, second = ctx.needs_input_grad
        return (g * b if second else None), (g * a if first else None)


class Unbound(Product):
    """Has a variable where both need a gradient, and uses it where one does."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        a, b = ctx.saved_tensors
        if all(ctx.needs_input_grad):
            of_b = g * a
        return g * b, of_b


class Two(torch.autograd.Function):
    """Two outputs; right."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Any:
        ctx.save_for_backward(a)
        ctx.set_materialize_grads(False)
        return a * a, a.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Any:
        (a,) = ctx.saved_tensors
        squared = 0 if g is None else 2 * a * g
        return squared + (0 if h is None else a.cos() * h)


class Once(Two):
    """Is good for one backward through its graph; right."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Any:
        ctx.kept = [a]
        ctx.set_materialize_grads(False)
        return a * a, a.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Any:
        a = ctx.kept.pop()
        squared = 0 if g is None else 2 * a * g
        return squared + (0 if h is None else a.cos() * h)


class Undefined(Two):
    """Does not expect an undefined gradient."""

    @staticmethod
    def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Any:
        (a,) = ctx.saved_tensors
        return 2 * a * g + a.cos() * h


class Lost(Two):
    """Returns nothing where the first output is not used."""

    @staticmethod
    def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Any:
        (a,) = ctx.saved_tensors
        if g is None:
            return None
        return 2 * a * g + (0 if h is None else a.cos() * h)


ALONE_X, ALONE_Y = "each input alone", "each output alone"


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("f", "x", "row", "says"),
    [
        (Product, X, ALONE_X, ""),
        (Permuted, X, ALONE_X, "x.grad[0]["),
        (Unbound, X, ALONE_X, "x.grad: backward raises UnboundLocalError: "),
        (Two, X[0], ALONE_Y, ""),
        (Once, X[0], ALONE_Y, ""),
        (Undefined, X[0], ALONE_Y, "x.grad: backward raises TypeError: "),
        (Lost, X[0], ALONE_Y, "x.grad[0]: another gradient where each output is used alone"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_what_is_asked_alone(verify: Any, f: Any, x: Any, row: str, says: str) -> None:
    report = verify(f.apply, x)
    expected = ("wrong", "backward") if says else ("correct", None)
    assert (report.verdict, report.culprit) == expected, str(report)
    if verify is vtj.check and f is Lost:  # the engines, which ask for one output at a time, see it
        return
    (result,) = [one.result for one in report.rows if one.what == row]
    assert result == ("fails" if says else "holds")
    assert [one[: len(says)] for one in report.findings] == ([says] if says else [])


class Linear(torch.autograd.Function):
    """A linear layer; right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return x @ weight.T + bias

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        x, weight = ctx.saved_tensors
        return g @ weight, g.T @ x, g.sum(0)


class Forgets(Linear):
    """Forgets the bias where the data is constant and the weight is not, as in a first layer."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        of_x, of_weight, of_bias = Linear.backward(ctx, g)
        if not ctx.needs_input_grad[0] and ctx.needs_input_grad[1]:
            return None, of_weight, None
        return of_x, of_weight, of_bias


class Raises(Linear):
    """Raises there."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        if ctx.needs_input_grad == (False, True, True):
            raise RuntimeError("not implemented")
        return Linear.backward(ctx, g)


class Layer(torch.nn.Linear):
    """One of these as a layer, called on the sum of all that it gets."""

    def __init__(self, function: Any) -> None:
        super().__init__(3, 2)
        self.function = function

    def forward(self, *x: Tensor) -> Tensor:
        y: Tensor = self.function.apply(sum(x), self.weight, self.bias)
        return y


CONSTANT = "data constant"
LAYER_X = matrix(4, 3)


def constant(report: vtj.Report) -> list[str]:
    return [row.result for row in report.rows if row.what == CONSTANT]


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("f", "x", "name", "where"),
    [
        (Forgets, (LAYER_X, matrix(2, 3, 1), matrix(1, 2)[0]), "x.grad[2]", "x[0] alone requires"),
        (Layer(Forgets), LAYER_X, "bias.grad", "x alone requires"),
        (Layer(Forgets), (LAYER_X, LAYER_X), "bias.grad", "x[0] and x[1] alone require"),
        (Raises, (LAYER_X, matrix(2, 3, 1), matrix(1, 2)[0]), "raises", "x[0] alone requires"),
    ],
    ids=["a function", "a module", "a module of two", "one that raises"],
)
def test_a_bias_that_is_forgotten_where_the_data_is_constant(
    verify: Any, f: Any, x: Any, name: str, where: str
) -> None:
    report = verify(f if isinstance(f, Layer) else f.apply, x)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert constant(report) == ["fails"]
    (told,) = report.findings
    assert name in told
    assert f"where {where} no grad" in told
    right = Layer(Linear) if isinstance(f, Layer) else Linear.apply
    assert constant(repaired := verify(right, x)) == ["holds"]
    assert repaired


def test_with_two_inputs_the_data_is_constant_where_the_other_is_alone() -> None:
    assert constant(vtj.check(Product.apply, X)) == []
    assert constant(vtj.check(torch.addcmul, (*X, X[0]))) == []  # torch's own are right in these


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: (
            torch.autograd.grad((a * b).sum(), a, create_graph=True)[0] * Product.apply(a, b)
        ),
        lambda a, b: checkpoint(lambda a: a.sin(), a, use_reentrant=True) + Product.apply(a, b),
        lambda a, b: (Product.apply(a, b), 2 * a, b.detach() * 0 + a),
    ],
    ids=["differentiates inside", "reentrant checkpoint", "outputs that do not see all inputs"],
)
def test_a_right_function_that_needs_them_all_is_not_accused(verify: Any, f: Any) -> None:
    assert verify(f, X).verdict != "wrong"


def test_one_input_and_one_output_take_no_pass_more() -> None:
    told = [row.what for row in vtj.check(torch.sin, X[0]).rows]
    assert not {ALONE_X, ALONE_Y} & set(told)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_an_output_of_torchs_own_that_loses_its_gradient_alone(verify: Any) -> None:
    """Before 2.15 torch's backward of group norm gives nothing where its mean alone is used."""

    def outputs(x: Tensor) -> tuple[Tensor, ...]:
        return torch.native_group_norm(x, None, None, 1, 6, 3, 2, 1e-5)

    x = torch.randn(1, 6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    leaf = x.clone().requires_grad_()
    outputs(leaf)[1].sum().backward()
    right = leaf.grad is not None
    report = verify(outputs, x)
    assert report.culprit == (None if right else "backward"), report
    assert bool(verify(lambda x: outputs(x)[1], x)) == right
    assert verify(lambda x: outputs(x)[0], x)
