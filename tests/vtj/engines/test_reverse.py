import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.engines.reverse import jacobian


def test_rows_come_from_real_backward_calls() -> None:
    """Reentrant checkpointing refuses autograd.grad, so this works by .backward alone."""
    J = jacobian(  # noqa: N806
        lambda x: checkpoint(torch.square, x, use_reentrant=True), torch.tensor([1.0, 2.0])
    )
    assert J.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_zeros_where_nothing_is_connected() -> None:
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.detach() ** 2, x * 2

    detached, doubled = jacobian(f, torch.tensor([1.0, 2.0]))
    assert not detached.any()
    assert doubled.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_so_is_one_that_is_none_only_later() -> None:
    calls = iter([torch.ones(2, requires_grad=True), 3.0])
    with pytest.raises(TypeError, match=r"^y is float"):
        jacobian(lambda x: next(calls), torch.ones(2))


def test_several_inputs_get_a_block_each() -> None:
    blocks = jacobian(lambda a, b: 2 * a + 3 * b.sum(), (torch.ones(1), torch.ones(2)))
    assert [block.tolist() for block in blocks] == [[[2.0]], [[3.0, 3.0]]]


def test_v_is_where_y_is() -> None:
    """The device `meta`, which holds no values, stands for one that is not the default."""
    J = jacobian(lambda x: x**2, torch.ones(2, device="meta"))  # noqa: N806
    assert (J.device.type, J.shape) == ("meta", (2, 2))
