"""J as a heat map."""

from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from vtj.show import heat_map
from vtj_site.figures.reading.drawn import drawn

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0, 100.0])


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


def test_shows_J_its_weights_and_their_sum() -> None:  # noqa: N802 - J is the term
    figure = heat_map(three_outputs, X, V)
    assert figure.title == "J, its rows weighted by v"
    assert drawn(figure).words == [
        "x₁", "x₂",
        "1 ×", "y₁", "6", "0",
        "10 ×", "y₂", "2", "24",
        "100 ×", "y₃", "0", "10",
        "vᵀ·J", "26", "1240",
    ]  # fmt: skip
    assert figure.description == (
        "1 × row y₁ (6, 0) + 10 × row y₂ (2, 24) + 100 × row y₃ (0, 10) = vᵀ·J (26, 1240)."
    )


@pytest.mark.parametrize(
    ("f", "x", "v"),
    [
        (three_outputs, X, V),
        (lambda x: 2 * x, torch.ones(1, 10)[:, :3], torch.full((1, 3), -0.5)),
        (lambda x: x.sum(), torch.ones(1, 11), None),
        (lambda x: x**2, torch.tensor(3.0), None),
    ],
)
def test_all_is_in_the_picture_and_every_number_in_its_box(f: Any, x: Any, v: Any) -> None:
    seen = drawn(heat_map(f, x, v))
    assert all(label.left >= 0 and label.right <= seen.width for label in seen.labels)
    assert all(0 <= at <= seen.width for line in seen.lines for at, _ in line.points)
    for box in seen.boxes:
        x, y = box.middle
        (inside,) = (label for label in seen.labels if label.place == (x, y + 5))
        assert box.left <= inside.left
        assert inside.right <= box.right


def test_tints_by_size_and_sign() -> None:
    seen = drawn(heat_map(lambda x: torch.stack([x[0] - 4 * x[1]]), X, torch.ones(1)))
    assert [(box.color, box.shade) for box in seen.boxes] == [("positive", 10), ("negative", 40)]
    seen = drawn(heat_map(lambda x: x[:1] / 4, X, torch.ones(1)))
    assert [(box.color, box.shade) for box in seen.boxes] == [("positive", 40), ("positive", 0)]
    seen = drawn(heat_map(lambda x: 0 * x, torch.tensor(1.0)))
    assert [box.shade for box in seen.boxes] == [0], "nothing is the largest where all is zero"


@pytest.mark.parametrize(
    ("f", "x", "v", "widest"),
    [
        (lambda x: x**2, torch.tensor(3.0), None, ""),
        (lambda x: 1000 * x, torch.tensor(3.0), None, "1000"),
        (lambda x: -x / 3, torch.tensor(3.0), torch.tensor(3.0), "≈−0.3333"),
        (lambda x: x, torch.tensor(3.0), torch.tensor(12345.0), "12345"),
        (lambda x: x.sum(), torch.ones(1, 10), None, "x₁,₁₀"),
    ],
)
def test_boxes_are_as_wide_as_what_stands_in_them_or_above(
    f: Any, x: Any, v: Any, widest: str
) -> None:
    seen = drawn(heat_map(f, x, v))
    assert {box.width for box in seen.boxes} == {max(30, 8 * len(widest) + 12)}


def test_names_of_rows_longer_than_the_product_have_room() -> None:
    seen = drawn(heat_map(lambda x: x.expand(1, 1, 11), torch.tensor(3.0), torch.ones(1, 1, 11)))
    (name,) = (label for label in seen.labels if label.words == "y₁,₁,₁₁")
    assert name.left - seen.labels[1].right == 8
    assert name.right == seen.boxes[0].left - 10


def test_is_wide_enough_for_its_numbers_and_fits_a_phone() -> None:
    assert drawn(heat_map(three_outputs, X, V)).width <= 343


def test_scalars_matrices_and_an_input_that_is_not_used() -> None:
    assert drawn(heat_map(lambda x: x**2, torch.tensor(3.0))).words == [
        "x", "1 ×", "y", "6", "vᵀ·J", "6",
    ]  # fmt: skip
    assert drawn(heat_map(lambda x: 2 * x, torch.ones(1, 2), torch.ones(1, 2))).words[:2] == [
        "x₁₁",
        "x₁₂",
    ]
    assert drawn(heat_map(lambda x: x[:1] * 1, X, torch.ones(1))).words[-2:] == ["1", "0"]


def test_shows_up_to_64_entries() -> None:
    assert len(drawn(heat_map(lambda x: x, torch.ones(8), torch.ones(8))).boxes) == 64
    assert len(drawn(heat_map(lambda x: x, torch.tensor(1.0))).boxes) == 1


@pytest.mark.parametrize(
    ("f", "x", "v", "error", "match"),
    [
        (
            lambda x: x,
            torch.ones(9),
            torch.ones(9),
            ValueError,
            "J has 81 entries; a heat map shows 1 to 64",
        ),
        (lambda x: x.sum(), torch.ones(0), None, ValueError, "J has 0 entries"),
        (lambda x: x, X, None, RuntimeError, "only for scalar outputs"),
        (lambda x: x * x.detach(), X, X, vtj.JacobianMismatch, "wrong"),
    ],
)
def test_draws_nothing_that_is_not_confirmed(
    f: Any, x: Any, v: Any, error: Any, match: str
) -> None:
    with pytest.raises(error, match=match):
        heat_map(f, x, v)
