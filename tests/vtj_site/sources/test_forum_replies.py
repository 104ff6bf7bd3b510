"""The two matrices that the claims of the forum's replies are tried on."""

from typing import Any

import torch

from vtj_site.sources.forum_replies import V, matrices, x_grad


def test_the_product_is_that_of_two_matrices_of_ones() -> None:
    x, out = matrices()
    assert x.shape == (2, 3)
    assert x.is_leaf
    assert torch.equal(x, torch.ones(2, 3))
    assert torch.equal(out, torch.full((2, 4), 3.0))


def test_a_row_of_the_gradient_is_added_up() -> None:
    left: Any = x_grad()
    assert left.tolist() == [[10.0] * 3, [26.0] * 3]
    assert V.sum(dim=1).tolist() == [10, 26]
