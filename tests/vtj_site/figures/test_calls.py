"""Accumulation over calls."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch.nn import functional

from vtj_site.figures import accumulation

X = torch.tensor([1.0, 2.0])


def texts(html: str) -> list[str]:
    return [e.text or "" for e in ElementTree.fromstring(html).iter("text")]


def test_shows_what_each_call_adds() -> None:
    weights = [torch.tensor(v).double() for v in (1.0, 10.0, 100.0, 1000.0)]
    figure = accumulation(lambda x: x**2, torch.tensor(1.0, dtype=torch.float64), weights)
    assert texts(figure.html) == [
        "call 1", "0 + 2 = 2",
        "call 2", "2 + 20 = 22",
        "call 3", "22 + 200 = 222",
        "call 4", "222 + 2000 = 2222",
    ]  # fmt: skip
    assert figure.description.startswith("Call 1: 0 + 2 = 2. Call 2: 2 + 20 = 22.")


def test_shows_every_element_and_takes_off_what_is_negative() -> None:
    figure = accumulation(sum, X, [None, torch.tensor(-3.0)])
    assert texts(figure.html)[:2] == ["call 1", "x₁"]
    assert figure.description == (
        "call 1 x₁: 0 + 1 = 1. x₂: 0 + 1 = 1. call 2 x₁: 1 − 3 = −2. x₂: 1 − 3 = −2."
    )


def test_x_that_y_does_not_use_and_zeros() -> None:
    assert accumulation(lambda x: 0 * x.sum(), X[:1], [None]).description == "Call 1: 0 + 0 = 0."


def test_the_callers_tensors_and_the_random_state_stay_as_they_were() -> None:
    x, v = X.clone().requires_grad_(), torch.tensor([1.0, 10.0])
    accumulation(lambda x: x.view(2), x, [v, v])
    assert (x.grad, v.tolist()) == (None, [1, 10])
    torch.manual_seed(5)
    before = torch.get_rng_state()
    accumulation(lambda x: functional.dropout(x).sum(), X, [None, None])
    assert torch.equal(torch.get_rng_state(), before)


def test_every_call_adds_what_one_draw_gives() -> None:
    torch.manual_seed(5)
    figure = accumulation(lambda x: functional.dropout(x).sum(), torch.ones(8), [None, None])
    lines = figure.description.rstrip(".").split(". ")
    for line in lines:
        old, more, new = (
            float(number) for number in re.findall(r"(\d+) \+ (\d+) = (\d+)", line)[0]
        )
        assert old + more == new
    assert len(lines) == 16


class Constant(torch.autograd.Function):
    """A node that hands nothing on, so that x.grad stays None."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(3.0)

    @staticmethod
    def backward(ctx: Any, v: torch.Tensor) -> None:
        return None


def test_an_x_that_nothing_arrives_at() -> None:
    figure = accumulation(Constant.apply, X[:1], [None, torch.tensor(10.0)])
    assert figure.description == "Call 1: 0 + 0 = 0. Call 2: 0 + 0 = 0."


def test_as_many_numbers_as_fit() -> None:
    assert accumulation(sum, torch.ones(12), [None, None]).description.count("=") == 24


@pytest.mark.parametrize(
    ("x", "vs", "match"),
    [
        (X, [], "^0 calls of 2 numbers; the figure shows 1 to 24 numbers$"),
        (torch.ones(0), [None], "^1 calls of 0 numbers; the figure shows 1 to 24 numbers$"),
        (torch.ones(25), [None], "^1 calls of 25 numbers; the figure shows 1 to 24 numbers$"),
    ],
)
def test_too_much_or_nothing_to_draw(x: Any, vs: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        accumulation(sum, x, vs)
