"""Formulas of y and J, derived from the code that runs and checked against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves, like
from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.engines.symbolic.kinks import Slope
from vtj.engines.symbolic.memory import values
from vtj.engines.symbolic.names import names, symbols
from vtj.engines.symbolic.numbers import agreeing, evaluate
from vtj.engines.symbolic.operations import Formulas
from vtj.engines.symbolic.tracing import Tracer

__all__ = ["ENTRY_LIMIT", "NotSymbolic", "Symbolic", "UnknownOperation", "derive", "jacobian"]

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
    blocks = [
        like(tuple(torch.from_numpy(evaluate(J, derived.point)) for J in row), x)
        for row in derived.J
    ]
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
    _require_few(1, sum(part.numel() for part in parts))
    named = names(f, parts, not isinstance(x, tuple))
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
    _require_few(sum(o.numel() for o in outputs), sum(part.numel() for part in parts))
    read = tuple(tracer.memory.read(output) for output in outputs)
    point = _point(inputs, [values(part) for part in parts])
    _confirm(f, parts, inputs, read, outputs, tracer.eps)
    slopes = tuple(tuple(_slopes(y, x) for x in inputs) for y in read)
    decided, pieces = _decided(slopes, point)
    held = tuple(dict.fromkeys([*tracer.conditions, *pieces]))
    several = isinstance(y, tuple)
    return Symbolic(tuple(named), inputs, read, decided, held, point, tracer.eps, several)


def _require_plain(tensor: Tensor, name: str) -> None:
    if tensor.is_complex():
        raise NotSymbolic(f"{name} has dtype {tensor.dtype}; formulas are of real numbers")
    if not tensor.is_floating_point():
        raise TypeError(f"{name} has dtype {tensor.dtype}; a Jacobian needs a floating dtype")
    if tensor.layout is not torch.strided or type(tensor) not in (Tensor, torch.nn.Parameter):
        kind = f"{type(tensor).__name__} with layout {tensor.layout}"
        raise NotSymbolic(f"{name} is a {kind}; formulas need a plain, strided torch.Tensor")


def _require_few(outputs: int, inputs: int) -> None:
    if outputs * inputs > ENTRY_LIMIT:
        size = f"{outputs} x {inputs} entries"
        raise NotSymbolic(f"J has {size}; formulas are derived up to {ENTRY_LIMIT}")


def _point(inputs: Sequence[Formulas], at: Sequence[NDArray[np.float64]]) -> dict[Any, float]:
    known = [symbol for array in inputs for symbol in array.ravel()]
    there = [float(value) for array in at for value in array.ravel()]
    return dict(zip(known, there, strict=True))


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
    pieces: list[Any] = []
    for kink in kinks:
        at = evaluate(np.array(kink.args, dtype=object), point).tolist()
        pieces += [piece for piece in kink.piece(at) if isinstance(piece, sympy.Rel)]
        for position, slope in enumerate(kink.slopes(at), start=1):
            chosen[Slope(kink, sympy.Integer(position))] = slope
    decide = np.frompyfunc(lambda entry: entry.xreplace(chosen), 1, 1)
    return tuple(tuple(np.asarray(decide(J), dtype=object) for J in row) for row in slopes), pieces


def _confirm(
    f: Function,
    parts: Sequence[Tensor],
    inputs: Sequence[Formulas],
    formulas: Sequence[Formulas],
    outputs: Sequence[Tensor],
    eps: float,
) -> None:
    """Raise unless every formula gives what f gives at x, and at a point next to it."""
    here = np.concatenate([np.abs(values(part)).reshape(-1) for part in parts])
    size = float(np.max(here, initial=0.0, where=np.isfinite(here)))

    def same(given: Sequence[Tensor], at: Sequence[Tensor]) -> NDArray[np.bool_]:
        point = _point(inputs, [values(part) for part in at])
        agreed = [
            agreeing(evaluate(formula, point), values(y), eps, size).reshape(-1)
            for y, formula in zip(given, formulas, strict=True)
        ]
        return np.concatenate(agreed)

    if not same(outputs, parts).all():
        raise NotSymbolic(
            "the formulas do not give y at x: they overflow or round off there, or f does what its "
            "operations do not show"
        )
    step = max(2**-8, 8 * eps ** (2 / 3))
    signs = np.random.default_rng(0)
    counts = [part.numel() for part in parts]
    shares = np.linspace(step, step / 2, sum(counts))  # a difference of equal elements changes too
    missing = np.array([True])
    for _ in range(12):  # at a kink or the edge of a branch, not every neighbor shares the formula
        drawn = signs.choice([-1, 1], shares.size) * shares
        near = list(map(_beside, parts, np.split(drawn, np.cumsum(counts)[:-1])))
        with random_state_kept():
            again = as_tuple(f(*(part.clone().requires_grad_() for part in near)), "y")
        if [y.shape for y in again] == [y.shape for y in outputs]:
            missing = missing & ~same(again, near)
        if not missing.any():
            return
    raise NotSymbolic(
        "the formulas give y at x but not next to x: a value left torch (.item(), .numpy(), "
        "torch.tensor(...)) and came back as a constant, or f jumps at x"
    )


def _beside(part: Tensor, shares: NDArray[np.float64]) -> Tensor:
    """Move every element by a share of itself, zeros by a share of the smallest other one."""
    at = part.detach()
    sizes = at.abs()
    least = sizes[sizes > 0].min() if bool((sizes > 0).any()) else sizes.new_ones(())
    moves = torch.from_numpy(shares).to(at).reshape(at.shape)
    return at + moves * torch.where(sizes > 0, sizes, least)
