"""One trial run of `f`: what it takes, what it returns, and how exactly it computes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.function import Function as AutogradFunction
from torch.utils._pytree import tree_leaves

from vtj.calling.arguments import Arguments
from vtj.calling.complex_numbers import block_of_pairs
from vtj.calling.declared import holding_declared
from vtj.calling.outputs import Outputs, paths, refuse_unregistered
from vtj.calling.tensors import (
    DTYPES,
    HOLDING_ONE,
    Function,
    Tensors,
    as_tuple,
    dense,
    fresh_leaves,
    graph_of,
    like,
    require_floating,
    shaped_like,
    values,
    values_or_nan,
)
from vtj.engines import BACKWARD
from vtj.engines.numeric import CLOSE
from vtj.oracle.detaching import detaching
from vtj.oracle.findings import element
from vtj.oracle.noise import computing, leaping, measured_noise, noise_at_all_scales
from vtj.oracle.patterns import Input
from vtj.oracle.tolerance import RELATIVE
from vtj.oracle.voting import Array, Mask, finite
from vtj.outcome import Outcome, backward
from vtj.release import dtypes_noted, dtypes_of

NEAR = CLOSE  # a short step, as a part of the size of `x`
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
    own_jvp: bool = False  # whether one of these has a `jvp` of its own
    # whether a gradient that may be taken only once stands there
    once_differentiable: bool = False
    held: Sequence[int] = ()  # which outputs are declared to have no gradient
    others: tuple[Tensor, ...] = ()  # the leaves behind `y` that are no copies of `x`'s parts
    names: tuple[str, ...] = ()  # of the parts of `x`, where they do not count from 0
    parameters: int = 0  # how many of these parts, the last, are parameters of the module `f`
    pairs: tuple[bool, ...] = ()  # which of these stand for complex numbers, if told
    came_in: tuple[torch.dtype, ...] = ()  # the dtype of each part as the caller handed it in
    outputs: Outputs = field(default_factory=Outputs)  # what `f` returned
    # puts parameters of a module back in their place, those of an earlier call
    put_in: Callable[[tuple[Tensor, ...]], None] = lambda parts: None
    refused: Exception | None = None  # what `f` raised for float64, in which `x` came
    stated: float | None = None  # the relative tolerance that the caller asked for
    seed: int = 0  # of all that is drawn at random

    @cached_property
    def x_vector(self) -> Array:
        """All elements of `x` as one vector."""
        return values(self.x)

    @cached_property
    def x_size(self) -> Array:
        """How far each element of `x` moves that is to move by its own size.

        It is 1 at 0, and where it is infinite or nan: there it stays what it is.
        """
        size = finite(self.x_vector)
        return np.where(size > 0, size, 1.0)

    @cached_property
    def y_vector(self) -> Array:
        """All elements of `y` as one vector."""
        return values(self.y)

    def at(self, vector: Array) -> Tensors:
        """Return a vector in the form of `x`."""
        point: Tensors = like(shaped_like(vector, self.parts), self.x)
        return point

    def weights(self, vector: Array) -> Tensors:
        """Return a vector in the form of `y`."""
        shaped = shaped_like(vector, self.y)
        return shaped if self.y_tuple else shaped[0]

    def weighing(self, v: Tensors | None) -> Array:
        """Return a gradient argument as one vector, 1 where it is omitted."""
        return np.ones(self.size[0]) if v is None else values(v)

    def run(self, vector: Array) -> Array:
        """Return f at the point of this vector, as a vector; nan where `f` refuses that point."""
        try:
            y = self.f(*fresh_leaves(self.at(vector)))
        except Exception:  # the caller gave another point, and `f` took that
            return np.full(self.size[0], np.nan)
        return values_or_nan(y, self.size[0])

    @cached_property
    def noise(self) -> Array:
        """The rounding noise of `f`'s values, seen as `x` moves a little."""
        return noise_at_all_scales(*self.line(), leaps=lambda: self.leaps)

    @cached_property
    def leaps(self) -> bool:
        """Whether `f` rounds to whole numbers itself."""
        return leaping(lambda: self.run(self.x_vector))

    @cached_property
    def inside(self) -> torch.dtype:
        """The least precise dtype that `f` computes in, also where a custom Function hides it.

        It takes a call of `f`, and is asked only before somebody is accused.
        """
        noted = set[torch.dtype]()
        with suppress(Exception):  # not all that f may do runs under a mode
            noted = computing(lambda: self.f(*fresh_leaves(self.x)))
        return _least_precise({self.dtype, *noted})

    @cached_property
    def terms(self) -> Array:
        """The size of `y`, or where it is a small remainder, of what went into it.

        Rounding tells: it is that of the terms, whatever is left of them.
        """
        return np.maximum(abs(self.y_vector), measured_noise(*self.line(), first=1) / self.eps)

    @cached_property
    def near(self) -> tuple[Array, Array]:
        """`f`'s values a short step along that line, and back."""
        g, _ = self.line()
        return g(NEAR), g(-NEAR)

    def direction(self) -> Array:
        """Return a random direction away from 0, along which elements move by about their size."""
        towards = np.copysign(self.x_size, self.x_vector)
        # a range in which no element stands still, and no two move alike
        towards *= np.random.default_rng(self.seed).uniform(0.5, 1, towards.size)
        return towards

    def line(self) -> tuple[Callable[[float], Array], float]:
        """Return `f`'s values along that direction, and the smallest step that means anything."""
        # with 1 eps the right drawn function 351 (in tests/) would be undecided
        towards = self.direction()
        return lambda t: self.run(self.x_vector + t * towards), 8 * self.eps

    def matrix(self, J: Any) -> Array:  # noqa: N803 - J is the term
        """Return J, a block per output and input, as one matrix ``(y.numel(), x.numel())``.

        Raises:
            ValueError: When a block is missing or has another shape; it names both.

        Example:
            >>> try_out(lambda x: 3 * x**2, torch.ones(2)).matrix(np.zeros((2, 3)))
            Traceback (most recent call last):
            ...
            ValueError: J has shape (2, 3); expected (*y.shape, *x.shape) = (2, 2)
        """
        rows = []
        for o, y in enumerate(self.y):
            row = _part(J, o, len(self.y), "output") if self.y_tuple else J
            blocks = []
            for i, x in enumerate(self.parts):
                given = _part(row, i, len(self.parts), "input") if self.x_tuple else row
                of_y, of_x = self.y_pairs[o], self.x_pairs[i]
                block = block_of_pairs(given, y.ndim - 1, of_y, of_x)
                if block.shape != (*y.shape, *x.shape):
                    rule = f"expected (*y.shape, *x.shape) = {(*y.shape, *x.shape)}"
                    rule += ", where a complex number is a pair" * (of_y or of_x)
                    raise ValueError(f"J has shape {block.shape}; {rule}")
                blocks.append(block.reshape(y.numel(), x.numel()))
            rows.append(np.concatenate(blocks, axis=1))
        return np.concatenate(rows)

    def gradient(self, grad: Any) -> Array:
        """Return what `.grad` holds as one vector, zeros where it holds nothing."""
        grads = grad if isinstance(grad, tuple) else (grad,)
        filled = (
            torch.zeros_like(part) if one is None else dense(one)
            for part, one in zip(self.parts, grads, strict=True)
        )
        return values(tuple(filled))

    def backward(self, v: Tensors | None) -> Outcome:
        """Run ``y.backward(v)`` of the outputs to which autograd sees a way."""
        f, seen = self.seen_by_autograd(v)
        return backward(f, self.x, seen)

    def vjp(self, v: Array) -> Array:
        """Return what ``y.backward(v)`` leaves in `x.grad`, vectors in and out."""
        return self.gradient(self.backward(self.weights(v)).grad)

    def seen_by_autograd(self, v: Tensors | None) -> tuple[Function, Tensors | None]:
        """Return `f` and a gradient argument (None if omitted) without outputs of no gradient."""
        if all(self.connected) or not any(self.connected):
            return self.f, v
        kept = [i for i, connected in enumerate(self.connected) if connected]

        def seen(*x: Tensor) -> Tensors:
            y = self.f(*x)
            return tuple(y[i] for i in kept)

        return seen, None if v is None else tuple(as_tuple(v)[i] for i in kept)

    def reached_parts(self, y: Tensors) -> Tensors:
        """Return those of the outputs, or of what has their form, to which autograd sees a way."""
        if all(self.connected):
            return y
        return tuple(p for p, seen in zip(as_tuple(y), self.connected, strict=True) if seen)

    @cached_property
    def parts(self) -> tuple[Tensor, ...]:
        """The inputs as a tuple."""
        return as_tuple(self.x)

    @property
    def looked_into(self) -> bool:
        """Whether further passes are asked for: torch's own operators are right in these ways."""
        return self.custom and any(self.connected)

    @property
    def x_tuple(self) -> bool:
        """Whether `x` is a tuple."""
        return isinstance(self.x, tuple)

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many elements `y` and `x` have: the shape of J as a matrix."""
        return sum(p.numel() for p in self.y), sum(p.numel() for p in self.parts)

    @property
    def reached(self) -> Mask:
        """Per element of `y`, whether autograd sees any way to it."""
        return np.array(self.connected).repeat([part.numel() for part in self.y])

    @property
    def y_shapes(self) -> list[tuple[int, ...]]:
        """The shape of every output."""
        return [tuple(part.shape) for part in self.y]

    def seen_whole(self, against: Mapping[str, Mask]) -> Mask:
        """Return the same, but nothing where backward is contradicted and `f` is seen to detach.

        `against` is where each family is contradicted. Without it the weight's gradient of a
        spectral_norm (in tests/), which has no forward pass, is a mistake of torch's backward, and
        so is what `f` computes under `no_grad`, which a forward pass does not heed.
        """
        contradicted = against.get(BACKWARD.name)
        if contradicted is None or not contradicted.any() or not self.detaches:
            return self.reached
        return np.zeros_like(self.reached)

    @cached_property
    def detaches(self) -> bool:
        """Whether `f` is seen to keep something from autograd, as no custom Function does."""
        return not self.custom and detaching(lambda: self.f(*fresh_leaves(self.x)))

    @property
    def x_shapes(self) -> list[tuple[int, ...]]:
        """The shape of every input."""
        return [tuple(part.shape) for part in self.parts]

    @property
    def inputs(self) -> list[Input]:
        """The name and shape of every input."""
        counted = (f"x[{i}]" if self.x_tuple else "x" for i in range(len(self.parts)))
        return [*map(Input, self.names or counted, self.x_shapes, self.x_pairs)]

    @property
    def x_pairs(self) -> tuple[bool, ...]:
        """Which inputs stand for complex numbers."""
        return self.pairs or (False,) * len(self.parts)

    @property
    def y_pairs(self) -> tuple[bool, ...]:
        """Which outputs stand for complex numbers."""
        return self.outputs.pairs or (False,) * len(self.y)

    @property
    def y_names(self) -> list[str]:
        """The name of every output."""
        counted = [f"y[{i}]" if self.y_tuple else "y" for i in range(len(self.y))]
        return list(self.outputs.names) or counted

    @property
    def relative(self) -> float:
        """How far two exact derivatives may lie apart, relative to the entry."""
        return self.stated or self.earned

    @property
    def earned(self) -> float:
        """How far they may lie apart by rounding in the dtype, whatever is stated."""
        return RELATIVE[self.dtype]

    @property
    def precision(self) -> str:
        """The name of its dtype."""
        return str(self.dtype).removeprefix("torch.")

    @property
    def eps(self) -> float:
        """The relative rounding error of `f`'s values."""
        return float(torch.finfo(self.dtype).eps)

    def x_names(self, name: str) -> list[str]:
        """Return what each part is called of `x`, or of what has its shape."""
        return [_of_part(name, part.name) for part in self.inputs]

    def x_name(self, name: str, flat: int) -> str:
        """Name one element of it."""
        return element(self.x_names(name), self.x_shapes, flat, self.x_pairs)

    def y_name(self, flat: int) -> str:
        """Name one element of `y`."""
        return element(self.y_names, self.y_shapes, flat, self.y_pairs)

    def entry_name(self, flat: int) -> str:
        """Name one entry of J."""
        row, column = divmod(flat, self.size[1])
        return f"d{self.y_name(row)}/d{self.x_name('x', column)}"

    @property
    def shape(self) -> tuple[Any, ...]:
        """J's shape; one per output and input when there are several."""
        blocks = [(*y.shape, *x.shape) for y in self.y for x in self.parts]
        return blocks[0] if len(blocks) == 1 else tuple(blocks)

    @property
    def told(self) -> str:
        """J and its shape, in words."""
        of_pairs = any((*self.x_pairs, *self.y_pairs))
        return f"J {self.shape}" + ", by real and imaginary parts," * of_pairs


