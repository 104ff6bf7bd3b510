import torch

from vtj.examples.elementwise import elementwise_ones, elementwise_weights, omitted_gradient


def test_elementwise_ones() -> None:
    assert torch.equal(elementwise_ones().backward().grad, torch.tensor([6.0, 12.0]))
    assert elementwise_ones().check()


def test_elementwise_weights() -> None:
    assert torch.equal(elementwise_weights().backward().grad, torch.tensor([6.0, 120.0]))
    assert elementwise_weights().check()


def test_omitted_gradient() -> None:
    error = omitted_gradient().backward().error
    assert type(error) is RuntimeError
    assert str(error) == "grad can be implicitly created only for scalar outputs"
    assert omitted_gradient().check()
