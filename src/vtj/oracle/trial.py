"""One trial run of `f`: what it takes, what it returns, and how exactly it computes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from vtj.calling.tensors import (
    Function,
    Tensors,
    as_tuple,
    fresh_leaves,
    like,
    require_floating,
    shaped_like,
    values,
)
from vtj.oracle.blocks import as_matrix
from vtj.oracle.naming import element
from vtj.oracle.tolerance import RELATIVE
from vtj.release import dtypes_noted, dtypes_of

ONCE_DIFFERENTIABLE = "torch::autograd::Error"  # the node torch puts where no gradient goes on


@dataclass(frozen=True)
class Trial:
    """`f` and `x` as the engines get them, and what `f` returned."""

    f: Function
    x: Tensors  # the inputs, in float64 when `f` allows it, detached
    y: tuple[Tensor, ...]  # detached
    y_tuple: bool
    dtype: torch.dtype  # the least precise floating dtype on the way from `x` to `y`
    connected: tuple[bool, ...]  # per output, whether autograd sees any way to it
    custom: bool = False  # whether a custom Function stands on the way from `x` to `y`
    # whether a gradient that may be taken only once stands there
    once_differentiable: bool = False
    others: tuple[Tensor, ...] = ()  # the leaves behind `y` that are no copies of `x`'s parts

    @cached_property
    def x_vector(self) -> NDArray[np.float64]:
        """All elements of `x` as one vector."""
        return values(self.x)

    @cached_property
    def x_size(self) -> NDArray[np.float64]:
        """The size of each element of `x`: how far one moves that is to move by as much; 1 at 0."""
        return np.where(self.x_vector == 0, 1, abs(self.x_vector))

    @cached_property
    def y_vector(self) -> NDArray[np.float64]:
        """All elements of `y` as one vector."""
        return values(self.y)

    def at(self, vector: NDArray[np.float64]) -> Tensors:
        """Return a vector in the form of `x`."""
        point: Tensors = like(shaped_like(vector, self.parts), self.x)
        return point

    def weights(self, vector: NDArray[np.float64]) -> Tensors:
        """Return a vector in the form of `y`."""
        shaped = shaped_like(vector, self.y)
        return shaped if self.y_tuple else shaped[0]

    def run(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return f at the point of this vector, as a vector."""
        return values(self.f(*fresh_leaves(self.at(vector))))

    def line(self, seed: int) -> tuple[Callable[[float], NDArray[np.float64]], float]:
        """Return `f`'s values along a random line, and the smallest step that means anything."""
        # with 1 eps the right drawn function 351 (in tests/) would be undecided
        towards = np.copysign(self.x_size, self.x_vector)
        towards *= np.random.default_rng(seed).uniform(0.5, 1, towards.size)
        return lambda t: self.run(self.x_vector + t * towards), 8 * self.eps

    def matrix(self, J: Any) -> NDArray[np.float64]:  # noqa: N803 - J is the term
        """Return J, in the form in which an engine or a person gives it, as one matrix."""
        return as_matrix(
            J, self.y_shapes, self.x_shapes, y_tuple=self.y_tuple, x_tuple=self.x_tuple
        )

    def gradient(self, grad: Any) -> NDArray[np.float64]:
        """Return what `.grad` holds as one vector, zeros where it holds nothing."""
        grads = grad if isinstance(grad, tuple) else (grad,)
        filled = (
            torch.zeros_like(part) if one is None else one
            for part, one in zip(self.parts, grads, strict=True)
        )
        return values(tuple(filled))

    def seen_by_autograd(self, *weights: Any) -> tuple[Function, *tuple[Any, ...]]:
        """Return `f` and gradient arguments (None where omitted) without outputs of no gradient."""
        if all(self.connected) or not any(self.connected):
            return self.f, *weights
        kept = [i for i, connected in enumerate(self.connected) if connected]

        def seen(*x: Tensor) -> Tensors:
            y = self.f(*x)
            return tuple(y[i] for i in kept)

        return seen, *(None if w is None else tuple(as_tuple(w)[i] for i in kept) for w in weights)

    @property
    def parts(self) -> tuple[Tensor, ...]:
        """The inputs as a tuple."""
        return as_tuple(self.x)

    @property
    def x_tuple(self) -> bool:
        """Whether `x` is a tuple."""
        return isinstance(self.x, tuple)

    @property
    def size(self) -> tuple[int, int]:
        """How many elements `y` and `x` have: the shape of J as a matrix."""
        return sum(p.numel() for p in self.y), sum(p.numel() for p in self.parts)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Per element of `y`, whether autograd sees any way to it."""
        return np.repeat(self.connected, [part.numel() for part in self.y])

    @property
    def y_shapes(self) -> list[tuple[int, ...]]:
        """The shape of every output."""
        return [tuple(part.shape) for part in self.y]

    @property
    def x_shapes(self) -> list[tuple[int, ...]]:
        """The shape of every input."""
        return [tuple(part.shape) for part in self.parts]

    @property
    def inputs(self) -> list[tuple[str, tuple[int, ...]]]:
        """The name and shape of every input."""
        shapes = enumerate(self.x_shapes)
        return [(f"x[{i}]" if self.x_tuple else "x", shape) for i, shape in shapes]

    @property
    def relative(self) -> float:
        """How far two exact derivatives may lie apart, relative to the entry."""
        return RELATIVE[self.dtype]

    @property
    def eps(self) -> float:
        """The relative rounding error of `f`'s values."""
        return float(torch.finfo(self.dtype).eps)

    def x_name(self, name: str, flat: int) -> str:
        """Name one element of `x`, or of what has its shape."""
        return element(name, self.x_shapes, self.x_tuple, flat)

    def y_name(self, flat: int) -> str:
        """Name one element of `y`."""
        return element("y", self.y_shapes, self.y_tuple, flat)

    def entry_name(self, flat: int) -> str:
        """Name one entry of J."""
        row, column = divmod(flat, self.size[1])
        return f"d{self.y_name(row)}/d{self.x_name('x', column)}"

    @property
    def shape(self) -> tuple[Any, ...]:
        """J's shape; one per output and input when there are several."""
        blocks = [(*y.shape, *x.shape) for y in self.y for x in self.parts]
        return blocks[0] if len(blocks) == 1 else tuple(blocks)


