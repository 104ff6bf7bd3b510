"""Shapes of v, J and x.grad side by side."""

from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

import vtj
from tests.show.drawn import Box, Drawn, Label, drawn
from vtj_site.figures import side_by_side

SIDE = 14
X = torch.ones(2, 3)
V = torch.ones(2, 4)


def matrices(x: Tensor) -> Tensor:
    return x @ torch.ones(3, 4, dtype=x.dtype)


def test_shows_the_three_shapes() -> None:
    figure = side_by_side(matrices, X, V)
    seen = drawn(figure)
    assert seen.words == ["v", "(2, 4)", "·", "J", "(2, 4, 2, 3)", "=", "x.grad", "(2, 3)"]
    assert [label.strong for label in seen.labels] == [
        not label.words.startswith("(") for label in seen.labels
    ]
    assert len(seen.boxes) == 8 + 8 * 6 + 6
    assert seen.width <= 343
    assert figure.title == "Shapes of v, J and x.grad"
    assert figure.description == (
        "v (2, 4) has y's shape, J (2, 4, 2, 3) has y's and then x's, x.grad (2, 3) has x's."
    )


class Column(NamedTuple):
    """One of v, J and x.grad: its name, its block and its shape, beneath each other."""

    name: Label
    block: Box
    shape: Label

    @property
    def left(self) -> float:
        """Where the widest of the three begins."""
        return min(part.left for part in self)

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(part.right for part in self)


def columns(seen: Drawn) -> list[Column]:
    """Read the three columns; a block is the outline of the boxes that are nearest to its name."""
    names = [seen.label(name) for name in ("v", "J", "x.grad")]
    shapes = [label for label in seen.labels if label.words.startswith("(")]
    boxes: list[list[Box]] = [[], [], []]
    for box in seen.boxes:
        away = [abs(name.place[0] - box.middle[0]) for name in names]
        boxes[away.index(min(away))].append(box)
    return [Column(*parts) for parts in zip(names, map(outline, boxes), shapes, strict=True)]


def outline(boxes: list[Box]) -> Box:
    """Give the box around boxes."""
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return boxes[0]._replace(left=left, top=top, width=right - left, height=bottom - top)


@pytest.mark.parametrize(
    ("f", "x", "v", "size"),
    [
        (matrices, X, V, (8, 6)),
        (lambda x: x[:2], torch.ones(3), torch.ones(2), (2, 3)),
        (lambda x: x.sum(), torch.ones(2), None, (1, 2)),
        (lambda x: x.expand(5), torch.tensor(1.0), torch.ones(5), (5, 1)),
        (lambda x: x.sum(), torch.ones(100), None, (1, 100)),
        (lambda x: x.expand(9), torch.ones(1), torch.ones(9), (9, 1)),
        (lambda x: x, torch.ones(8), torch.ones(8), (8, 8)),
    ],
)
def test_v_is_as_long_as_J_is_high_and_the_result_as_J_is_wide(  # noqa: N802 - J is the term
    f: Any, x: Any, v: Any, size: tuple[int, int]
) -> None:
    seen = drawn(side_by_side(f, x, v))
    m, n = (SIDE * min(side, 8) for side in size)
    row, J, result = read = columns(seen)  # noqa: N806 - J is the term
    assert [(c.block.width, c.block.height) for c in read] == [(m, SIDE), (n, m), (n, SIDE)]
    y_middle = J.block.middle[1]
    for name, block, shape in read:
        assert block.middle[1] == y_middle
        assert name.anchor == shape.anchor == "middle"
        assert name.place == (block.middle[0], J.block.top - 10)
        assert shape.place == (block.middle[0], J.block.bottom + 24)
    for sign, before, after in (("·", row, J), ("=", J, result)):
        assert after.left == before.right + 24
        middle = (before.right + 12, y_middle + 5)
        assert seen.label(sign) == Label(sign, middle, "middle", "plain", strong=True)
    assert (row.left, J.block.top) == (1, 26)
    assert (seen.width, seen.height) == (result.right + 1, J.block.bottom + 36)


def test_long_sides_are_drawn_without_cells() -> None:
    assert len(drawn(side_by_side(lambda x: x, torch.ones(8), torch.ones(8))).boxes) == 80
    for f, x, v in (
        (lambda x: x.sum(), torch.ones(9), None),
        (lambda x: x.expand(9), torch.ones(1), torch.ones(9)),
    ):
        boxes = drawn(side_by_side(f, x, v)).boxes
        assert len(boxes) == 3
        assert {box[4:] for box in boxes} == {(1, "accent", 16)}


def test_an_output_without_elements_leaves_room_for_the_result() -> None:
    seen = drawn(side_by_side(lambda x: x[:0], torch.ones(2), torch.ones(0)))
    assert seen.words == ["v", "(0,)", "·", "J", "(0, 2)", "=", "x.grad", "(2,)"]
    assert len(seen.boxes) == 2
    assert seen.boxes[0].top == 26
    assert seen.height == seen.boxes[0].bottom + 36


@pytest.mark.parametrize(
    ("f", "v", "error", "match"),
    [
        (lambda x: x, None, RuntimeError, "only for scalar outputs"),
        (lambda x: x * x.detach(), torch.ones(2), vtj.JacobianMismatch, "wrong"),
    ],
)
def test_draws_nothing_that_is_not_confirmed(f: Any, v: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        side_by_side(f, torch.ones(2), v)
