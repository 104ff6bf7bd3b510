"""One trial run: what it keeps of `x` and `y`, how entries are named, how exactly `f` computes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable

from vtj.calling.tensors import HOLDING_ONE
from vtj.oracle.trial import graph_of, try_out

X = torch.tensor([1.0, 2.0])


class Double(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, v: Tensor) -> Tensor:
        return 2 * v


def slope(x: Tensor) -> Tensor:
    """Give a gradient that may not be differentiated again."""
    ones = torch.ones_like(x, requires_grad=True)
    (grad,) = torch.autograd.grad(Double.apply(x), x, ones, create_graph=True)
    return grad


def two(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return a.sum() * b, torch.outer(a, b)


def test_several_inputs_and_outputs() -> None:
    trial = try_out(two, (X, torch.ones(3)))
    assert trial.f is two
    assert isinstance(trial.x, tuple)
    assert [part.dtype for part in (*trial.x, *trial.y)] == 4 * [torch.float64]
    assert trial.size == (9, 5)
    assert (trial.x_shapes, trial.y_shapes) == ([(2,), (3,)], [(3,), (2, 3)])
    assert trial.shape == ((3, 2), (3, 3), (2, 3, 2), (2, 3, 3))
    assert (trial.x_tuple, trial.y_tuple) == (True, True)
    assert trial.inputs == [("x[0]", (2,), False), ("x[1]", (3,), False)]
    assert (trial.y_name(4), trial.x_name("x.grad", 3)) == ("y[1][0,1]", "x.grad[1][1]")
    assert trial.entry_name(4 * 5 + 3) == "dy[1][0,1]/dx[1][1]"


def test_x_and_y_are_kept_without_a_graph_and_apart_from_the_callers() -> None:
    x, kept = X.clone().requires_grad_(), []

    def f(x: Tensor) -> Tensor:
        kept.append(x * 2)
        return kept[0]

    trial = try_out(f, x)
    assert not any(part.requires_grad for part in (*trial.parts, *trial.y))
    with torch.no_grad():
        kept[0].zero_()
    assert trial.y[0].tolist() == [2, 4]


def test_what_refuses_float64_is_tried_in_the_dtype_of_x() -> None:
    weights = torch.ones(2, 2)
    trial = try_out(lambda x: weights @ x, X)
    assert [part.dtype for part in (*trial.parts, *trial.y)] == 2 * [torch.float32]
    assert (trial.dtype, trial.relative, trial.eps) == (torch.float32, 1e-5, 2.0**-23)


def _refuses_float64(x: Tensor) -> Tensor:
    if x.dtype is torch.float64:
        raise TypeError("float32 alone")
    return x


LEAST_PRECISE: dict[str, tuple[Callable[..., Any], torch.dtype]] = {
    "all": (lambda x: x**2, torch.float64),
    "the first step": (lambda x: x.half().double().sin().cos().exp().tanh(), torch.float16),
    "the last step": (lambda x: x.sin().cos().exp().tanh().half(), torch.float16),
    "a branch": (lambda x: (x**2 + x.bfloat16()) * x.exp().sin(), torch.bfloat16),
    "the other branch": (lambda x: (x.bfloat16() + x**2) * x.exp().sin(), torch.bfloat16),
    "one of the outputs": (lambda x: (x.sin(), x.float(), x.cos()), torch.float32),
    "an output without a graph": (lambda x: (x, x.detach().float()), torch.float32),
    "the input without a graph": (
        lambda x: _refuses_float64(x).detach().double() ** 2,
        torch.float32,
    ),
}


@pytest.mark.parametrize("name", LEAST_PRECISE)
def test_the_least_precise_dtype_on_the_way_counts(name: str) -> None:
    f, dtype = LEAST_PRECISE[name]
    assert try_out(f, X).dtype == dtype


def test_whether_autograd_sees_a_way_is_said_for_each_output() -> None:
    trial = try_out(lambda x: (x, x.detach(), x.sum()), X)
    assert trial.connected == (True, False, True)
    assert trial.reached.tolist() == [True, True, False, False, True]


ON_THE_WAY: dict[str, tuple[Callable[[Tensor], Any], bool, bool]] = {
    "plain": (lambda x: x**2, False, False),
    "custom": (Double.apply, True, False),
    "custom, in the first branch": (lambda x: Double.apply(x) + x.sin(), True, False),
    "custom, in the second branch": (lambda x: x.sin() + Double.apply(x), True, False),
    "custom, first output": (lambda x: (Double.apply(x), x), True, False),
    "custom, second output": (lambda x: (x, Double.apply(x)), True, False),
    "custom, far from y": (lambda x: Double.apply(x).sin() * x, True, False),
    "once": (slope, False, True),
    "once, in a branch": (lambda x: slope(x).sin() * x, False, True),
    "once, in the other branch": (lambda x: x * slope(x).sin(), False, True),
}


@pytest.mark.parametrize("name", ON_THE_WAY)
def test_custom_functions_and_gradients_for_once_are_found(name: str) -> None:
    f, custom, once = ON_THE_WAY[name]
    trial = try_out(f, X)
    assert (trial.custom, trial.once_differentiable) == (custom, once)


def test_a_node_counts_once_however_many_ways_lead_there() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(15):
        y = y + y
    assert len(graph_of([y, y])) == 16
    assert graph_of([torch.ones(2)]) == set()


@pytest.mark.parametrize(
    ("f", "x", "message"),
    [
        (torch.sin, torch.tensor([1]), "x has dtype torch.int64; expected a floating dtype"),
        (
            torch.sin,
            (X, torch.tensor([1.0]).to(torch.float8_e5m2)),
            r"x\[1\] has dtype torch.float8_e5m2; expected one of float64, .*",
        ),
        (torch.sin, [1.0], "x is list; expected a torch.Tensor or a tuple of them"),
        (lambda x: x.argmax(), X, "y has dtype torch.int64; expected a floating dtype"),
        (lambda x: (x, x > 0), X, "y has dtype torch.bool; expected a floating dtype"),
        (lambda x: 3, X, rf"y = f\(x\) is int; {HOLDING_ONE}"),
        (lambda x: (x, 3), X, r"y = f\(x\)\[1\] is int; expected a torch.Tensor"),
    ],
)
def test_what_has_no_derivative_is_refused(f: Any, x: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        try_out(f, x)


def test_a_view_beyond_which_f_reads_is_refused() -> None:
    whole = torch.arange(4.0, dtype=torch.float64)
    beyond = "f reads memory beyond x, a view of a larger tensor, which a copy of x does not have: "
    with pytest.raises(ValueError, match=f"^{beyond}.*; expected that tensor as x$"):
        try_out(lambda x: x.as_strided((2,), (1,), 2), whole[:2])
    with pytest.raises(RuntimeError, match=r"^out of bounds"):
        try_out(_raises_out_of_bounds, whole[:2])


def _raises_out_of_bounds(x: Tensor) -> Tensor:
    raise RuntimeError("out of bounds")
