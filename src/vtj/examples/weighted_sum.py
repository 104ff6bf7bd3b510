"""The pretend loss: `y.backward(v)` is `(v * y).sum().backward()`."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal
from vtj.examples.three_outputs import WORTH, losses_of_weights, slopes_of_weights


def f(x: Tensor) -> Tensor:
    """Return `2x`, element by element."""
    return 2 * x


def jacobian(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return dz/dx, derived by hand, shape (4, 4): twice the identity."""
    return 2 * np.eye(x.size)


def doubled(name: str, v: list[float]) -> Example:
    """Return the example `z = 2x` with the given weights."""
    return Example(name, f, torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor(v), jacobian)


def first_row() -> Example:
    """Weight the first output alone: a one-hot v reads the first row of J.

    Shapes: x (4,), y (4,), v (4,), J (4, 4). Source: the blog post, first print, whose x is (1, 4).

    >>> first_row().backward().grad
    tensor([2., 0., 0., 0.])
    """
    return doubled("first_row", [1.0, 0.0, 0.0, 0.0])


def second_row() -> Example:
    """Weight the second output alone: the second row of J.

    Shapes: x (4,), y (4,), v (4,), J (4, 4). Source: the blog post, second print.

    >>> second_row().backward().grad
    tensor([0., 2., 0., 0.])
    """
    return doubled("second_row", [0.0, 1.0, 0.0, 0.0])


def every_row() -> Example:
    """Weight every output with one: the rows of J added up.

    Shapes: x (4,), y (4,), v (4,), J (4, 4). Source: the blog post, third print.

    >>> every_row().backward().grad
    tensor([2., 2., 2., 2.])
    """
    return doubled("every_row", [1.0, 1.0, 1.0, 1.0])


def one_element_loss() -> Example:
    """Sum and keep the dimension: the loss has shape (1,), one element, and v may be left out.

    Shapes: x (4,), y (1,), J (1, 4). Source: the blog post, fourth print.

    >>> one_element_loss().backward().grad
    tensor([2., 2., 2., 2.])
    """

    def by_hand(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full((1, *x.shape), 2.0)

    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return Example("one_element_loss", lambda x: (2 * x).sum(0, keepdim=True), x, None, by_hand)


def one_element_gradient() -> Refusal:
    """Hand a v of shape (1,) to a 0-d loss: one element each, and still two shapes.

    Shapes: x (4,), y (), v (1,). Source: the blog post's comment on `loss.backward()`.

    >>> one_element_gradient().backward().error.args[0][:17]
    'Mismatch in shape'
    """
    x, v = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0])
    error = RuntimeError(
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) "
        "and output[0] has a shape of torch.Size([])."
    )
    return Refusal("one_element_gradient", lambda x: (2 * x).sum(), x, v, error)


def dot_product() -> Example:
    """Build the scalar `(v * y).sum()` and omit the gradient: the same `x.grad` as `y.backward(v)`.

    Shapes: x (2,), y (), J (2,). Source: the thread's question, "dot product on out, right?".

    >>> dot_product().backward().grad
    tensor([  26., 1240.])
    """

    def weighted(x: Tensor) -> Tensor:
        y = torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])
        v = torch.tensor([1.0, 10.0, 100.0], dtype=x.dtype, device=x.device)
        return (v * y).sum()

    def by_hand(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([6 * x[0] + 10 * 2 * x[0], 10 * 6 * x[1] ** 2 + 100 * 10])

    return Example("dot_product", weighted, torch.tensor([1.0, 2.0]), None, by_hand)


def total_cost() -> Example:
    """Add three losses up, each weighted by what an error of one unit costs.

    Shapes: w (2,), cost (), J (2,).

    >>> total_cost().backward().grad
    tensor([ -93700., -140550.])
    """

    def cost(w: Tensor) -> Tensor:
        return (w.new_tensor(WORTH) * losses_of_weights(w)).sum()

    def by_hand(w: NDArray[np.float64]) -> NDArray[np.float64]:
        worth: NDArray[np.float64] = np.array(WORTH)
        return worth @ slopes_of_weights(w)

    return Example("total_cost", cost, torch.tensor([1.0, 2.0]), None, by_hand)
