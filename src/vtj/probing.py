"""Single passes of one function: vᵀ·J by backward, J·u by a forward pass or by differences."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtj.careful import careful
from vtj.engines.forward import jvp
from vtj.engines.numeric import EPS, Slopes, derivative
from vtj.outcome import Outcome, backward
from vtj.tensors import Function, Tensors, as_tuple, like, shaped_like, values
from vtj.tolerance import SAFETY
from vtj.trial import Trial
from vtj.voting import Array, Witness
from vtj.witnesses import gradient

FIRST = 2.0**-6  # of the size of each element of x; three halvings reach nine digits


class Counted:
    """A function, and how often it was called.

    Example:
        >>> square = Counted(lambda x: x**2)
        >>> square(3), square(4), square.calls
        (9, 16, 2)
    """

    def __init__(self, f: Function) -> None:
        self.f, self.calls = f, 0

    def __call__(self, *x: Any) -> Any:
        """Call the function and count."""
        self.calls += 1
        return self.f(*x)


@dataclass(frozen=True)
class Passes:
    """The passes one function allows, with vectors in and out.

    Attributes:
        trial: What `try_out` gave.
        here: The elements of `y`.
        x: The elements of `x`.
    """

    trial: Trial
    here: Array
    x: Array

    def backward(self, v: Array) -> Outcome:
        """Run ``y.backward(v)``."""
        shaped = shaped_like(v, self.trial.y)
        return backward(self.trial.f, self.trial.x, shaped if self.trial.y_tuple else shaped[0])

    def gradient(self, v: Array) -> Array:
        """Give what ``y.backward(v)`` leaves in `x.grad`."""
        return gradient(self.trial, self.backward(v).grad)

    def at(self, x: Tensors) -> "Passes":
        """Give the passes of the same function at another point."""
        return replace(self, trial=replace(self.trial, x=x), x=values(x))

    def best(self, u: Array) -> Witness:
        """Give J·u by a forward pass, or by differences where that does not apply."""
        forward = self.forward_or_none(u)
        if forward is not None:
            return Witness("forward", "forward", forward)
        return self.differences(u, sure=True)

    def forward(self, u: Array) -> Array:
        """Give J·u by one forward pass with dual numbers; raises what torch raises."""
        shaped = like(shaped_like(u, self.trial.parts), self.trial.x)
        return values(jvp(self.trial.f, self.trial.x, shaped))

    def forward_or_none(self, u: Array) -> Array | None:
        """Give J·u by one forward pass, or None where forward mode does not apply."""
        try:
            return self.forward(u)
        except Exception:  # many functions have no forward derivative; others then decide
            return None

    def differences(self, u: Array, enough: float = 0.0, *, sure: bool = False) -> Witness:
        """Give J·u by differences.

        Args:
            u: The direction.
            enough: Stop as soon as the error is below this part of the result.
            sure: Whether to take every care.
        """
        trial, eps = self.trial, self.trial.eps
        direction = shaped_like(u, trial.parts)

        def along(step: float) -> Array:
            moved = (p + step * d for p, d in zip(as_tuple(trial.x), direction, strict=True))
            return values(trial.f(*(part.detach().requires_grad_() for part in moved)))

        moving = u != 0
        rounding = EPS * float((abs(self.x[moving]) / abs(u[moving])).max(initial=0))
        first = FIRST * float((self.scale()[moving] / abs(u[moving])).min())
        if sure:
            slopes = careful(along, self.here, 16 * first, first / FIRST, eps, rounding)
        else:
            slopes = derivative(along, self.here, first, eps, rounding=rounding, enough=enough)
        return self._witness(slopes)

    def scale(self) -> Array:
        """Give the size of each element of `x`, for elements that are 0 that of the others."""
        size = abs(self.x)
        usual = float(np.median(size[size > 0])) if (size > 0).any() else 1.0
        return np.where(size > 0, size, usual)

    def _witness(self, slopes: Slopes) -> Witness:
        value, error, jump = slopes
        error = error + abs(jump) / 2 / SAFETY
        enough = np.where(abs(value) > SAFETY * error, 1e-3 * abs(value), 1e-9 * abs(self.here))
        silent = ~((SAFETY * error <= enough) | (jump != 0) | (error == 0))
        return Witness("differences", "numeric", value, error, silent=silent)
