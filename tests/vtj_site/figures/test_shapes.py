"""Shapes of v, J and x.grad side by side."""

from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from vtj_site.figures import side_by_side
from vtj_site.figures.reading.drawn import drawn

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


def test_long_sides_are_drawn_without_cells() -> None:
    assert len(drawn(side_by_side(lambda x: x, torch.ones(8), torch.ones(8))).boxes) == 80
    for f, x, v in (
        (lambda x: x.sum(), torch.ones(9), None),
        (lambda x: x.expand(9), torch.ones(1), torch.ones(9)),
    ):
        boxes = drawn(side_by_side(f, x, v)).boxes
        assert len(boxes) == 3
        assert {box[4:7] for box in boxes} == {(1, "accent", 16)}


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