@dataclass(frozen=True)
class ForwardRun:
    """What one run of `f` left behind, its graph with it."""

    leaves: tuple[Tensor, ...]  # what `f` was called with
    y: Tensors


def try_out(f: Function, x: Tensors) -> Trial:
    """Run `f` once in float64, or in `x`'s own dtype when it refuses, and look at what came.

    Raises:
        TypeError: When `x` or `y` is not of a floating dtype (complex is not supported) or `f`
            returns something else than tensors.
        Exception: What `f` raises in `x`'s own dtype.

    Example:
        >>> trial = try_out(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        >>> trial.y, trial.dtype, trial.shape
        ((tensor([ 3., 12.], dtype=torch.float64),), torch.float64, (2, 2))
    """
    return first_run(f, x)[0]


def first_run(f: Function, x: Tensors) -> tuple[Trial, ForwardRun]:
    """Return what `try_out` returns, and that run itself, for one backward pass."""
    for position, part in enumerate(as_tuple(x)):
        require_floating(f"x[{position}]" if isinstance(x, tuple) else "x", part)
    x = like(tuple(part.detach() for part in as_tuple(x)), x)
    raised = like(tuple(part.double() for part in as_tuple(x)), x)
    leaves = fresh_leaves(raised)
    try:
        with dtypes_noted() as noted:
            y = f(*leaves)
        x = raised
    except Exception:  # whatever keeps f from float64, x's own dtype shows whether it is f's error
        leaves = fresh_leaves(x)
        with dtypes_noted() as noted:
            y = f(*leaves)
    outputs = as_tuple(y, "y = f(x)")
    for part in outputs:
        require_floating("y", part)
    nodes = graph_of(outputs)
    reached = [node.variable for node in nodes if hasattr(node, "variable")]
    trial = Trial(
        f=f,
        x=x,
        y=tuple(part.detach().clone() for part in outputs),
        y_tuple=isinstance(y, tuple),
        dtype=_least_precise(noted | dtypes_of(nodes), *as_tuple(x), *outputs),
        connected=tuple(part.requires_grad for part in outputs),
        custom=any(isinstance(node, BackwardCFunction) for node in nodes),
        once_differentiable=any(node.name() == ONCE_DIFFERENTIABLE for node in nodes),
        others=tuple(leaf for leaf in reached if all(leaf is not one for one in leaves)),
    )
    return trial, ForwardRun(leaves, y)


def graph_of(y: Sequence[Tensor]) -> set[Any]:
    """Return the nodes of the graph behind `y`."""
    seen: set[Any] = set()
    waiting = [part.grad_fn for part in y]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return seen


def _least_precise(noted: Iterable[torch.dtype], *tensors: Tensor) -> torch.dtype:
    dtypes = {tensor.dtype for tensor in tensors}.union(noted)
    if len(dtypes) == 1:
        return dtypes.pop()
    return max((d for d in dtypes if d.is_floating_point), key=lambda d: torch.finfo(d).eps)
