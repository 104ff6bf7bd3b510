"""J as a heat map."""

from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch import Tensor

import vtj
from vtj.show import Figure, heat_map

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0, 100.0])


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


def words(figure: Figure) -> list[str]:
    return [e.text or "" for e in ElementTree.fromstring(figure.html).iter("text")]


def test_shows_J_its_weights_and_their_sum() -> None:  # noqa: N802 - J is the term
    figure = heat_map(three_outputs, X, V)
    assert words(figure) == [
        "x₁", "x₂",
        "1 ×", "y₁", "6", "0",
        "10 ×", "y₂", "2", "24",
        "100 ×", "y₃", "0", "10",
        "vᵀ·J", "26", "1240",
    ]  # fmt: skip
    assert figure.description == (
        "1 × row y₁ (6, 0) + 10 × row y₂ (2, 24) + 100 × row y₃ (0, 10) = vᵀ·J (26, 1240)."
    )


def test_tints_by_size_and_sign() -> None:
    html = heat_map(lambda x: torch.stack([x[0] - 4 * x[1]]), X, torch.ones(1)).html
    assert "var(--vtj-positive, #b45309) 10%" in html
    assert "var(--vtj-negative, #1d6fb8) 40%" in html


def test_is_wide_enough_for_its_numbers_and_fits_a_phone() -> None:
    svg = ElementTree.fromstring(heat_map(three_outputs, X, V).html)[0]
    assert float(svg.get("width", "")) <= 343


def test_scalars_matrices_and_an_input_that_is_not_used() -> None:
    assert words(heat_map(lambda x: x**2, torch.tensor(3.0)))[-1] == "6"
    assert words(heat_map(lambda x: 2 * x, torch.ones(1, 2), torch.ones(1, 2)))[:2] == [
        "x₁₁",
        "x₁₂",
    ]
    assert words(heat_map(lambda x: x[:1] * 1, X, torch.ones(1)))[-2:] == ["1", "0"]


def test_many_elements_get_a_comma() -> None:
    assert "x₁,₁₀" in words(heat_map(lambda x: x.sum(), torch.ones(1, 10)))


@pytest.mark.parametrize(
    ("f", "x", "v", "error", "match"),
    [
        (lambda x: x, torch.ones(9), torch.ones(9), ValueError, "J has 81 entries; a heat map"),
        (lambda x: x.sum(), torch.ones(0), None, ValueError, "J has 0 entries"),
        (lambda x: (x, x), X, (X, X), TypeError, "one tensor each to be drawn"),
        (lambda a, b: a * b, (X, X), X, TypeError, "one tensor each to be drawn"),
        (lambda x: x, X, None, RuntimeError, "only for scalar outputs"),
        (lambda x: x * x.detach(), X, X, vtj.JacobianMismatch, "wrong"),
    ],
)
def test_draws_nothing_that_is_not_confirmed(
    f: Any, x: Any, v: Any, error: Any, match: str
) -> None:
    with pytest.raises(error, match=match):
        heat_map(f, x, v)
