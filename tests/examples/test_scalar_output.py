import torch

from vtj.examples.scalar_output import square, square_weighted, total, total_weighted


def test_square() -> None:
    assert torch.equal(square().backward().grad, torch.tensor(2.0))
    assert square().check()


def test_square_weighted() -> None:
    assert torch.equal(square_weighted().backward().grad, torch.tensor(200.0))
    assert square_weighted().check()


def test_total() -> None:
    assert torch.equal(total().backward().grad, torch.tensor([1.0, 1.0]))
    assert total().check()
    y = total().f(torch.tensor([1.0, 2.0], requires_grad=True))
    assert y.grad_fn.name() == "AddBackward0"


def test_total_weighted() -> None:
    assert torch.equal(total_weighted().backward().grad, torch.tensor([100.0, 100.0]))
    assert total_weighted().check()
