"""Accumulation over calls."""

from typing import Any
from xml.etree import ElementTree

import pytest
import torch

from vtj.show import accumulation

X = torch.tensor([1.0, 2.0])


def texts(html: str) -> list[str]:
    return [e.text or "" for e in ElementTree.fromstring(html).iter("text")]


def test_shows_what_each_call_adds() -> None:
    weights = [torch.tensor(v) for v in (1.0, 10.0, 100.0, 1000.0)]
    figure = accumulation(lambda x: x**2, torch.tensor(1.0), weights)
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


@pytest.mark.parametrize(("x", "vs"), [(X, []), (torch.ones(25), [None])])
def test_too_much_or_nothing_to_draw(x: Any, vs: Any) -> None:
    with pytest.raises(ValueError, match="the figure shows 1 to 24 numbers"):
        accumulation(sum, x, vs)


def test_the_callers_tensors_stay_as_they_were() -> None:
    x, v = X.clone().requires_grad_(), torch.tensor([1.0, 10.0])
    accumulation(lambda x: x.view(2), x, [v, v])
    assert x.grad is None
    assert v.tolist() == [1, 10]
