import torch

from vtj.examples.three_outputs import three_outputs, three_outputs_stacked


def test_three_outputs() -> None:
    outcome = three_outputs().backward()
    assert torch.equal(outcome.y, torch.tensor([3.0, 17.0, 20.0]))
    assert torch.equal(outcome.grad, torch.tensor([26.0, 1240.0]))
    assert three_outputs().check()


def test_three_outputs_stacked() -> None:
    outcome = three_outputs_stacked().backward()
    assert torch.equal(outcome.y, torch.tensor([3.0, 17.0, 20.0]))
    assert torch.equal(outcome.grad, torch.tensor([26.0, 1240.0]))
    assert three_outputs_stacked().check()
