"""Row by row: one real ``y.backward(v)`` per element of `y`, with a one-hot `v`."""

from typing import Any

import torch
from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_tuple, dense, fresh_leaves, like
from vtj.outcome import vjp


def jacobian(f: Function, x: Tensors) -> Any:
    """Return J by as many real backward passes as `y` has elements.

    Each row starts from a fresh graph and lands in the `.grad` of a fresh leaf. It is zero where
    autograd sees no connection. Called, and shaped, as `vtj.jacobian`.

    Raises:
        Exception: What torch raises, unchanged.

    Example:
        >>> import torch
        >>> jacobian(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    y = f(*fresh_leaves(x))
    blocks = [
        like(_rows(f, x, position, output), x) for position, output in enumerate(as_tuple(y, "y"))
    ]
    return like(tuple(blocks), y)


def _rows(f: Function, x: Tensors, position: int, output: Tensor) -> tuple[Tensor, ...]:
    def this_output(*parts: Tensor) -> Tensor:
        return as_tuple(f(*parts), "y")[position]

    rows = []
    for index in range(output.numel() if output.requires_grad else 0):
        v = torch.zeros(output.shape).to(output)
        v.view(-1)[index] = 1
        rows.append(tuple(dense(part) for part in as_tuple(vjp(this_output, x, v))))
    return tuple(
        torch.stack([row[i] for row in rows]).reshape((*output.shape, *part.shape))
        if rows
        else part.new_zeros((*output.shape, *part.shape))
        for i, part in enumerate(as_tuple(x))
    )
