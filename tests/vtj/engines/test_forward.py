import pytest
import torch
from torch import Tensor

from vtj.engines.forward import jacobian, jvp


def test_jvp_contracts_with_x() -> None:
    u = (torch.tensor([1.0, 10.0]), torch.tensor(100.0))
    first, second = jvp(
        lambda a, b: (a * b, b**2), (torch.tensor([1.0, 2.0]), torch.tensor(3.0)), u
    )
    assert first.tolist() == [103.0, 230.0]
    assert second.item() == 600.0


def test_item_writes() -> None:
    def f(x: Tensor) -> Tensor:
        y = torch.empty(2)
        y[0], y[1] = x[0] * x[1], x[1]
        return y

    assert jacobian(f, torch.tensor([2.0, 3.0])).tolist() == [[3.0, 2.0], [0.0, 1.0]]


def test_a_direction_for_each_input() -> None:
    with pytest.raises(ValueError, match="shorter"):
        jvp(torch.mul, (torch.ones(2), torch.ones(2)), (torch.ones(2),))


def test_an_output_that_backward_alone_reaches_is_no_zero() -> None:
    places = torch.tensor([0, 1, 1])
    x = torch.tensor([2.0, 3.0, 4.0])
    with pytest.raises(NotImplementedError, match="no tangent, where backward sees a way"):
        jvp(lambda x: x.new_ones(2).scatter_reduce(0, places, x, "prod"), x, x)


def test_an_output_of_another_leaf_has_the_slope_zero() -> None:
    w = torch.tensor([5.0], requires_grad=True)
    x = torch.tensor([2.0])
    assert [one.item() for one in jvp(lambda x: (3 * x, 2 * w), x, x)] == [6.0, 0.0]
