"""Formulas from the code that runs: what they say, where they hold, and when there are none."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_map

import vtj
from vtj.engines.symbolic.derivation import derive, jacobian
from vtj.engines.symbolic.errors import NotSymbolic

X = torch.tensor([1.0, 2.0])


def three_outputs(x: Tensor) -> Tensor:
    y = torch.empty(3, dtype=x.dtype)
    y[0] = 3 * x[0] ** 2
    y[1] = x[0] ** 2 + 2 * x[1] ** 3
    y[2] = 10 * x[1]
    return y


def test_is_one_of_the_engines() -> None:
    assert vtj.jacobian(three_outputs, X, "symbolic").tolist() == [[6, 0], [2, 24], [0, 10]]
    report = vtj.check(three_outputs, X, engines=["reverse", "symbolic"])
    assert report.verdict == "correct"
    assert [row.result for row in report.rows if row.what == "symbolic"] == ["agrees"]


def test_outvotes_a_wrong_backward() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x**2

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return 3 * grads[0]

    assert jacobian(Square.apply, X).tolist() == [[2, 0], [0, 4]]
    report = vtj.check(Square.apply, X, engines=["reverse", "numeric", "symbolic"])
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def edges(x: Tensor) -> Tensor:
    return torch.stack([v**2 if v.item() >= 1 else v for v in x])


def of_a_kink(x: Tensor) -> Tensor:
    return torch.maximum(x[0] * x[2], x[1] ** 2)


SEVERAL = (torch.tensor([2.0, 3.0]), torch.tensor(5.0))
JACOBIANS: dict[str, tuple[Any, Any, Any]] = {
    "several inputs and outputs": (
        lambda a, b: (a * b, a.sum()),
        SEVERAL,
        (([[5, 0], [0, 5]], [2, 3]), ([1, 1], 0)),
    ),
    "a branch on item": (
        lambda x: 2 * x if x.detach().sum().item() > 0 else x,
        X,
        [[2, 0], [0, 2]],
    ),
    "the edge of a branch": (edges, torch.ones(1), [[2]]),
    "edges, each with a neighbor of its own": (
        edges,
        torch.ones(3),
        [[2, 0, 0], [0, 2, 0], [0, 0, 2]],
    ),
    "no elements": (lambda x: x.sum(), torch.ones(0), []),
    "a kink, the first argument": (of_a_kink, torch.tensor([3.0, 1.0, 2.0]), [2, 0, 3]),
    "a kink, the second argument": (of_a_kink, torch.tensor([1.0, 3.0, 2.0]), [0, 6, 0]),
    "64 entries, of one number": (lambda x: x.sum(), torch.ones(8, 8), [[1] * 8] * 8),
    "64 entries": (lambda x: 2 * x, torch.ones(8), (2 * torch.eye(8)).tolist()),
    "a parameter": (lambda x: x, torch.nn.Parameter(X), [[1, 0], [0, 1]]),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_gives_the_jacobian(name: str) -> None:
    f, x, expected = JACOBIANS[name]
    assert tree_map(Tensor.tolist, jacobian(f, x)) == expected


@pytest.mark.parametrize(
    ("f", "held"),
    [
        (lambda x: 2 * x if x.sum() > 0 else x, ["x_1 + x_2 > 0"]),
        (lambda x: torch.where(x > 1, x, -x), ["x_1 <= 1", "x_2 > 1"]),
        (lambda x: torch.relu(x - 1.5), ["x_1 - 3/2 < 0", "x_2 - 3/2 > 0"]),
        (lambda x: torch.relu(x - 1), ["Eq(x_1 - 1, 0)", "x_2 - 1 > 0"]),
        (lambda x: x.clamp(0, 1.5), ["x_1 > 0", "x_1 < 3/2", "x_2 > 0", "x_2 > 3/2"]),
        (lambda x: x.max(), ["x_2 > x_1"]),
        (lambda x: x.amin(), ["x_1 < x_2"]),
        (lambda x: torch.maximum(2 * x[0], x[1]), ["Eq(2*x_1, x_2)"]),
        (
            lambda x: torch.stack([x[0], x[1], x[1] ** 2 / 2]).amax(),
            ["x_2 > x_1", "Eq(x_2, x_2**2/2)"],
        ),
        (lambda x: x * (torch.ones(2) > 0), []),
    ],
)
def test_says_where_the_formulas_hold(f: Any, held: list[str]) -> None:
    assert [str(condition) for condition in derive(f, X).conditions] == held


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (torch.relu, 0.0),
        (torch.abs, 0.0),
        (lambda x: x.clamp(0, 1), 1.0),
        (lambda x: x.clamp(0, 1), 0.0),
        (lambda x: torch.maximum(x, x.detach() * 0 + 1), 1.0),
        (lambda x: torch.minimum(x, 2 - x), 1.0),
        (lambda x: torch.stack([x, 2 - x, 2 * x - 1]).amax(), 1.0),
        (lambda x: torch.stack([x - 1, x, 2 * x - 1]).amax(), 1.0),
        (lambda x: torch.stack([x + 1, x, 2 * x - 1]).amin(), 1.0),
        (lambda x: torch.clamp(0 * x, x, 3 * x), 1.0),
        (lambda x: torch.clamp(5 * x, x, 3 * x), 1.0),
        (lambda x: torch.clamp(2 * x, x, 3 * x), 1.0),
        (lambda x: torch.clamp(x, x.detach() * 0, x.detach() + 1), 0.0),
        (lambda x: torch.clamp(2 * x, 1 - x, x + 1), 1.0),
        (lambda x: torch.clamp(x, x.detach(), x.detach()), 1.0),
        (lambda x: torch.clamp(2 * x, min=x + 1), 1.0),
        (lambda x: x.clamp(max=1), 1.0),
        (lambda x: x.clamp_min(1), 1.0),
    ],
    ids=[
        *("relu", "abs", "upper bound", "lower bound", "maximum", "minimum", "amax of three"),
        *("amax of two", "amin of two", "below a bound", "above a bound", "between two"),
        *("on a constant tensor", "on a tensor of x", "on two tensors", "on the only tensor"),
        *("on the only number", "clamp_min"),
    ],
)
def test_a_kink_gets_the_slope_that_torch_chooses(f: Any, x: float) -> None:
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    (given,) = torch.autograd.grad(f(leaf), leaf)
    assert jacobian(f, leaf).item() == pytest.approx(given.item())


def test_what_f_raises_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        jacobian(lambda x: x / (1 // 0), X)


def test_leaves_the_caller_as_it_was() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    jacobian(lambda x: torch.nn.functional.dropout(x.mul(2).add_(1), 0.5), x)
    assert x.grad is None
    assert x.tolist() == [1, 2]
    assert torch.equal(torch.get_rng_state(), before)


def test_a_shape_that_changes_beside_x_is_no_formula() -> None:
    with pytest.raises(NotSymbolic, match="not next to x"):
        jacobian(lambda x: x[: 1 + int((x.detach() == 1).sum())], X)


def test_infinite_and_missing_values_agree_with_torch() -> None:
    x = torch.tensor([0.0, -1.0])
    J = jacobian(torch.sqrt, x)  # noqa: N806
    assert J[0, 0] == np.inf
    assert torch.isnan(J[1, 1])


def told(f: Any, x: Any) -> tuple[list[Any], list[Any]]:
    """Return the inputs with which f is called while its formulas are derived, and the error."""
    seen: list[Any] = []

    def noting(*x: Tensor) -> Any:
        seen.append([part.detach().clone() for part in x])
        return f(*x)

    try:
        derive(noting, x)
    except NotSymbolic as reason:
        return seen, [str(reason)]
    return seen, []


def test_twelve_neighbors_are_asked_and_no_two_formulas() -> None:
    seen, refused = told(lambda x: x * x.detach()[0].item(), X)
    assert (len(seen), len(refused)) == (13, 1)
    assert len({tuple(x.tolist()) for (x,) in seen}) == 5  # x, and each sign of each element
    assert refused == [
        "the formulas give y at x but not next to x: a value left torch (.item(), .numpy(), "
        "torch.tensor(...)) and came back as a constant, or f jumps at x"
    ]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x * (1e12 * x.detach()[0]).item(), 1e-12 * X.double()),
        (lambda x: x + x.detach()[0].item(), 0 * X),
        (lambda x: x + x.detach()[0].item(), torch.tensor([0.0, 2.0])),
        (lambda x: x.sum() + (x[0] - x[1]).item(), torch.ones(2)),
        (lambda a, b: a + b + (a - b).item(), (torch.ones(()), torch.ones(()))),
        (lambda a, b: a * b.item(), (torch.ones(()), torch.tensor(3.0))),
        (lambda x: (x**2, x * x.detach()[1].item()), X),
        (lambda x: x * torch.from_numpy(x.detach().numpy().copy()), X),
        (lambda x: torch.tensor([float(x.detach()[0]) ** 2, 1.0]), X),
    ],
    ids=[
        *("tiny", "zero", "zero beside another", "a difference", "of inputs", "another input"),
        *("the second output", "numpy", "tensor"),
    ],
)
def test_a_value_that_leaves_torch_is_noticed_wherever_x_is(f: Any, x: Any) -> None:
    with pytest.raises(NotSymbolic, match="not next to x: a value left torch"):
        jacobian(f, x)


def test_what_the_operations_do_not_show_is_said_at_x() -> None:
    def f(x: Tensor) -> Tensor:
        y = 2 * x
        y.detach().numpy()[0] = 7.0
        return y

    assert told(f, X)[1] == [
        "the formulas do not give y at x: they overflow or round off there, or f does what its "
        "operations do not show"
    ]


def test_what_f_returns_beside_x_is_y_too() -> None:
    with pytest.raises(TypeError, match=r"^y is float"):
        jacobian(lambda x: 2 * x if x.detach()[0] == 1 else 2.0, X)


class Marked(Tensor):
    pass


FEW = "entries; formulas are derived up to 64"
PLAIN = "formulas need a plain, strided torch.Tensor"
FLOATING = "expected a floating dtype"
DENSE = "expected torch.strided (to_dense)"
COMPLEX = (
    "complex is not supported: give the real and imaginary part as real tensors "
    "(torch.view_as_real)"
)
TENSORS = "expected a torch.Tensor or a tuple of them"
REFUSED: list[tuple[Any, Any, Any, str]] = [
    (lambda x: x, torch.ones(65), NotSymbolic, f"J has 1 x 65 {FEW}"),
    (
        lambda x: x.repeat(2, 1).reshape(2, 8, 1),
        torch.ones(2, 4),
        NotSymbolic,
        f"J has 16 x 8 {FEW}",
    ),
    (lambda a, b: (a, b), (torch.ones(8), torch.ones(1)), NotSymbolic, f"J has 9 x 9 {FEW}"),
    (lambda x: x, X * 1j, TypeError, f"x has dtype torch.complex64; {COMPLEX}"),
    (lambda *x: x, (X, X.int()), TypeError, f"x[1] has dtype torch.int32; {FLOATING}"),
    (lambda x: (x, x > 0), X, TypeError, f"y has dtype torch.bool; {FLOATING}"),
    (
        *(lambda x: x, X.as_subclass(Marked), NotSymbolic),
        f"x is a Marked with layout torch.strided; {PLAIN}",
    ),
    (lambda x: x, X.to_sparse(), TypeError, f"x has layout torch.sparse_coo; {DENSE}"),
    (lambda x: [x], X, TypeError, f"y is list; {TENSORS}"),
    (lambda x: x, [1.0], TypeError, f"x is list; {TENSORS}"),
    (lambda x: x.to_sparse(), X, NotSymbolic, "no formula is known for aten._to_sparse.default"),
]


@pytest.mark.parametrize(("f", "x", "error", "said"), REFUSED)
def test_a_refusal_says_what_came_and_what_was_expected(
    f: Any, x: Any, error: Any, said: str
) -> None:
    with pytest.raises(error) as caught:
        derive(f, x)
    assert str(caught.value) == said


def test_says_all_that_was_derived() -> None:
    def f(weight: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return weight * b, torch.relu(weight.half()).sum()

    weight, b = torch.tensor([1.0, -2.0]), torch.tensor(3.0, dtype=torch.float64)
    derived = derive(f, (weight, b))
    (w1, w2), b1 = derived.x[0], derived.x[1][()]
    assert derived.names == (r"\mathit{weight}", "b")
    assert dict(derived.point) == {w1: 1.0, w2: -2.0, b1: 3.0}
    assert [y.tolist() for y in derived.y[:1]] == [[w1 * b1, w2 * b1]]
    assert [[J.tolist() for J in row] for row in derived.J] == [
        [[[b1, 0], [0, b1]], [w1, w2]],
        [[1, 0], 0],
    ]
    assert derived.conditions == (w1 > 0, w2 < 0)
    assert derived.eps == 2.0**-10
    assert derived.several
    assert not derive(lambda x: x, X).several


def test_a_condition_is_told_once_and_constants_need_none() -> None:
    def f(x: Tensor) -> Tensor:
        return torch.relu(x[0]) + torch.relu(x[0]) * torch.clamp(x[1] * 0, -1, 1) + x[1].abs()

    assert [str(held) for held in derive(f, X).conditions] == ["x_2 > 0", "x_1 > 0"]


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: x / (x + 1), "(x + 1)**(-2)"),
        (lambda x: x**2 + 1 / x, "2*x - 1/x**2"),
        (lambda x: x / (x + 0.123456789), "-x/(x + 0.123456789)**2 + 1/(x + 0.123456789)"),
        (lambda x: x**3 + x**2, "3*x**2 + 2*x"),
    ],
    ids=["shorter", "longer", "not of fractions", "polynomial"],
)
def test_a_slope_is_one_fraction_only_where_that_is_shorter(f: Any, slope: str) -> None:
    assert str(derive(f, torch.tensor(2.0, dtype=torch.float64)).J[0][0][()]) == slope


def test_an_infinite_element_does_not_let_a_wrong_formula_pass_next_to_it() -> None:
    def left_torch(x: Tensor) -> Tensor:
        return x * torch.tensor(x.tolist(), dtype=x.dtype)

    for first in (1.0, torch.inf):
        with pytest.raises(NotSymbolic, match="came back as a constant"):
            derive(left_torch, torch.tensor([first, 2.0], dtype=torch.float64))
