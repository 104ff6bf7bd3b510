"""The graph that backward walks."""

from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch import Tensor

import vtj
from vtj.show import graph
from vtj.show.walking import walk

X = torch.tensor([1.0, 2.0])


def written(x: Tensor) -> Tensor:
    y = torch.empty(2, dtype=x.dtype)
    y[0] = 3 * x[0]
    y[1] = x[1]
    return y


def test_shows_values_and_arriving_gradients() -> None:
    figure = graph(lambda x: (3 * x).sum(), X, torch.tensor(10.0))
    assert figure.description == (
        "x: value [1, 2], gradient [30, 30]. mul: value [3, 6], gradient [10, 10]. "
        "sum: value 9, gradient 10."
    )


def test_draws_an_arrow_each_way_for_every_edge() -> None:
    html = graph(lambda x: torch.tanh(x) * x, X, torch.ones(2)).html
    svg = ElementTree.fromstring(html)[0]
    assert len(list(svg.iter("polygon"))) == 2 * 3
    dashed = [path for path in svg.iter("path") if path.get("stroke-dasharray")]
    assert len(dashed) == 3
    assert len(list(svg.iter("rect"))) == 3


def test_an_unfinished_item_write_has_no_value() -> None:
    stations = walk(written, X, torch.tensor([1.0, 10.0]))
    writes = [s for s in stations if s.name == "item write"]
    assert [None if s.value is None else s.value.tolist() for s in writes] == [[3, 2], None]
    assert (
        "item write: gradient [1, 0]." in graph(written, X, torch.tensor([1.0, 10.0])).description
    )


def test_several_inputs_and_large_values() -> None:
    stations = walk(lambda a, b: a @ b, (torch.ones(2, 2), torch.ones(2, 2)), torch.ones(2, 2))
    assert [s.name for s in stations] == ["mm", "x[0]", "x[1]"]
    figure = graph(lambda a, b: a @ b, (torch.ones(2, 2), torch.ones(2, 2)), torch.ones(2, 2))
    assert "mm: value shape (2, 2), gradient shape (2, 2)." in figure.description


def test_parameters_are_named_and_keep_their_grad() -> None:
    net = torch.nn.Linear(2, 1)
    stations = walk(net, X, torch.ones(1))
    assert {"weight", "bias"} <= {s.name for s in stations}
    assert net.weight.grad is None
    assert "bias: not visited." in graph(net, X, torch.ones(1)).description
    assert "parameter" in {s.name for s in walk(lambda x: net(x), X, torch.ones(1))}


def test_y_that_is_x_itself() -> None:
    (station,) = walk(lambda x: x, X, torch.ones(2))
    assert station.name == "x"
    assert station.arrived is not None
    assert station.arrived.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("f", "v", "error", "match"),
    [
        (lambda x: (x, x), X, TypeError, "f returned tuple; expected one"),
        (lambda x: x.detach(), X, RuntimeError, "does not require grad"),
        (lambda x: x * 2, None, RuntimeError, "only for scalar outputs"),
        (lambda x: x * x.detach(), X, vtj.JacobianMismatch, "wrong"),
        (lambda x: sum(x.cos() for _ in range(12)), X, ValueError, "has 25 nodes"),
    ],
)
def test_draws_nothing_that_is_not_confirmed(f: Any, v: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        graph(f, X, v)
