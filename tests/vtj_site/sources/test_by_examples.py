"""The functions that the claims of the post by examples are tried on."""

import torch

from vtj_site.sources.by_examples import grad_of, stacked
from vtj_site.sources.by_examples_extra import scalar_given
from vtj_site.sources.transcripts import square, three_outputs


def test_a_gradient_is_that_of_one_call_on_a_fresh_leaf() -> None:
    for _ in range(2):
        assert grad_of(square, 3.0) == 6
        assert grad_of(square, 3.0, 10.0) == 60


def test_the_stacked_example_is_the_one_with_assignments() -> None:
    x = torch.tensor([3.0, 5.0])
    assert torch.equal(stacked(x), three_outputs(x))


def test_a_vector_for_a_scalar_is_refused_by_its_shape() -> None:
    for v in ([1.0], [1.0, 10.0]):
        assert str(scalar_given(v)) == (
            f"RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([{len(v)}])"
            " and output[0] has a shape of torch.Size([])."
        )
