"""A convolutional network: the gradient has the shape of the output, not the parameters."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal


class Net(nn.Module):
    """Two convolutions and three linear layers: ten parameter tensors, ten outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, images: Tensor) -> Tensor:
        """Return ten scores for each image; `images` has shape (batch, 1, 32, 32)."""
        hidden = functional.max_pool2d(functional.relu(self.conv1(images)), 2)
        hidden = functional.max_pool2d(functional.relu(self.conv2(hidden)), 2)
        hidden = functional.relu(self.fc1(hidden.flatten(1)))
        hidden = functional.relu(self.fc2(hidden))
        scores: Tensor = self.fc3(hidden)
        return scores


def seeded(batch: int) -> tuple[Net, Tensor, Tensor]:
    """Return the network, images and weights of the scores, drawn with `torch.manual_seed(0)`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Net(), torch.randn(batch, 1, 32, 32), torch.randn(batch, 10)


def scores_of(net: Net, images: Tensor, *parameters: Tensor) -> Tensor:
    """Run the network with other parameters in the place of its own, in their order."""
    names = [name for name, _ in net.named_parameters()]
    given = dict(zip(names, parameters, strict=True))
    scores: Tensor = torch.func.functional_call(net, given, (images.to(parameters[0]),))
    return scores


def of_parameters(name: str, batch: int) -> Example:
    """Return the example whose x are the ten parameter tensors."""
    net, images, v = seeded(batch)
    parameters = tuple(parameter.detach() for parameter in net.parameters())
    return Example(name, lambda *x: scores_of(net, images, *x), parameters, v, None)


def network_scores() -> Example:
    """Weight the ten scores of one image: every parameter's `.grad` is filled.

    Shapes: x ten parameter tensors of 61706 numbers, y (1, 10), v (1, 10); J is never built.
    Source: the thread, "two Conv2d layers ... three Linear layers".

    >>> [tuple(grad.shape) for grad in network_scores().backward().grad][:3]
    [(6, 1, 5, 5), (6,), (16, 6, 5, 5)]
    """
    return of_parameters("network_scores", 1)


def flat_gradient() -> Refusal:
    """Hand ten weights of shape (10,) to an output of shape (1, 10).

    Shapes: x ten parameter tensors, y (1, 10), v (10,). Source: the thread, "out.backward needs 10
    inputs. One per output".

    >>> flat_gradient().backward().error.args[0][:17]
    'Mismatch in shape'
    """
    example = network_scores()
    assert isinstance(example.v, Tensor)
    error = RuntimeError(
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([10]) "
        "and output[0] has a shape of torch.Size([1, 10])."
    )
    return Refusal("flat_gradient", example.f, example.x, example.v.flatten(), error)


def network_batch() -> Example:
    """Weight the scores of four images: v grows with the batch, the parameters do not.

    Shapes: x ten parameter tensors, y (4, 10), v (4, 10).

    >>> network_batch().v.shape
    torch.Size([4, 10])
    """
    return of_parameters("network_batch", 4)


def network_loss() -> Example:
    """Reduce the scores to a mean squared error: a scalar, so v may be omitted.

    Shapes: x ten parameter tensors, y (). Source: the thread, `mse_loss`.

    >>> network_loss().backward().y.shape
    torch.Size([])
    """
    net, images, target = seeded(1)
    parameters = tuple(parameter.detach() for parameter in net.parameters())

    def loss(*x: Tensor) -> Tensor:
        scores = scores_of(net, images, *x)
        return functional.mse_loss(scores, target.to(scores))

    return Example("network_loss", loss, parameters, None, None)