@dataclass(frozen=True)
class ForwardRun:
    """What one run of `f` left behind, its graph with it."""

    leaves: tuple[Tensor, ...]  # what `f` was called with
    y: Tensors


def _of_part(name: str, part: str) -> str:
    """Say ``x.grad[1]``, but ``weight.grad``: what `name` says of `x`, of one of its parts."""
    if part == "x" or part.startswith("x["):
        return name + part[1:]
    return name.replace("x", part, 1)


def _part(J: Any, index: int, count: int, what: str) -> Any:  # noqa: N803 - J is the term
    if not isinstance(J, (tuple, list)) or len(J) != count:
        came = f"{len(J)} parts" if isinstance(J, (tuple, list)) else type(J).__name__
        raise ValueError(f"J is {came}; expected a tuple with one part per {what}, {count} of them")
    return J[index]


def try_out(f: Function, x: Tensors, **how: Any) -> Trial:
    """Return what `first_run` says of `f`, without that run."""
    return first_run(f, x, **how)[0]


def first_run(
    f: Function,
    x: Tensors,
    *,
    given: Arguments | None = None,  # what `x` is among the arguments of the caller's function
    relative: float | None = None,  # the tolerance that the caller states
    as_given: bool = False,  # whether `x` is handed as it is, and not raised to float64
    seed: int = 0,
) -> tuple[Trial, ForwardRun]:
    """Run `f` once in float64, or in `x`'s own dtype when it refuses, and look at what came.

    Where `x` is in float64 and `f` refuses that, it is handed in the first dtype that `f` takes.
    The run itself is returned for one backward pass.

    Raises:
        TypeError: When `x` or `y` is not of a floating dtype or `f` returns something else than
            tensors.
        Exception: What `f` raises in `x`'s own dtype.

    Example:
        >>> trial, run = first_run(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        >>> trial.y, trial.dtype, trial.shape
        ((tensor([ 3., 12.], dtype=torch.float64),), torch.float64, (2, 2))
    """
    for position, part in enumerate(as_tuple(x)):
        require_floating(f"x[{position}]" if isinstance(x, tuple) else "x", part)
    came_in = tuple(part.dtype for part in as_tuple(x))
    x, leaves, y, noted, refused = _first_taken(f, x, as_given)
    refuse_unregistered(paths("y = f(x)", y), tree_leaves(y))
    if not isinstance(y, Tensor | tuple):
        raise TypeError(f"y = f(x) is {type(y).__name__}; {HOLDING_ONE}")
    outputs = as_tuple(y, "y = f(x)")
    picked = Outputs() if given is None else given.outputs
    for name, part in zip(picked.names or len(outputs) * ["y"], outputs, strict=True):
        require_floating(name, part)
    nodes = graph_of(outputs)
    kinds = {type(node) for node in nodes}
    used = {(part.grad_fn, part.output_nr) for part in outputs}
    used |= {edge for node in nodes for edge in node.next_functions}
    reached = [node.variable for node in nodes if hasattr(node, "variable")]
    held: Sequence[int] = ()
    connected = tuple(part.requires_grad for part in outputs)
    if any(connected) and not all(connected):
        f, held = holding_declared(f, x)
    trial = Trial(
        f=f,
        x=x,
        y=tuple(part.detach().clone() for part in outputs),
        y_tuple=isinstance(y, tuple),
        dtype=_least_precise(noted | dtypes_of(used), *as_tuple(x), *outputs),
        connected=connected,
        held=held,
        custom=any(issubclass(kind, BackwardCFunction) for kind in kinds),
        own_jvp=any(
            getattr(kind, "_forward_cls", AutogradFunction).jvp is not AutogradFunction.jvp
            for kind in kinds
        ),
        once_differentiable=any(node.name() == ONCE_DIFFERENTIABLE for node in nodes),
        others=tuple(leaf for leaf in reached if all(leaf is not one for one in leaves)),
        names=() if given is None else given.names,
        parameters=len(given.weights.moving) if given and given.weights else 0,
        pairs=() if given is None else given.pairs,
        came_in=came_in,
        outputs=picked,
        **({} if given is None else {"put_in": given.put_in}),
        refused=refused,
        stated=relative,
        seed=seed,
    )
    return trial, ForwardRun(leaves, y)


