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
