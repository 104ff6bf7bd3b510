import torch
from torch.nn import functional

from vtj.examples.network import (
    flat_gradient,
    network_batch,
    network_loss,
    network_scores,
    scores_of,
    seeded,
)

SHAPES = [
    (6, 1, 5, 5),
    (6,),
    (16, 6, 5, 5),
    (16,),
    (120, 400),
    (120,),
    (84, 120),
    (84,),
    (10, 84),
    (10,),
]


def test_network_scores() -> None:
    outcome = network_scores().backward()
    assert outcome.y.shape == (1, 10)
    assert [grad.shape for grad in outcome.grad] == SHAPES
    assert all(grad.abs().sum() > 0 for grad in outcome.grad)
    assert network_scores().check()


def test_flat_gradient() -> None:
    assert str(flat_gradient().backward().error) == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([10]) "
        "and output[0] has a shape of torch.Size([1, 10])."
    )
    assert flat_gradient().check()


def test_network_batch() -> None:
    outcome = network_batch().backward()
    assert outcome.y.shape == (4, 10)
    assert [grad.shape for grad in outcome.grad] == SHAPES
    assert network_batch().check()


def test_network_loss() -> None:
    net, images, target = seeded(1)
    scores = scores_of(net, images, *network_loss().x)
    loss = network_loss().backward()
    assert torch.equal(loss.y, functional.mse_loss(scores, target))
    net(images).backward(2 * (scores.detach() - target) / 10)
    for grad, parameter in zip(loss.grad, net.parameters(), strict=True):
        torch.testing.assert_close(grad, parameter.grad)
    assert network_loss().check()


def test_the_builders_leave_the_random_state_alone() -> None:
    before = torch.random.get_rng_state()
    seeded(1)
    assert torch.equal(torch.random.get_rng_state(), before)
