"""Whether two runs leave the same gradient."""

import pytest
import torch

from vtj_site.sources.agreement import equals, one_is_enough


@pytest.mark.parametrize(
    ("gradient", "values", "same"),
    [
        ([1.0, 2.0], [1, 2], True),
        ([1.0, 2.0], [1, 3], False),
        ([1.0, 2.0], [2, 3], False),
        (None, [1, 2], False),
        (None, 0, False),
    ],
)
def test_every_entry_must_be_there(gradient: object, values: object, same: bool) -> None:
    assert equals(None if gradient is None else torch.tensor(gradient), values) is same


def test_a_gradient_of_one_entry_does_for_one_shape_alone() -> None:
    shapes = ((1,), (), (1, 1))
    assert [shape for shape in shapes if one_is_enough(shape)] == [(1,)]
