"""A dispatch mode that runs a function for real and derives the formula of every element."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.engines.symbolic.memory import Memory, values
from vtj.engines.symbolic.no_formula import MOVES, PICKS, STEPS
from vtj.engines.symbolic.operations import (
    COMPARISONS,
    FORMULAS,
    OTHERWISE,
    Formulas,
    accumulate,
    array,
    number,
)

SIZE_LIMIT = 3000
"""The most SymPy nodes one tensor's formulas may have."""

ORDERS = {"max": sympy.Ge, "min": sympy.Le}
"""How the element that was picked compared with every other one."""

Finish = Callable[[Any], Sequence[Formulas | None]]


class Tracer(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it bare
    """Runs every operation for real and keeps, in `memory`, the formulas of what depends on x."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it bare
        self.memory = Memory()
        self.conditions: list[Any] = []  # held where values decided what ran: formulas need them
        self.eps = 0.0  # the coarsest rounding of any tensor that depends on x
        self._sizes: dict[Any, int] = {}

    def write(self, tensor: Tensor, formulas: Formulas) -> None:
        """Set a tensor's formulas, unless they are too large to be differentiated or read."""
        if sum(map(self._size, formulas.ravel())) > SIZE_LIMIT:
            raise NotSymbolic(f"the formulas grow beyond {SIZE_LIMIT} terms; use another engine")
        if tensor.is_floating_point():
            self.eps = max(self.eps, torch.finfo(tensor.dtype).eps)
        self.memory.write(tensor, formulas)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one operation for real and derive the formulas of what it returns or writes."""
        kwargs = kwargs or {}
        if not any(map(self.memory.knows, _tensors((args, kwargs)))):
            return func(*args, **kwargs)
        if func._can_decompose():
            with self:
                return func.decompose(*args, **kwargs)
        if func.is_view or torch.Tag.inplace_view in func.tags:
            return func(*args, **kwargs)
        finish = self._rule(func, args, kwargs)
        if finish is None:
            return self._without_rule(func, args, kwargs)
        out = func(*args, **kwargs)
        targets = _written(func, args, kwargs) or _tensors(out)
        for target, formulas in zip(targets, finish(out), strict=False):
            if formulas is not None:
                self.write(target, formulas)
        return out

    def _rule(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Finish | None:
        """Read the operands before they are overwritten; what is left waits for the result."""
        base = _base_name(func)
        written = _written(func, args, kwargs)
        rounded = base in STEPS or kwargs.get("rounding_mode")
        if rounded or (base in COMPARISONS and written):
            return lambda out: [array(values(target)) for target in written]
        known = [t for t in _tensors((args, kwargs)) if self.memory.knows(t)]
        if not any(t.is_floating_point() for t in known):
            for truths in known:
                self._hold(truths)
            return lambda out: [array(values(target)) for target in written]
        try:
            if base in PICKS or f"{base}.{func._overloadname}" in PICKS:
                return self._picked(func, args, kwargs)
            if base == "index_put" and _arguments(func, args, kwargs)["accumulate"]:
                formulas: Any = accumulate(*self._operands(args))
            elif base in MOVES:
                formulas = self._moved(func, args, kwargs)
            elif base in COMPARISONS:
                left, right = (array(operand) for operand in self._operands(args))
                formulas = np.asarray(np.frompyfunc(COMPARISONS[base], 2, 1)(left, right))
            elif base in FORMULAS:
                named = {k: a for k, a in kwargs.items() if k not in ("out", "rounding_mode")}
                formulas = FORMULAS[base](*self._operands(args), **self._operands(named))
            else:
                return None
        except (NotImplementedError, TypeError, ValueError) as reason:
            raise UnknownOperation(str(func), str(reason)) from reason
        results = formulas if isinstance(formulas, tuple) else (formulas,)
        return lambda out: [r if r is None else np.asarray(r, dtype=object) for r in results]

    def _without_rule(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Take torch's own decomposition, or a result that has no slope; else refuse."""
        written = _written(func, args, kwargs)
        if (other := OTHERWISE.get(_base_name(func))) is not None:
            plain = {name: argument for name, argument in kwargs.items() if name != "out"}
            made = self._instead(func, other, args, plain)
            if not written:
                return made
            with self:
                return written[0].copy_(made)
        if func in decomposition_table:
            return self._instead(func, decomposition_table[func], args, kwargs)
        out = func(*args, **kwargs)
        if written or any(t.is_floating_point() or t.is_complex() for t in _tensors(out)):
            raise UnknownOperation(str(func))
        return out

    def _instead(
        self, func: Any, way: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run an operation as others, and name it where one of those is unknown."""
        try:
            with self:
                return way(*args, **kwargs)
        except UnknownOperation as reason:
            raise UnknownOperation(str(func), f"made of {reason.name}") from reason
        except NotSymbolic:
            raise
        except NotImplementedError as reason:
            raise UnknownOperation(str(func), str(reason)) from reason

    def _operands(self, args: Any) -> Any:
        """Replace floating tensors by their formulas and all others by their values."""

        def operand(leaf: Any) -> Any:
            if not isinstance(leaf, Tensor):
                return leaf
            if leaf.is_complex():
                raise NotImplementedError("a complex tensor")
            if leaf.is_floating_point():
                return self.memory.read(leaf)
            self._hold(leaf)
            return values(leaf)

        return tree_map(operand, args)

    def _hold(self, tensor: Tensor) -> None:
        """Record the relations a tensor of truth values stands for, as they turned out."""
        if tensor.dtype is not torch.bool or not self.memory.knows(tensor):
            return
        truths = values(tensor).ravel()
        for relation, truth in zip(self.memory.read(tensor).ravel(), truths, strict=True):
            self._record(relation if truth else sympy.Not(relation))

    def _record(self, held: Any) -> None:
        if isinstance(held, sympy.Rel) and held not in self.conditions:
            self.conditions.append(held)

    def _picked(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Finish:
        """Pick formulas by the indices that come with the values."""
        given = _arguments(func, args, kwargs)
        formulas = np.atleast_1d(self.memory.read(given["self"]))
        dim = given["dim"]

        def finish(out: Any) -> list[Formulas | None]:
            indices = values(out[1])
            reduced = indices.ndim < formulas.ndim
            places = np.expand_dims(indices, dim) if reduced else indices
            picked = np.take_along_axis(formulas, places, dim)
            if (relation := ORDERS.get(_base_name(func))) is not None:
                lines, best = np.moveaxis(formulas, dim, -1), np.moveaxis(picked, dim, -1)
                for held in np.frompyfunc(relation, 2, 1)(best, lines).ravel():
                    self._record(held)
            return [np.squeeze(picked, dim) if reduced else picked]

        return finish

    def _moved(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Formulas:
        """Run the operation on labels instead of values, and look the formulas up by label."""
        pool: list[Any] = [sympy.S.Zero]  # label 0 is what an operation fills in by itself

        def label(leaf: Any) -> Any:
            if not isinstance(leaf, Tensor):
                return leaf
            if not leaf.is_floating_point():
                self._hold(leaf)
                return leaf
            first = len(pool)
            pool.extend(self.memory.read(leaf).ravel())
            return torch.arange(first, len(pool), dtype=torch.float64).reshape(leaf.shape)

        given = _arguments(func, args, kwargs)
        if given.get("reduce"):
            raise NotImplementedError("it does more than move elements")
        if isinstance(given.get("value"), int | float):
            pool.append(number(given["value"]))
            given["value"] = 1.0
        placed = func(**tree_map(label, given))
        formulas = np.empty(len(pool), dtype=object)
        formulas[:] = pool
        return np.asarray(formulas[values(placed).astype(int)], dtype=object)

    def _size(self, formula: Any) -> int:
        if formula is sympy.zoo:
            raise NotSymbolic("f divides by zero at every x")
        if formula not in self._sizes:
            self._sizes[formula] = 1 + sum(map(self._size, formula.args))
        return self._sizes[formula]


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _base_name(func: Any) -> str:
    """Return the name without the mark of an in-place operation, empty where it is not torch's."""
    space, name = func._schema.name.split("::")
    if space not in ("aten", "prims"):
        return ""
    return str(name.removesuffix("_") if func._schema.is_mutable else name)


def _arguments(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return every argument by name, with its default where it was not given."""
    arguments = func._schema.arguments
    defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
    return defaults | dict(zip((a.name for a in arguments), args, strict=False)) | dict(kwargs)


def _written(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """Return the tensors that the operation writes into."""
    given = _arguments(func, args, kwargs)
    names = [a.name for a in func._schema.arguments if a.alias_info and a.alias_info.is_write]
    return _tensors([given[name] for name in names])
