import torch

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
