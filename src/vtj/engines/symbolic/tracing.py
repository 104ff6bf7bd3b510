"""A dispatch mode that runs a function for real and derives the formula of every element."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    array,
    number,
)

SIZE_LIMIT = 3000
"""The most SymPy nodes one tensor's formulas may have."""

ORDERS = {"max": sympy.Ge, "min": sympy.Le}
"""How the element that was picked compared with every other one."""


@dataclass(frozen=True)
class Operation:
    """One call of an operation of torch."""

    func: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    def run(self) -> Any:
        """Run it for real."""
        return self.func(*self.args, **self.kwargs)

    @cached_property
    def name(self) -> str:
        """Its name without the mark of an in-place operation, empty where it is not torch's."""
        space, name = self.func._schema.name.split("::")
        if space not in ("aten", "prims"):
            return ""
        return str(name.removesuffix("_") if self.func._schema.is_mutable else name)

    @property
    def picks(self) -> bool:
        """Whether it returns values, and the indices where it found them."""
        return not PICKS.isdisjoint([self.name, f"{self.name}.{self.func._overloadname}"])

    @cached_property
    def given(self) -> dict[str, Any]:
        """Every argument by name, with its default where it was not given."""
        arguments = self.func._schema.arguments
        defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
        names = (a.name for a in arguments)
        return defaults | dict(zip(names, self.args, strict=False)) | dict(self.kwargs)

    @cached_property
    def written(self) -> list[Tensor]:
        """The tensors that it writes into."""
        arguments = self.func._schema.arguments
        names = [a.name for a in arguments if a.alias_info and a.alias_info.is_write]
        return _tensors([self.given[name] for name in names])


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
        call = Operation(func, args, kwargs or {})
        known = [t for t in _tensors((call.args, call.kwargs)) if self.memory.knows(t)]
        if not known:
            return call.run()
        with self:
            made_of_others = func.decompose(*call.args, **call.kwargs)
        if made_of_others is not NotImplemented:
            return made_of_others
        if func.is_view or torch.Tag.inplace_view in func.tags:
            return call.run()
        if self._constant(call, known):
            out = call.run()
            for target in call.written:
                self.write(target, array(values(target)))
            return out
        derived = self._derived(call)  # before what was read is overwritten
        if derived is None:
            return self._without_formula(call)
        out = call.run()
        if call.picks:
            derived = [self._picked(call, derived[0], values(out[1]))]
        for target, formulas in zip(call.written or _tensors(out), derived, strict=False):
            if formulas is not None:
                self.write(target, np.asarray(formulas, dtype=object))
        return out

    def _constant(self, call: Operation, known: Sequence[Tensor]) -> bool:
        """Return whether the result does not change when x changes a little."""
        in_place = call.name in COMPARISONS and call.written
        if in_place or call.name in STEPS or call.kwargs.get("rounding_mode"):
            return True
        if any(tensor.is_floating_point() for tensor in known):
            return False
        for truths in known:
            self._hold(truths)
        return True

    def _derived(self, call: Operation) -> Any:
        """Return the formulas of the results, of a pick those picked from; None where unknown."""
        try:
            if call.picks:
                derived: Any = np.atleast_1d(self.memory.read(call.given["self"]))
            elif call.name in MOVES and not call.given.get("accumulate"):
                derived = self._moved(call.func, call.given)
            elif call.name in FORMULAS:
                skipped = ("out", "rounding_mode")
                named = {k: a for k, a in call.kwargs.items() if k not in skipped}
                derived = FORMULAS[call.name](*self._operands(call.args), **self._operands(named))
            else:
                return None
        except (NotImplementedError, TypeError, ValueError) as reason:
            raise UnknownOperation(str(call.func), str(reason)) from reason
        return derived if isinstance(derived, tuple) else (derived,)

    def _without_formula(self, call: Operation) -> Any:
        """Run it as other operations, or take a result that has no slope; else refuse."""
        ours = OTHERWISE.get(call.name)
        way = ours or decomposition_table.get(call.func)
        if way is None:
            out = call.run()
            results = _tensors(out)
            if call.written or any(t.is_floating_point() or t.is_complex() for t in results):
                raise UnknownOperation(str(call.func))
            return out
        named = {name: a for name, a in call.kwargs.items() if not ours or name != "out"}
        try:
            with self:
                made = way(*call.args, **named)
                return call.written[0].copy_(made) if ours and call.written else made
        except UnknownOperation as reason:
            raise UnknownOperation(str(call.func), f"made of {reason.name}") from reason
        except NotSymbolic:
            raise
        except NotImplementedError as reason:
            raise UnknownOperation(str(call.func), str(reason)) from reason

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

    def _picked(self, call: Operation, formulas: Formulas, indices: Any) -> Formulas:
        """Pick formulas by the indices that come with the values."""
        dim = call.given["dim"]
        reduced = indices.ndim < formulas.ndim
        places = np.expand_dims(indices, dim) if reduced else indices
        picked = np.take_along_axis(formulas, places, dim)
        if (relation := ORDERS.get(call.name)) is not None:
            lines, best = np.moveaxis(formulas, dim, -1), np.moveaxis(picked, dim, -1)
            for held in np.frompyfunc(relation, 2, 1)(best, lines).ravel():
                self._record(held)
        return np.squeeze(picked, dim) if reduced else picked

    def _moved(self, func: Any, given: dict[str, Any]) -> Formulas:
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

        if given.get("reduce"):
            raise NotImplementedError("it does more than move elements")
        if isinstance(given.get("value"), int | float):
            pool.append(number(given["value"]))
            given = given | {"value": 1.0}
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
