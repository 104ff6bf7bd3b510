"""Accumulation over calls."""

import pytest
import torch
from torch import Tensor

from vtj_site.figures import accumulation
from vtj_site.figures.reading.drawn import drawn


def test_shows_what_each_call_adds() -> None:
    figure = accumulation([torch.tensor(value) for value in (2.0, 22.0, 222.0, 2222.0)])
    assert drawn(figure).words == [
        "call 1", "0 + 2 = 2",
        "call 2", "2 + 20 = 22",
        "call 3", "22 + 200 = 222",
        "call 4", "222 + 2000 = 2222",
    ]  # fmt: skip
    assert figure.description.startswith("Call 1: 0 + 2 = 2. Call 2: 2 + 20 = 22.")


def test_shows_every_element_and_takes_off_what_is_negative() -> None:
    figure = accumulation([torch.tensor([1.0, 1.0]), torch.tensor([-2.0, -2.0])])
    assert drawn(figure).words[:2] == ["call 1", "x₁"]
    assert figure.description == (
        "call 1 x₁: 0 + 1 = 1. x₂: 0 + 1 = 1. call 2 x₁: 1 − 3 = −2. x₂: 1 − 3 = −2."
    )


def test_a_gradient_of_zeros() -> None:
    assert accumulation([torch.zeros(1)]).description == "Call 1: 0 + 0 = 0."


def test_as_many_numbers_as_fit() -> None:
    assert accumulation([torch.ones(12)] * 2).description.count("=") == 24


@pytest.mark.parametrize(
    ("grads", "match"),
    [
        ([], "^0 calls leave 0 numbers; the figure shows 1 to 24 numbers$"),
        ([torch.ones(0)], "^1 calls leave 0 numbers; the figure shows 1 to 24 numbers$"),
        ([torch.ones(25)], "^1 calls leave 25 numbers; the figure shows 1 to 24 numbers$"),
    ],
)
def test_too_much_or_nothing_to_draw(grads: list[Tensor], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        accumulation(grads)
