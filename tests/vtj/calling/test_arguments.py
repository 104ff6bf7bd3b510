"""What stands beside `x` is given on to `f`: targets, indices, masks, numbers, words."""

from typing import Any

import pytest
import torch
from torch.nn import functional

import vtj
from tests.zoo.bug import custom

X = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.5]])
ROWS = torch.tensor([1, 0, 1])
CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "a target": (functional.cross_entropy, (X, torch.tensor([2, 0]))),
    "indices before the weight": (functional.embedding, (ROWS, X)),
    "a mask": (torch.masked_fill, (X, X > 0, 2.0)),
    "a dimension and a flag": (torch.logsumexp, (X, 1, True)),
    "None and words": (functional.kl_div, (X, X.softmax(1), None, None, "sum")),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", CASES)
def test_they_are_held(verify: Any, name: str) -> None:
    f, x = CASES[name]
    assert verify(f, x)
    assert verify(f, x, reference=f)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_wrong_entry_is_named_by_its_place_among_the_arguments(verify: Any) -> None:
    doubled = custom(lambda a: a * 1, lambda saved, g: 2 * g)
    report = verify(lambda rows, weight: doubled(weight)[rows], (ROWS, X))
    assert report.culprit == "backward"
    assert "dx[1][" in report.findings[0]


def test_the_second_order_and_a_jacobian_by_hand() -> None:
    x = (X[0].double(), 2)
    assert vtj.check(torch.pow, x, order=2)
    assert vtj.check(torch.pow, x, jacobian=(2 * torch.diag(x[0]),))
