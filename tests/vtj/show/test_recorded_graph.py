"""The walk through the graph that autograd recorded."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.show.recorded_graph import LONGEST, walk

X, V = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])

Row = tuple[str, list[int], Any, Any]


def rows(f: Callable[..., Any], x: Any, v: Any = None) -> list[Row]:
    return [(s.name, s.below, _listed(s.value), _listed(s.arrived)) for s in walk(f, x, v)]


def _listed(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.tolist()


def product_of_parts(x: Tensor) -> Tensor:
    first, second = x.unbind()
    return first * second


def written(x: Tensor) -> Tensor:
    y = torch.empty(2, dtype=x.dtype)
    y[0] = 3 * x[0]
    y[1] = x[1]
    return y


def twice_in_place(x: Tensor) -> Tensor:
    y = 2 * x
    y.mul_(3)
    return y.sum()


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0]


WALKED: list[tuple[str, Callable[..., Any], Any, Any, list[Row]]] = [
    (
        "down from y to both inputs",
        lambda a, b: a * b + b,
        (torch.tensor(2.0), torch.tensor(3.0)),
        torch.tensor(10.0),
        [("add", [1, 2], 9, 10), ("mul", [3, 2], 6, 10), ("x[1]", [], 3, 30), ("x[0]", [], 2, 30)],
    ),
    (
        "an input that is used twice",
        lambda x: x * x,
        X,
        V,
        [("mul", [1, 1], [1, 4], [1, 10]), ("x", [], [1, 2], [2, 40])],
    ),
    (
        "an input that is not used",
        lambda a, b: 3 * b,
        (X, X),
        V,
        [("mul", [1], [3, 6], [1, 10]), ("x[1]", [], [1, 2], [3, 30])],
    ),
    ("y that is x itself", lambda x: x, X, V, [("x", [], [1, 2], [1, 10])]),
    (
        "an operation with two outputs is one node",
        product_of_parts,
        torch.tensor([2.0, 5.0]),
        None,
        [("mul", [1, 1], 10, 1), ("unbind", [2], 2, 5), ("x", [], [2, 5], [5, 2])],
    ),
    (
        "and of these the one that backward came by counts",
        lambda x: 3 * x.unbind()[1],
        torch.tensor([2.0, 5.0]),
        None,
        [("mul", [1], 15, 1), ("unbind", [2], 5, 3), ("x", [], [2, 5], [0, 3])],
    ),
    (
        "a value that is overwritten later",
        twice_in_place,
        X,
        None,
        [
            ("sum", [1], 18, 1),
            ("mul", [2], [6, 12], [1, 1]),
            ("mul", [3], [2, 4], [3, 3]),
            ("x", [], [1, 2], [6, 6]),
        ],
    ),
    (
        "arguments by name",
        lambda x: torch.sum(x.expand(3, 2), dim=0, keepdim=True),
        X,
        V[None],
        [
            ("sum", [1], [[3, 6]], [[1, 10]]),
            ("expand", [2], [[1, 2]] * 3, [[1, 10]] * 3),
            ("x", [], [1, 2], [3, 30]),
        ],
    ),
    (
        "an unfinished item write has no value",
        written,
        X,
        V,
        [
            ("item write", [1, 2], [3, 2], [1, 10]),
            ("item write", [3], None, [1, 0]),
            ("select", [4], 2, 10),
            ("mul", [5], 3, 1),
            ("x", [], [1, 2], [3, 10]),
            ("select", [4], 1, 3),
        ],
    ),
    (
        "a function of the reader's own",
        Twice.apply,
        X,
        V,
        [("twice", [1], [2, 4], [1, 10]), ("x", [], [1, 2], [2, 20])],
    ),
    (
        "a name of two words",
        F.leaky_relu,
        X,
        V,
        [("leaky relu", [1], [1, 2], [1, 10]), ("x", [], [1, 2], [1, 10])],
    ),
]


@pytest.mark.parametrize(
    ("f", "x", "v", "expected"), [case[1:] for case in WALKED], ids=[case[0] for case in WALKED]
)
def test_gives_every_node_with_its_value_and_gradient(
    f: Any, x: Any, v: Any, expected: list[Row]
) -> None:
    assert rows(f, x, v) == expected


class Affine(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(2))
        self.shift = torch.nn.Parameter(torch.ones(2))

    def forward(self, x: Tensor) -> Any:
        return self.scale * x + self.shift


def test_parameters_are_named_and_keep_their_grad() -> None:
    affine = Affine()
    named = [s.name for s in walk(affine, X, V)]
    assert named == ["add", "mul", "shift", "scale", "x"]
    assert affine.scale.grad is None
    assert X.grad is None
    unnamed = [s.name for s in walk(lambda x: affine(x), X, V)]
    assert unnamed == ["add", "mul", "parameter", "parameter", "x"]


def test_a_random_function_is_walked_with_the_draw_of_seed_0() -> None:
    x = torch.ones(64)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        expected = F.dropout(x)
    torch.manual_seed(5)
    assert rows(F.dropout, x, torch.ones(64))[0][2] == expected.tolist()


@pytest.mark.parametrize(
    ("f", "v", "error", "match"),
    [
        (lambda x: [x], V, TypeError, "f returned list; expected one torch.Tensor to be drawn"),
        (lambda x: x.detach().sum(), None, RuntimeError, "does not require grad"),
        (lambda x: 2 * x, None, RuntimeError, "only for scalar outputs"),
    ],
)
def test_raises_what_backward_raises(f: Any, v: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        walk(f, X, v)


def named(x: Tensor) -> Tensor:
    first = x[0]
    parts = torch.stack([first, x[-1]]).exp()
    return parts[1] * first


def test_names_are_those_of_the_variables_of_f() -> None:
    called = [s.called for s in walk(named, X)]
    assert called == ["y", "parts[1]", "first", "parts", "x", "", "x[-1]"]
    assert [s.called for s in walk(lambda x: (2 * x)[0], X)] == ["y", "", "x"]


def test_an_operation_keeps_its_factors_until_backward_has_come_by() -> None:
    kept = {s.name: [(k.called, k.value.tolist()) for k in s.keeps] for s in walk(named, X)}
    assert kept["mul"] == [("parts[1]", pytest.approx(math.e**2)), ("first", 1)]
    assert kept["exp"] == [("parts", pytest.approx([math.e, math.e**2]))]
    assert kept["stack"] == kept["select"] == kept["x"] == []
    for station in walk(named, X):
        assert station.freed == (station.turn if station.keeps else None)


def test_a_node_tells_its_jacobian_and_sends_its_product_with_what_arrived() -> None:
    (both, *_) = walk(lambda x: x.cumsum(0), X, V)
    (way,) = both.ways
    assert way.jacobian is not None
    assert way.sent is not None
    assert way.jacobian.tolist() == [[1, 0], [1, 1]]
    assert way.sent.tolist() == [11, 10]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (product_of_parts, torch.tensor([2.0, 5.0])),  # a node of two outputs
        (written, X),  # goes back through nodes of its own
        (lambda x: 2 * x, torch.ones(LONGEST + 1)),
    ],
)
def test_no_jacobian_is_asked_for_where_none_could_be_shown(f: Any, x: Tensor) -> None:
    stations = walk(f, x, torch.ones_like(f(x)))
    told = [way.jacobian is None for s in stations for way in s.ways if s.name != "select"]
    assert any(told)


class Power(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, exponent: int) -> Tensor:
        ctx.save_for_backward(x)
        return x**exponent

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 3 * grads[0] * ctx.saved_tensors[0] ** 2, None


def test_what_a_function_of_the_readers_own_keeps_is_told_and_its_jacobian_is_not() -> None:
    power, _ = walk(lambda x: Power.apply(x, 3), X, V)
    assert [kept.value.tolist() for kept in power.keeps] == [[1, 2]]
    assert [(way.sent is None, way.jacobian) for way in power.ways] == [(False, None)]


def test_a_checkpoint_is_walked_without_what_it_keeps() -> None:
    def checked(x: Tensor) -> Any:
        return checkpoint(lambda x: x.exp() * x, x, use_reentrant=False)

    stations = walk(checked, X, V)
    assert [station.name for station in stations] == ["mul", "exp", "x"]
    assert [station.keeps for station in stations] == [[], [], []]
