"""Cost of forward and of reverse mode, in operations."""

from typing import Any

import pytest
import torch

from vtj.show import Figure
from vtj_site.figures import cost
from vtj_site.figures.costs import counted

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


def test_counts_convolutions_and_takes_keywords() -> None:
    image, kernel = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3)
    assert counted(lambda: torch.nn.functional.conv2d(image, kernel))[0] == 2 * (2 * 2) * (3 * 3)
    count, result = counted(lambda: torch.add(kernel, kernel, alpha=10))
    assert (count, result.sum()) == (9, 99)


def numbers(figure: Figure) -> dict[str, int]:
    said = dict(part.split(": ") for part in figure.description.removesuffix(".").split("; "))
    return {name: int(count.replace(",", "")) for name, count in said.items()}


def test_few_outputs_are_cheaper_by_rows() -> None:
    figure = cost(lambda x: W @ x, torch.ones(100))
    assert figure.title == "Operations for J: 5 reverse passes or 100 forward passes"
    counts = numbers(figure)
    along = counts["J·u, one forward pass"]
    assert counts == {
        "y = f(x)": 1000,
        "vᵀ·J, one reverse pass": 1000 + 1000,
        "J·u, one forward pass": along,
        "J by rows, 5 reverse passes": 1000 + 5 * 1000,
        "J by columns, 100 forward passes": 100 * along,
    }
    assert along >= 2000


def test_the_callers_x_and_the_random_state_stay_as_they_were() -> None:
    x = torch.ones(4, requires_grad=True)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = (cost(lambda x: torch.nn.functional.dropout(x, 0.5), x) for _ in range(2))
    assert first.html == second.html
    assert x.grad is None
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("f", "came"), [(lambda x: (x, x), "tuple"), (lambda x: 3.0, "float")], ids=["tuple", "float"]
)
def test_needs_one_tensor(f: Any, came: str) -> None:
    with pytest.raises(TypeError, match=rf"^f returned {came}; expected one torch\.Tensor$"):
        cost(f, torch.ones(2))
