import torch

from vtj.examples.weighted_sum import (
    dot_product,
    every_row,
    first_row,
    one_element_gradient,
    one_element_loss,
    second_row,
)


def test_first_row() -> None:
    assert torch.equal(first_row().backward().grad, torch.tensor([[2.0, 0.0, 0.0, 0.0]]))
    assert first_row().check()


def test_second_row() -> None:
    assert torch.equal(second_row().backward().grad, torch.tensor([[0.0, 2.0, 0.0, 0.0]]))
    assert second_row().check()


def test_every_row() -> None:
    assert torch.equal(every_row().backward().grad, torch.tensor([[2.0, 2.0, 2.0, 2.0]]))
    assert every_row().check()


def test_one_element_loss() -> None:
    outcome = one_element_loss().backward()
    assert outcome.y.shape == (1,)
    assert torch.equal(outcome.grad, torch.tensor([[2.0, 2.0, 2.0, 2.0]]))
    assert one_element_loss().check()


def test_one_element_gradient() -> None:
    assert str(one_element_gradient().backward().error) == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) "
        "and output[0] has a shape of torch.Size([])."
    )
    assert one_element_gradient().check()


def test_dot_product() -> None:
    outcome = dot_product().backward()
    assert torch.equal(outcome.y, torch.tensor(2173.0))
    assert torch.equal(outcome.grad, torch.tensor([26.0, 1240.0]))
    assert dot_product().check()
