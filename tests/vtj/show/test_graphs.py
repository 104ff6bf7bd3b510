"""The graph that backward walks."""

from itertools import combinations, pairwise
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

import vtj
from vtj.show import graph
from vtj_site.figures.reading.drawn import Box, Drawn, Label, Line, Point, drawn

X = torch.tensor([1.0, 2.0])
ONE, TWO = torch.tensor(1.0), torch.tensor(2.0)


class WrongForTen(torch.autograd.Function):
    """Right for all weights but 10."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0] + (grads[0] == 10)


def test_shows_values_and_arriving_gradients() -> None:
    figure = graph(lambda x: (3 * x).sum(), X, torch.tensor(10.0))
    assert figure.title == "Values forward, gradients back"
    assert figure.description == (
        "x: value [1, 2], gradient [30, 30]. mul: value [3, 6], gradient [10, 10]. "
        "sum: value 9, gradient 10."
    )
    assert drawn(figure).words == [
        "x", "→ [1, 2]", "← [30, 30]",
        "mul", "→ [3, 6]", "← [10, 10]",
        "sum", "→ 9", "← 10",
        "→ value   ← gradient arriving",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (torch.tensor(0.5), "0.5"),
        (torch.tensor([0.5]), "[0.5]"),
        (torch.tensor([1.0, -2.0, 3.0]), "[1, −2, 3]"),
        (torch.ones(4), "shape (4,)"),
        (torch.ones(1, 2), "shape (1, 2)"),
    ],
)
def test_writes_out_up_to_three_values(x: Tensor, shown: str) -> None:
    figure = graph(lambda x: 1 * x, x, torch.ones_like(x))
    assert figure.description.startswith(f"x: value {shown}, gradient ")


class Node(NamedTuple):
    """A box, and what is written in it."""

    box: Box
    labels: list[Label]


class Way(NamedTuple):
    """A pair of arrows: the points between the two, and the boxes that it joins."""

    points: list[Point]
    start: Box
    end: Box


def nodes(seen: Drawn) -> list[Node]:
    """Read the boxes."""
    return [
        Node(box, [a for a in seen.labels if box.left < a.place[0] < box.right
                   and box.top < a.place[1] < box.bottom])
        for box in seen.boxes
    ]  # fmt: skip


def ways(seen: Drawn) -> list[Way]:
    """Read the arrows: each stands 3 to the side of its way."""
    found = []
    for line in seen.lines[::2]:
        points = [(round(x + 3, 1), y) for x, y in line.points]
        (start,) = (box for box in seen.boxes if _on(points[0], box, box.bottom))
        (end,) = (box for box in seen.boxes if _on(points[-1], box, box.top))
        found.append(Way(points, start, end))
    return found


def _on(point: Point, box: Box, side: float) -> bool:
    return point[1] == side and box.left + 8 <= point[0] <= box.right - 8


DRAWN = [
    pytest.param(lambda x: (3 * x).sum(), X, id="a chain"),
    pytest.param(lambda x: x.sin() * x, TWO, id="past one"),
    pytest.param(lambda x: x.sin().cos().tanh() * x, TWO, id="past three"),
    pytest.param(lambda x: x.sin() + x.cos() + x.tanh(), TWO, id="three ways"),
    pytest.param(lambda x: x.sigmoid() * (x - 1).exp() * x.log1p() * 1e-5 * x, X, id="four ways"),
    pytest.param(lambda a, b: a * b + a.cos(), (ONE, TWO), id="two inputs"),
    pytest.param(lambda a, b: a * b + b.cos(), (ONE, TWO), id="the other one"),
]


def seen_of(f: Any, x: Any) -> Drawn:
    y = f(*x) if isinstance(x, tuple) else f(x)
    return drawn(graph(f, x, torch.ones_like(y)))


@pytest.mark.parametrize(("f", "x"), DRAWN)
def test_words_stand_in_their_box(f: Any, x: Any) -> None:
    seen = seen_of(f, x)
    read = nodes(seen)
    assert [label for node in read for label in node.labels] == seen.labels[:-1]
    for box, labels in read:
        assert [label.words[:2] for label in labels[1:]] == ["→ ", "← "]
        assert [label.color for label in labels] == ["plain", "plain", "accent"]
        assert all(box.left < label.left and label.right < box.right for label in labels)


@pytest.mark.parametrize(("f", "x"), DRAWN)
def test_an_arrow_each_way_for_every_edge(f: Any, x: Any) -> None:
    seen = seen_of(f, x)
    read = ways(seen)
    assert len(seen.lines) == len(seen.heads) == 2 * len(read)
    for way, down, up in zip(read, seen.lines[::2], seen.lines[1::2], strict=True):
        left = [(pytest.approx(x - 3), y) for x, y in way.points]
        right = [(pytest.approx(x + 3), y) for x, y in way.points]
        assert down == Line(left, "plain", dashed=False)
        assert up == Line(right[::-1], "accent", dashed=True)
    assert [head.points[0] for head in seen.heads] == [line.points[-1] for line in seen.lines]
    assert [head.color for head in seen.heads] == [line.color for line in seen.lines]


@pytest.mark.parametrize(("f", "x"), DRAWN)
def test_arrows_cross_neither_a_box_nor_each_other(f: Any, x: Any) -> None:
    seen = seen_of(f, x)
    between: dict[float, list[tuple[float, float]]] = {}
    for way in ways(seen):
        for (x1, y1), (x2, y2) in pairwise(way.points):
            if y2 - y1 == 46:
                between.setdefault(y1, []).append((x1, x2))
            else:
                assert (x1, y2 - y1) == (x2, 62), "straight down past the boxes of a row"
                row = [box for box in seen.boxes if box.top == y1]
                assert not any(box.left <= x1 <= box.right for box in row)
    for steps in between.values():
        for (a1, a2), (b1, b2) in combinations(steps, 2):
            assert (a1 < b1) == (a2 < b2)


def test_what_backward_does_not_visit_has_its_name_alone() -> None:
    figure = graph(torch.nn.Linear(2, 1), X, torch.ones(1))
    assert "bias: not visited." in figure.description
    assert "bias" in drawn(figure).words


@pytest.mark.parametrize(
    ("f", "v", "error", "match"),
    [
        (lambda x: x * x.detach(), X, vtj.JacobianMismatch, "wrong"),
        (WrongForTen.apply, 10 * X, vtj.JacobianMismatch, "wrong"),
        (
            lambda x: sum(x.cos() for _ in range(12)),
            X,
            ValueError,
            "the graph has 25 nodes; the figure shows up to 24",
        ),
    ],
)
def test_draws_nothing_that_is_not_confirmed(f: Any, v: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        graph(f, X, v)


def test_draws_up_to_24_nodes() -> None:
    figure = graph(lambda x: 2 * sum(x.cos() for _ in range(11)), X, torch.ones(2))
    assert len(drawn(figure).boxes) == 24
