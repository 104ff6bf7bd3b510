"""Cost of forward and of reverse mode, in operations."""

from typing import Any

import pytest
import torch
from torch import Tensor

from vtj.show import cost
from vtj.show.costs import counted

W = torch.ones(5, 100)


def test_counts_products_as_what_they_cost() -> None:
    assert counted(lambda: W @ torch.ones(100, 3))[0] == 300 + 2 * 5 * 100 * 3
    assert counted(lambda: W @ torch.ones(100))[0] == 100 + 2 * 5 * 100
    assert counted(lambda: W[0] @ W[1])[0] == 2 * 100


def test_counts_nothing_for_views_and_one_step_an_element_otherwise() -> None:
    x = torch.ones(10)
    count, result = counted(lambda: x.view(2, 5).T + 1)
    assert count == 10
    assert result.shape == (5, 2)


def test_few_outputs_are_cheaper_by_rows() -> None:
    figure = cost(lambda x: W @ x, torch.ones(100))
    assert figure.title == "Operations for J: 5 reverse passes or 100 forward passes"
    said = dict(part.split(": ") for part in figure.description.rstrip(".").split("; "))
    numbers = {name: int(count.replace(",", "")) for name, count in said.items()}
    assert numbers["y = f(x)"] == 1000
    assert numbers["J by rows, 5 reverse passes"] < numbers["J by columns, 100 forward passes"]
    assert numbers["J by columns, 100 forward passes"] == 100 * numbers["J·u, one forward pass"]


def test_one_pass_is_not_plural() -> None:
    assert "1 reverse pass or 3 forward passes" in cost(lambda x: x.sum(), torch.ones(3)).title


def test_is_the_same_every_time() -> None:
    def f(x: Tensor) -> Tensor:
        return torch.nn.functional.dropout(x, 0.5).tanh()

    assert cost(f, torch.ones(4)).html == cost(f, torch.ones(4)).html


@pytest.mark.parametrize("f", [lambda x: (x, x), lambda x: 3.0], ids=["tuple", "float"])
def test_needs_one_tensor(f: Any) -> None:
    with pytest.raises(TypeError, match=r"expected one torch\.Tensor"):
        cost(f, torch.ones(2))
