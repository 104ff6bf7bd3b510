import torch

from vtj.examples.accumulation import (
    calls_without_clearing,
    cleared_gradient,
    reused_gradient,
    samples_as_batch,
    samples_one_by_one,
)


def test_calls_without_clearing() -> None:
    assert [grad.tolist() for grad in calls_without_clearing().run()] == [
        [[2, 0, 0, 0]],
        [[2, 2, 0, 0]],
        [[4, 4, 2, 2]],
        [[6, 6, 4, 4]],
    ]
    assert calls_without_clearing().check()


def test_samples_one_by_one() -> None:
    assert torch.equal(samples_one_by_one().run()[-1], torch.tensor([-4.0, -26.0, 6.0]))
    assert samples_one_by_one().check()


def test_samples_as_batch() -> None:
    assert torch.equal(samples_as_batch().backward().grad, samples_one_by_one().run()[-1])
    assert samples_as_batch().check()


def test_reused_gradient() -> None:
    assert [float(grad) for grad in reused_gradient().run()] == [2, 3]
    assert reused_gradient().check()


def test_cleared_gradient() -> None:
    assert [float(grad) for grad in cleared_gradient().run()] == [2, 1]
    assert cleared_gradient().check()
