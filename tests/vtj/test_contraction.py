from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from vtj.contraction import contract

V = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
J = np.einsum("ik,jl->ijkl", np.eye(2), np.ones((4, 3)))  # of mm(x, ones(3, 4)) by x


@pytest.mark.parametrize("v", [V, torch.from_numpy(V), torch.from_numpy(V).float()])
def test_over_all_dimensions_of_y(v: object) -> None:
    assert np.array_equal(contract(v, J), [[10, 10, 10], [26, 26, 26]])
    product = contract(v, torch.from_numpy(J))
    assert torch.equal(product, torch.tensor([[10.0] * 3, [26.0] * 3], dtype=torch.float64))


def test_scalar_y() -> None:
    assert np.array_equal(contract(np.array(100.0), np.array([1.0, 1.0])), [100, 100])
    assert torch.equal(contract(torch.tensor(100.0), torch.ones(2)), torch.full((2,), 100.0))


@pytest.mark.parametrize(
    ("v", "j", "error", "message"),
    [
        (np.ones((4, 4)), J, ValueError, r"^v has shape \(4, 4\) and J \(2, 4, 2, 3\)"),
        ([1.0], np.ones((1, 1)), TypeError, r"^v is list; expected a torch\.Tensor or a numpy"),
        (np.ones(1), [[1.0]], TypeError, r"^J is list; expected a torch\.Tensor or a numpy"),
        (torch.ones(1), torch.ones(1, 1, device="meta"), TypeError, "^J is on device meta"),
        (np.ones(1), np.array([["a"]]), TypeError, "^J has dtype <U1; expected numbers$"),
    ],
    ids=["shapes", "v is a list", "J is a list", "without values", "no numbers"],
)
def test_what_is_refused(v: Any, j: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        contract(v, j)


def test_nothing_is_rounded() -> None:
    v = torch.tensor([0.1], dtype=torch.float64)
    assert contract(v, np.array([[3.0]])).tolist() == [0.1 * 3]
    product = contract(v, torch.tensor([[3.0]]))
    assert product.dtype is torch.float64
    assert product.tolist() == [0.1 * 3]


def test_exact_numbers_stay_exact() -> None:
    v = np.array([Fraction(1, 3), Fraction(2, 3)])
    assert contract(v, np.array([[Fraction(1)], [Fraction(5, 7)]])).tolist() == [Fraction(17, 21)]


def test_the_product_is_where_j_is_whatever_the_default_device() -> None:
    with torch.device("meta"):
        product = contract(V, torch.from_numpy(J))
    assert product.tolist() == [[10.0] * 3, [26.0] * 3]
