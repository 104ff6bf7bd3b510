"""Functions with a kink, as SymPy functions whose slope is the one torch chooses at a point."""

from collections.abc import Sequence
from typing import Any

import sympy
import torch


class Slope(sympy.Function):  # type: ignore[misc]  # SymPy has no annotations
    """The slope of a kinked function with respect to one of its arguments, not yet decided."""

    nargs = 2


class Kinked(sympy.Function):  # type: ignore[misc]  # SymPy has no annotations
    """A function made of smooth pieces; where it is differentiated decides which piece counts.

    Every one has `slopes`, which returns the slopes that torch chooses where the arguments have
    given values, and `decisive`, the pairs of expressions whose order decided that.
    """

    def fdiff(self, argindex: int = 1) -> Any:
        """Leave the slope open until the values of the arguments are known."""
        return Slope(self, sympy.Integer(argindex))

    def decisive(self, values: Sequence[float]) -> list[tuple[Any, Any]]:
        """Return what was compared: here the sign."""
        return [(self.args[0], sympy.S.Zero)]


class Relu(Kinked):
    """max(0, a), with slope 0 at 0 as in `torch.relu`."""

    nargs = 1

    @staticmethod
    def slopes(values: Sequence[float]) -> list[Any]:
        """Return 1 above 0, else 0."""
        return [sympy.Integer(values[0] > 0)]


class Magnitude(Kinked):
    """|a|, with slope 0 at 0 as in `torch.abs`."""

    nargs = 1

    @staticmethod
    def slopes(values: Sequence[float]) -> list[Any]:
        """Return the sign."""
        return [sympy.Integer((values[0] > 0) - (values[0] < 0))]


class Largest(Kinked):
    """The largest argument; a tie shares the slope evenly, as in `torch.amax`."""

    @staticmethod
    def slopes(values: Sequence[float]) -> list[Any]:
        """Return 1 for the largest, or equal shares."""
        top = max(values)
        share = sympy.Rational(1, sum(value == top for value in values))
        return [share if value == top else sympy.S.Zero for value in values]

    def decisive(self, values: Sequence[float]) -> list[tuple[Any, Any]]:
        """Return the first of those that count with every other argument."""
        best = next(i for i, slope in enumerate(self.slopes(values)) if slope)
        return [(self.args[best], arg) for i, arg in enumerate(self.args) if i != best]


class Smallest(Largest):
    """The smallest argument; a tie shares the slope evenly, as in `torch.amin`."""

    @staticmethod
    def slopes(values: Sequence[float]) -> list[Any]:
        """Return 1 for the smallest, or equal shares."""
        return Largest.slopes([-value for value in values])


class Clamped(Kinked):
    """a held between two numbers; the slope on one is what the torch that runs chooses.

    It is asked: through torch 2.13 the slope there was 1, since 2.14 it is 0.
    """

    nargs = 3
    tensors = False  # whether the bounds are tensors, with which torch chooses otherwise

    @classmethod
    def slopes(cls, values: Sequence[float]) -> list[Any]:
        """Return 1 between the bounds; beyond one, the slope belongs to that bound."""
        value, low, high = values
        if value in (low, high):
            return cls._on_a_bound(values)
        below, above = value < low, value > high
        return [sympy.Integer(flag) for flag in (not below and not above, below, above)]

    @classmethod
    def _on_a_bound(cls, values: Sequence[float]) -> list[Any]:
        with torch.enable_grad():
            leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
            y = torch.clamp(leaves[0], *(leaves if cls.tensors else values)[1:])
            slopes = torch.autograd.grad(y, leaves, allow_unused=True, materialize_grads=True)
        return [sympy.Rational(slope.item()) for slope in slopes]

    def decisive(self, values: Sequence[float]) -> list[tuple[Any, Any]]:
        """Return the argument with each finite bound."""
        a, *bounds = self.args
        return [(a, bound) for bound in bounds if bound.is_finite is not False]


class ClampedByTensors(Clamped):
    """a held between two tensors; on one, torch since 2.14 shares the slope with it."""

    tensors = True


class Sigmoid(sympy.Function):  # type: ignore[misc]  # SymPy has no annotations
    """1 / (1 + exp(-a)), kept whole so that its derivative reads σ(a)(1 - σ(a))."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Any:
        """Return σ(a)(1 - σ(a))."""
        return self * (1 - self)
