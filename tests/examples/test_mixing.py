import torch

from vtj.examples.mixing import running_sum, softmax_ones, softmax_weights


def test_running_sum() -> None:
    assert torch.equal(running_sum().backward().grad, torch.tensor([111.0, 110.0, 100.0]))
    assert running_sum().check()


def test_softmax_ones() -> None:
    assert torch.equal(softmax_ones().backward().grad, torch.tensor([0.0, 0.0]))
    assert softmax_ones().check()


def test_softmax_weights() -> None:
    assert torch.equal(softmax_weights().backward().grad, torch.tensor([-2.0, 2.0]))
    assert softmax_weights().check()
