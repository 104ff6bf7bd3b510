"""Column by column: one forward pass with dual numbers per element of `x`."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from vtj.calling.quiet import quiet
from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves, graph_of, like


def jacobian(f: Function, x: Tensors) -> Any:
    """Return J by as many forward passes as `x` has elements, each with a one-hot tangent.

    Every second one is minus one: a jvp that is not linear, such as `abs(u)` times the slope, is
    right along positive tangents. Called, and shaped, as `vtj.jacobian`.

    Raises:
        Exception: What torch raises, unchanged; a custom Function without `jvp` cannot be run.

    Source:
        https://docs.pytorch.org/tutorials/intermediate/forward_ad_usage.html

    Example:
        >>> import torch
        >>> jacobian(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    parts = as_tuple(x)
    y = f(*fresh_leaves(x))
    outputs = as_tuple(y, "y")
    columns = [
        [
            _column(f, x, position, index, -1.0 if index % 2 == 0 else 1.0)
            for index in range(part.numel())
        ]
        for position, part in enumerate(parts)
    ]
    blocks = [
        like(
            tuple(
                _stacked([column[o] for column in columns[i]], output, part)
                for i, part in enumerate(parts)
            ),
            x,
        )
        for o, output in enumerate(outputs)
    ]
    return like(tuple(blocks), y)


def jvp(f: Function, x: Tensors, u: Tensors) -> Tensors:
    """Return J·u by one forward pass; zeros where `y` does not depend on `x`.

    The tangent `u` has `x`'s shape and the result `y`'s; each is a tuple where `x` or `y` is one.

    Raises:
        NotImplementedError: When no tangent reaches an output that backward reaches: what
            ``scatter_reduce(..., "prod")`` and scripted functions give without a word is no zero.
    """
    return with_tangents(f, x, u)[2]


def with_tangents(f: Function, x: Tensors, u: Tensors) -> tuple[tuple[Tensor, ...], Any, Tensors]:
    """Return the leaves and `y` of a run of `f`, whose graph is still there, and J·u beside it."""
    leaves = fresh_leaves(x)
    with quiet(), forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(leaf, tangent)  # type: ignore[no-untyped-call]
            for leaf, tangent in zip(leaves, as_tuple(u, "u"), strict=True)
        ]
        y = f(*duals)
        tangents = [_tangent(output, leaves) for output in as_tuple(y, "y")]
    product: Tensors = like(tuple(tangents), y)
    return leaves, y, product


def _tangent(output: Tensor, leaves: tuple[Tensor, ...]) -> Tensor:
    primal, tangent = forward_ad.unpack_dual(output)  # type: ignore[no-untyped-call]
    if tangent is None:
        reached = [getattr(node, "variable", None) for node in graph_of([output])]
        if any(one is leaf for one in reached for leaf in leaves):
            raise NotImplementedError(
                "forward mode leaves no tangent, where backward sees a way to x"
            )
        tangent = torch.zeros_like(primal)
    return tangent.detach()  # type: ignore[no-any-return]


def _column(f: Function, x: Tensors, position: int, index: int, sign: float) -> tuple[Tensor, ...]:
    u = tuple(torch.zeros(part.shape).to(part) for part in as_tuple(x))
    u[position].view(-1)[index] = sign
    column = as_tuple(jvp(f, x, like(u, x)), "y")
    return tuple(sign * part + 0.0 for part in column)  # 0.0: no zero is -0


def _stacked(columns: list[Tensor], output: Tensor, part: Tensor) -> Tensor:
    shape = (*output.shape, *part.shape)
    return torch.stack(columns, -1).reshape(shape) if columns else output.new_zeros(shape)
