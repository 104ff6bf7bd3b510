from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from vtj.examples.network import (
    Net,
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
    assert torch.equal(flat_gradient().v, network_scores().v.flatten())
    assert torch.equal(flat_gradient().backward().y, network_scores().backward().y)


def test_network_batch() -> None:
    outcome = network_batch().backward()
    assert outcome.y.shape == (4, 10)
    assert [grad.shape for grad in outcome.grad] == SHAPES
    assert network_batch().check()


@pytest.mark.parametrize("builder", [network_scores, network_batch])
def test_the_network_images_and_weights_are_those_of_seed_0(builder: Callable[[], Any]) -> None:
    case = builder()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = Net()
        images, v = torch.randn(len(case.v), 1, 32, 32), torch.randn(len(case.v), 10)
    layers = nn.Sequential(
        *(net.conv1, nn.ReLU(), nn.MaxPool2d(2), net.conv2, nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), net.fc1, nn.ReLU(), net.fc2, nn.ReLU(), net.fc3),
    )
    assert torch.equal(case.f(*case.x), layers(images))
    assert torch.equal(case.v, v)


def test_network_loss() -> None:
    net, images, target = seeded(1)
    scores = scores_of(net, images, *network_loss().x)
    loss = network_loss().backward()
    assert torch.equal(loss.y, functional.mse_loss(scores, target))
    net(images).backward(2 * (scores.detach() - target) / 10)
    for grad, parameter in zip(loss.grad, net.parameters(), strict=True):
        torch.testing.assert_close(grad, parameter.grad)
    assert network_loss().check()


def test_the_images_follow_the_dtype_of_the_parameters() -> None:
    net, images, _ = seeded(1)
    parameters = [parameter.double() for parameter in net.parameters()]
    exact = scores_of(net, images, *parameters)
    assert exact.dtype is torch.float64
    torch.testing.assert_close(exact.float(), net(images))


def test_ten_parameters_are_wanted() -> None:
    net, images, _ = seeded(1)
    with pytest.raises(ValueError, match="shorter than argument 1"):
        scores_of(net, images, *list(net.parameters())[:9])


def test_the_builders_leave_the_random_state_alone() -> None:
    before = torch.random.get_rng_state()
    seeded(1)
    assert torch.equal(torch.random.get_rng_state(), before)