def _first_taken(
    f: Function, x: Tensors, as_given: bool
) -> tuple[Tensors, tuple[Tensor, ...], Any, set[torch.dtype], Exception | None]:
    """Return `x` in a dtype that `f` takes, the leaves made of it, `y`, and the dtypes noted.

    The last is what `f` raised for float64 where the caller has handed in that.
    """
    given = tuple(part.detach() for part in as_tuple(x))
    if all(part.dtype == torch.float64 for part in given):
        # a kernel of one dtype, as a flash attention that takes float32 alone
        told, tries = 0, list[torch.dtype | None](DTYPES)
    else:
        tries = [None] if as_given else [torch.float64, None]
        told = len(tries) - 1
        # a module in float32 and an x in float64 meet in a dtype that the module takes, and a
        # kernel of bfloat16 alone takes no x in float32
        tries += DTYPES[1:]
    errors = []
    for dtype in tries:
        parts = given if dtype is None else tuple(part.to(dtype) for part in given)
        leaves = fresh_leaves(parts)
        try:
            with dtypes_noted() as noted:
                y = f(*leaves)
        except Exception as error:  # another dtype shows whether it is f's error
            errors.append(error)
        else:
            refused = errors[0] if errors and told == 0 else None
            return like(parts, x), leaves, y, noted, refused
    if _runs_within_storage(f, given):
        why = "f reads memory beyond x, a view of a larger tensor, which a copy of x does not have"
        raise ValueError(f"{why}: {errors[told]}; expected that tensor as x") from errors[told]
    raise errors[told]


def _runs_within_storage(f: Function, given: tuple[Tensor, ...]) -> bool:
    """Return whether `f` takes parts, of which it takes no copies, where more lies in memory."""
    try:
        if all(p.untyped_storage().nbytes() == p.numel() * p.element_size() for p in given):
            return False
        f(*(_with_its_storage(part).requires_grad_() for part in given))
    except Exception:
        return False
    return True


def _with_its_storage(part: Tensor) -> Tensor:
    """Return a copy that lies in a copy of all that lies in the same memory."""
    count = part.untyped_storage().nbytes() // part.element_size()
    whole = part.as_strided((count,), (1,), 0).clone()
    return whole.as_strided(part.size(), part.stride(), part.storage_offset())


def _least_precise(noted: Iterable[torch.dtype], *tensors: Tensor) -> torch.dtype:
    dtypes = {tensor.dtype for tensor in tensors}.union(noted)
    floating = {d.to_real() for d in dtypes if d.is_floating_point or d.is_complex}
    return max(floating, key=lambda d: torch.finfo(d).eps)
