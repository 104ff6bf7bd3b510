"""Every call adds to `.grad`: when that helps, and when it hurts."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.sequence import Call, Sequence
from vtj.examples.scalar_output import square_jacobian
from vtj.examples.three_outputs import WORTH, losses_of_weights, slopes_of_weights
from vtj.examples.weighted_sum import f as double
from vtj.examples.weighted_sum import jacobian as double_jacobian

SAMPLES = [[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
TARGETS = [1.0, 2.0, 3.0, 4.0]


def squared(w: Tensor) -> Tensor:
    """Return the loss `w²` of a model's one weight; the page's formula takes the name from here."""
    return w**2


def calls_without_clearing() -> Sequence:
    """Repeat the four calls of the blog post without clearing `.grad` in between.

    Shapes: x (4,), y (4,), loss (). Source: the blog post, which clears after each call.

    >>> [grad.tolist() for grad in calls_without_clearing().run()][-1]
    [6.0, 6.0, 4.0, 4.0]
    """
    weights = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]
    calls = [Call(double, torch.tensor(v), double_jacobian) for v in weights]
    loss = Call(lambda x: (2 * x).sum(), None, lambda x: np.full(x.shape, 2.0))
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return Sequence("calls_without_clearing", x, (*calls, loss))


def samples_one_by_one() -> Sequence:
    """Add up the gradients of four samples of a linear model, one `backward` a sample.

    Shapes: w, the weights, (3,); each loss (). Source: the thread, "cumulate gradients over several
    samples".

    >>> samples_one_by_one().run()[-1]
    tensor([ -4., -26.,   6.])
    """

    def call(sample: list[float], target: float) -> Call:
        def loss(w: Tensor) -> Tensor:
            return (w @ w.new_tensor(sample) - target) ** 2

        return Call(loss, None, lambda w: 2 * (w @ sample - target) * np.array(sample))

    calls = tuple(call(*pair) for pair in zip(SAMPLES, TARGETS, strict=True))
    return Sequence("samples_one_by_one", torch.tensor([1.0, -1.0, 2.0]), calls)


def samples_as_batch() -> Example:
    """Take the same four samples as one batch: one `backward`, the same gradient.

    Shapes: w, the weights, (3,); y, a loss a sample, (4,); v (4,), all ones; J (4, 3).

    >>> samples_as_batch().backward().grad
    tensor([ -4., -26.,   6.])
    """

    def losses(w: Tensor) -> Tensor:
        return (w.new_tensor(SAMPLES) @ w - w.new_tensor(TARGETS)) ** 2

    def jacobian(w: NDArray[np.float64]) -> Any:
        return 2 * (np.array(SAMPLES) @ w - TARGETS)[:, None] * np.array(SAMPLES)

    w = torch.tensor([1.0, -1.0, 2.0])
    return Example("samples_as_batch", losses, w, torch.ones(4), jacobian)


def losses_one_by_one() -> Sequence:
    """Go back from three losses in three calls, each weighted by what an error of one unit costs.

    Shapes: w (2,); each loss ().

    >>> losses_one_by_one().run()[-1]
    tensor([ -93700., -140550.])
    """

    def call(i: int, worth: float) -> Call:
        weight = torch.tensor(worth)
        return Call(lambda w: losses_of_weights(w)[i], weight, lambda w: slopes_of_weights(w)[i])

    calls = tuple(call(i, worth) for i, worth in enumerate(WORTH))
    return Sequence("losses_one_by_one", torch.tensor([1.0, 2.0]), calls)


def reused_gradient() -> Sequence:
    """Step from 1 to 0.5 and call again without clearing: the old gradient is still in there.

    Shapes: w, the weight, (); y, the loss, (). Source: the thread, "you don't want to
    keep those gradients around".

    >>> [grad.item() for grad in reused_gradient().run()]
    [2.0, 3.0]
    """
    first = Call(squared, None, square_jacobian)
    second = Call(squared, None, square_jacobian, x=torch.tensor(0.5))
    return Sequence("reused_gradient", torch.tensor(1.0), (first, second))


def cleared_gradient() -> Sequence:
    """Step from 1 to 0.5 and clear `.grad` first: the second gradient alone.

    Shapes: w, the weight, (); y, the loss, ().

    >>> [grad.item() for grad in cleared_gradient().run()]
    [2.0, 1.0]
    """
    first = Call(squared, None, square_jacobian)
    second = Call(squared, None, square_jacobian, x=torch.tensor(0.5), clear=True)
    return Sequence("cleared_gradient", torch.tensor(1.0), (first, second))
