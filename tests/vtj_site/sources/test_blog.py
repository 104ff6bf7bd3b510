"""The claims of the blog post are tried on what the post computes."""

import torch
from torch.autograd import Variable

from vtj_site.sources.blog import blog, grad_of, leaf, rows


def test_they_are_tried_at_the_x_of_the_post() -> None:
    (words,) = [claim.words for claim in blog.claims if claim.id == "blog-05"]
    printed = eval(f"{words})", {"Variable": Variable, "torch": torch})
    x = leaf()
    assert torch.equal(x, printed)
    assert x.requires_grad
    assert x.is_leaf


def test_each_is_tried_on_a_graph_of_its_own() -> None:
    assert str(grad_of(1, 10, 100, 1000)) == "tensor([[   2.,   20.,  200., 2000.]])"
    assert str(grad_of(1, 10, 100, 1000)) == "tensor([[   2.,   20.,  200., 2000.]])"
    assert leaf().grad is None


def test_the_jacobian_has_a_row_for_each_output() -> None:
    assert torch.equal(rows(), 2 * torch.eye(4))
