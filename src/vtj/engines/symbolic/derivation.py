"""Formulas of y and J, derived from the code that runs and checked against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.calling.repeatable import random_state_kept, repeatable
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
from vtj.engines.symbolic.errors import NotSymbolic
from vtj.engines.symbolic.kinks import Slope
from vtj.engines.symbolic.names import names, symbols
from vtj.engines.symbolic.numbers import agreeing, evaluate
from vtj.engines.symbolic.operations import Formulas
from vtj.engines.symbolic.tracing import Tracer

ENTRY_LIMIT = 64
"""The most entries of J that are derived: beyond, formulas are not read any more."""


@dataclass(frozen=True)
class Symbolic:
    """Formulas of a function, as NumPy arrays of SymPy expressions.

    Attributes:
        names: The name of each input, as TeX.
        x: One array of symbols for each input, of its shape; a symbol's name is its TeX.
        y: One array of formulas for each output, of its shape.
        J: For each output, for each input, an array of shape ``(*y.shape, *x.shape)``.
        conditions: Relations that held at x where a value decided what ran (a branch, a kink);
            y and J hold with them.
        point: The value of every symbol at x.
        eps: The coarsest rounding of any tensor on the way.
        several: Whether f returned a tuple.
    """

    names: tuple[str, ...]
    x: tuple[Formulas, ...]
    y: tuple[Formulas, ...]
    J: tuple[tuple[Formulas, ...], ...]
    conditions: tuple[Any, ...]
    point: Mapping[Any, float]
    eps: float
    several: bool

    @cached_property
    def slopes(self) -> list[list[NDArray[np.float64]]]:
        """J in numbers: the values of its blocks at x."""
        return [[evaluate(J, self.point) for J in row] for row in self.J]


def jacobian(f: Function, x: Tensors) -> Any:
    """Return J by deriving its formulas from the code that runs and evaluating them at `x`.

    It is in float64, whatever the dtype of `x`; what it raises is what `derive` raises.

    Example:
        >>> import torch
        >>> jacobian(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]], dtype=torch.float64)
    """
    derived = derive(f, x)
    blocks = [like(tuple(map(torch.from_numpy, row)), x) for row in derived.slopes]
    return tuple(blocks) if derived.several else blocks[0]


def derive(f: Function, x: Tensors) -> Symbolic:
    """Run `f` at `x` and derive the formulas of y and J.

    The formulas of y are compared with what `f` gives at `x` and next to it, so that a value that
    left torch (`.item()`, `.numpy()`) and came back as a constant is noticed.

    Raises:
        UnknownOperation: When `f` runs an operation for which no formula is known.
        NotSymbolic: When there is no formula of `f`, or none that gives what `f` gives near `x`.
    """
    parts = as_tuple(x)
    for position, part in enumerate(parts):
        _require_plain(part, f"x[{position}]" if isinstance(x, tuple) else "x")
    count = sum(part.numel() for part in parts)
    _require_few(1, count)
    named = tuple(names(f, parts, not isinstance(x, tuple)))
    inputs = tuple(symbols(n, part.shape) for n, part in zip(named, parts, strict=True))
    tracer = Tracer()
    leaves = fresh_leaves(x)
    for leaf, formulas in zip(leaves, inputs, strict=True):
        tracer.write(leaf, formulas)
    f = repeatable(f, seed=0)
    with random_state_kept(), tracer:
        y = f(*leaves)
    outputs = as_tuple(y, "y")
    for output in outputs:
        _require_plain(output, "y")
    _require_few(sum(o.numel() for o in outputs), count)
    read = tuple(tracer.memory.read(output) for output in outputs)
    point = _point(inputs, parts)
    _confirm(f, parts, inputs, read, outputs, tracer.eps)
    slopes = tuple(tuple(_slopes(y, x) for x in inputs) for y in read)
    decided, pieces = _decided(slopes, point)
    held = tuple(dict.fromkeys([*tracer.conditions, *pieces]))
    return Symbolic(named, inputs, read, decided, held, point, tracer.eps, isinstance(y, tuple))


def _require_plain(tensor: Tensor, name: str) -> None:
    require_floating(name, tensor)
    if type(tensor) not in (Tensor, torch.nn.Parameter):
        kind = f"{type(tensor).__name__} with layout {tensor.layout}"
        raise NotSymbolic(f"{name} is a {kind}; formulas need a plain, strided torch.Tensor")


def _require_few(outputs: int, inputs: int) -> None:
    if outputs * inputs > ENTRY_LIMIT:
        size = f"{outputs} x {inputs} entries"
        raise NotSymbolic(f"J has {size}; formulas are derived up to {ENTRY_LIMIT}")


def _point(inputs: Sequence[Formulas], at: tuple[Tensor, ...]) -> dict[Any, float]:
    known = [symbol for array in inputs for symbol in array.ravel()]
    return dict(zip(known, values(at).tolist(), strict=True))


def _slopes(y: Formulas, x: Formulas) -> Formulas:
    slopes = np.empty((*y.shape, *x.shape), dtype=object)
    for i in np.ndindex(*y.shape):
        for j in np.ndindex(*x.shape):
            slopes[(*i, *j)] = _short(sympy.diff(y[i], x[j]))
    return slopes


def _short(entry: Any) -> Any:
    """Write fractions as one factored fraction, where that is shorter."""
    if entry.is_polynomial() or entry.atoms(sympy.Float) or entry.count_ops() > 60:
        return entry
    whole = sympy.factor(entry)
    return whole if whole.count_ops() < entry.count_ops() else entry


def _decided(
    slopes: tuple[tuple[Formulas, ...], ...], point: Mapping[Any, float]
) -> tuple[tuple[tuple[Formulas, ...], ...], list[Any]]:
    """Return every kink on the way the slope that torch chooses at the point."""
    every = [entry for row in slopes for J in row for entry in J.ravel()]
    kinks = sorted({s.args[0] for entry in every for s in entry.atoms(Slope)}, key=str)
    chosen: dict[Any, Any] = {}
    pairs: list[Any] = []
    for kink in kinks:
        at = evaluate(np.array(kink.args, dtype=object), point).tolist()
        pairs += kink.decisive(at)
        for position, slope in enumerate(kink.slopes(at), start=1):
            chosen[Slope(kink, sympy.Integer(position))] = slope
    values_of = evaluate(np.array(pairs, dtype=object).reshape(-1, 2), point)
    held = [_relation(*pair, *at) for pair, at in zip(pairs, values_of, strict=True)]
    pieces = [relation for relation in held if isinstance(relation, sympy.Rel)]
    decide = np.frompyfunc(lambda entry: entry.xreplace(chosen), 1, 1)
    return tuple(tuple(np.asarray(decide(J), dtype=object) for J in row) for row in slopes), pieces


def _relation(left: Any, right: Any, a: float, b: float) -> Any:
    """Return how two expressions compare, given their values."""
    if a == b:
        return sympy.Eq(left, right)
    return sympy.Gt(left, right) if a > b else sympy.Lt(left, right)


def _confirm(
    f: Function,
    parts: tuple[Tensor, ...],
    inputs: Sequence[Formulas],
    formulas: Sequence[Formulas],
    outputs: tuple[Tensor, ...],
    eps: float,
) -> None:
    """Raise unless every formula gives what f gives at x, and at a point next to it."""
    here = np.abs(values(parts))
    size = float(np.max(here, initial=0.0, where=np.isfinite(here)))

    def same(given: tuple[Tensor, ...], at: tuple[Tensor, ...]) -> NDArray[np.bool_]:
        point = _point(inputs, at)
        pairs = zip(formulas, given, strict=True)
        return np.concatenate(
            [agreeing(evaluate(y.ravel(), point), values(now), eps, size) for y, now in pairs]
        )

    if not same(outputs, parts).all():
        raise NotSymbolic(
            "the formulas do not give y at x: they overflow or round off there, or f does what its "
            "operations do not show"
        )
    step = max(2**-8, 8 * eps ** (2 / 3))
    signs = np.random.default_rng(0)
    shares = np.linspace(step, step / 2, here.size)  # a difference of equal elements changes too
    missing = np.array([True])
    for _ in range(12):  # at a kink or the edge of a branch, not every neighbor shares the formula
        moves = shaped_like(signs.choice([-1, 1], here.size) * shares, parts)
        near = tuple(map(_beside, parts, moves))
        with random_state_kept():
            again = as_tuple(f(*fresh_leaves(near)), "y")
        if [y.shape for y in again] == [y.shape for y in outputs]:
            missing = missing & ~same(again, near)
        if not missing.any():
            return
    raise NotSymbolic(
        "the formulas give y at x but not next to x: a value left torch (.item(), .numpy(), "
        "torch.tensor(...)) and came back as a constant, or f jumps at x"
    )


def _beside(part: Tensor, shares: Tensor) -> Tensor:
    """Move every element by a share of itself, zeros by a share of the smallest other one."""
    at = part.detach()
    sizes = at.abs()
    least = sizes[sizes > 0].min() if bool((sizes > 0).any()) else sizes.new_ones(())
    return at + shares * torch.where(sizes > 0, sizes, least)
