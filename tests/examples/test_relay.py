import numpy as np
import pytest
import torch

from vtj.engines import jacobian
from vtj.examples.relay import both_stages, first_stage, second_stage


def test_second_stage() -> None:
    assert torch.equal(second_stage().backward().grad, first_stage().v)
    assert second_stage().check()


def test_first_stage() -> None:
    assert torch.equal(first_stage().backward().grad, torch.tensor([44.0, 163.0]))
    assert first_stage().check()


def test_both_stages() -> None:
    assert torch.equal(both_stages().backward().grad, first_stage().backward().grad)
    assert both_stages().check()


@pytest.mark.parametrize("point", [[3.0, -0.5], [-2.0, 0.0], [0.0, 0.0]])
def test_the_product_of_the_jacobians_by_hand_holds_at_other_points(point: list[float]) -> None:
    both = both_stages()
    assert both.jacobian is not None
    by_hand = both.jacobian(np.array(point))
    assert by_hand.tolist() == jacobian(both.f, torch.tensor(point), "reverse").tolist()
