"""A vector as gradient of a scalar output: refused since torch 1.3.0, and what to write instead."""

import numpy as np
import torch
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal
from vtj.cases.sequence import Call, Sequence
from vtj.examples.scalar_output import square_jacobian, total_jacobian

MISMATCH = RuntimeError(
    "Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) "
    "and output[0] has a shape of torch.Size([])."
)
WEIGHTS = (1.0, 10.0, 100.0, 1000.0)


def f(x: Tensor) -> Tensor:
    """Return `x²`."""
    return x**2


def vector_for_square() -> Refusal:
    """Hand four weights to the scalar `x²`.

    Shapes: x (), y (), v (4,). Source: "explained by examples", line 320, which got 2222 from a
    torch older than 1.3.0.

    >>> vector_for_square().backward().error.args[0][:17]
    'Mismatch in shape'
    """
    return Refusal("vector_for_square", f, torch.tensor(1.0), torch.tensor(WEIGHTS), MISMATCH)


def loop_over_square() -> Sequence:
    """Hand the four weights over one at a time, keeping the graph: `.grad` adds up.

    Shapes: x (), y (), each v (). Source: "explained by examples", line 336.

    >>> [grad.item() for grad in loop_over_square().run()]
    [2.0, 22.0, 222.0, 2222.0]
    """
    calls = tuple(Call(f, torch.tensor(weight), square_jacobian) for weight in WEIGHTS)
    return Sequence("loop_over_square", torch.tensor(1.0), calls)


def vector_for_sum() -> Refusal:
    """Hand four weights to the sum of two numbers.

    Shapes: x (2,), y (), v (4,). Source: "explained by examples", line 387, which got [1111, 1111]
    from a torch older than 1.3.0.

    >>> vector_for_sum().backward().error.args[0][:17]
    'Mismatch in shape'
    """
    x = torch.tensor([1.0, 2.0])
    return Refusal("vector_for_sum", lambda x: x.sum(), x, torch.tensor(WEIGHTS), MISMATCH)


def loop_over_sum() -> Sequence:
    """Hand the four weights to the sum one at a time, keeping the graph.

    Shapes: x (2,), y (), each v (). Source: "explained by examples", line 403.

    >>> [grad.tolist() for grad in loop_over_sum().run()]
    [[1.0, 1.0], [11.0, 11.0], [111.0, 111.0], [1111.0, 1111.0]]
    """
    calls = tuple(Call(torch.sum, torch.tensor(weight), total_jacobian) for weight in WEIGHTS)
    return Sequence("loop_over_sum", torch.tensor([1.0, 2.0]), calls)


def summed_vector() -> Example:
    """Add the weights up first: what the old torch did.

    Shapes: x (), y (), v ().

    >>> summed_vector().backward().grad
    tensor(2222.)
    """
    v = torch.tensor(WEIGHTS).sum()
    return Example("summed_vector", f, torch.tensor(1.0), v, square_jacobian)


def expanded_output() -> Example:
    """Expand the output to four equal elements, so that the vector has its shape.

    Shapes: x (), y (4,), v (4,), J (4,).

    >>> expanded_output().backward().grad
    tensor(2222.)
    """
    x, v = torch.tensor(1.0), torch.tensor(WEIGHTS)
    return Example("expanded_output", lambda x: f(x).expand(4), x, v, lambda x: np.repeat(2 * x, 4))


def expanded_sum() -> Example:
    """Expand the sum of two numbers to four equal elements: each row of J is a row of ones.

    Shapes: x (2,), y (4,), v (4,), J (4, 2). Source: "explained by examples", line 424.

    >>> expanded_sum().backward().grad
    tensor([1111., 1111.])
    """
    x, v = torch.tensor([1.0, 2.0]), torch.tensor(WEIGHTS)
    return Example("expanded_sum", lambda x: x.sum().expand(4), x, v, lambda x: np.ones((4, 2)))


def batched_gradients() -> Sequence:
    """Ask for the four products separately, as `is_grads_batched=True` does in one pass.

    Shapes: x (), y (), each v (); `.grad` is cleared before each call.

    >>> [grad.item() for grad in batched_gradients().run()]
    [2.0, 20.0, 200.0, 2000.0]
    """
    calls = tuple(Call(f, torch.tensor(weight), square_jacobian, clear=True) for weight in WEIGHTS)
    return Sequence("batched_gradients", torch.tensor(1.0), calls)
