"""Single passes of one function: vᵀ·J by backward, J·u by a forward pass or by differences."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtj.calling.tensors import Function, Tensors, as_tuple, like, shaped_like, values
from vtj.engines.forward import jvp
from vtj.engines.numeric import EPS, Slopes, derivative
from vtj.oracle.behavior import what_autograd_sees
from vtj.oracle.careful import careful
from vtj.oracle.confirming import ENOUGH, confirmed
from vtj.oracle.rounding import noise_of_values
from vtj.oracle.second_look import OUT_OF_SIGHT, flattened
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Run, Trial
from vtj.oracle.voting import Array, Witness
from vtj.oracle.witnesses import gradient
from vtj.outcome import Outcome, RefusesInputs, backward, finished

SEED = 0  # of the line along which noise is measured
FIRST = 2.0**-6  # of the size of each element of x; three halvings reach nine digits
TO_CONFIRM = (1.0, 2.0**-4, 2.0**-2)  # of that: two steps mostly reach ten digits, three more


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
        f, seen = what_autograd_sees(self.trial, shaped if self.trial.y_tuple else shaped[0])
        return backward(f, self.trial.x, seen)

    def backward_of(self, run: Run, v: Array) -> Outcome:
        """Run ``y.backward(v)`` through the graph of a run that has been made already."""
        shaped = shaped_like(v, self.trial.y)
        if all(self.trial.connected):
            with suppress(RefusesInputs):
                return finished(run.leaves, run.y, self.trial.x, like(shaped, run.y))
        return self.backward(v)

    def gradient(self, v: Array) -> Array:
        """Give what ``y.backward(v)`` leaves in `x.grad`."""
        return gradient(self.trial, self.backward(v).grad)

    def of(self, f: Function, x: Tensors) -> "Passes":
        """Give the passes of a function like this one, at another point."""
        return replace(self, trial=replace(self.trial, f=f, x=x), x=values(x))

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
        """Give J·u by one forward pass, or None where that does not apply or gives nan."""
        try:
            slopes = self.forward(u)
        except Exception:  # many functions have no forward derivative; others then decide
            return None
        return None if np.isnan(slopes).any() else slopes

    def differences(
        self,
        u: Array,
        expected: Array | None = None,
        *,
        v: Array | None = None,
        sure: bool = False,
    ) -> Witness:
        """Give J·u by differences, or ⟨v, J·u⟩ for every row of `v`, which is cheaper.

        Args:
            u: The direction.
            expected: What somebody says it is: where two steps confirm that, no more are made.
            v: Weights for the elements of `y`, row by row.
            sure: Whether to take every care.
        """
        trial, eps = self.trial, self.trial.eps
        direction = shaped_like(u, trial.parts)

        def along(step: float) -> Array:
            moved = (p + step * d for p, d in zip(as_tuple(trial.x), direction, strict=True))
            y = values(trial.f(*(part.detach().requires_grad_() for part in moved)))
            return y if v is None else v @ y

        here, noise = self.here, np.zeros(1)
        if v is not None:
            here, noise = v @ self.here, eps * (abs(v) @ abs(self.here))
        ratio = abs(u) / self.scale
        if not (least := float(ratio.min(initial=np.inf))):
            least = float(ratio.min(initial=np.inf, where=ratio > 0))
        rounding = EPS / least
        first = FIRST / float(ratio.max(initial=0) or 1)
        if expected is not None and trial.eps <= EPS:
            steps = [first * part for part in TO_CONFIRM]
            found = confirmed(along, expected, steps, eps, noise=noise, rounding=rounding)
            if found is not None:
                return Witness("differences", "numeric", *found)
        if sure:
            size = first / FIRST
            noise = self.noise if v is None else noise + abs(v) @ self.noise
            slopes = careful(along, here, 16 * first, size, eps, rounding=rounding, noise=noise)
        else:
            slopes = derivative(
                along, here, first, eps, noise=noise, rounding=rounding, enough=ENOUGH, least=2
            )
        witness = self._witness(slopes, here)
        if sure and v is None:
            lost = flattened(trial, slopes.value, OUT_OF_SIGHT)
            witness = replace(witness, error=witness.error + lost)
        return witness

    @cached_property
    def scale(self) -> Array:
        """The size of each element of `x`, for elements that are 0 that of the others."""
        size = abs(self.x)
        if size.all():
            return size
        others = np.count_nonzero(size)
        return np.where(size > 0, size, size.sum() / others if others else 1.0)

    @cached_property
    def noise(self) -> Array:
        """The rounding noise of `y`."""
        return noise_of_values(self.trial, SEED)

    def _witness(self, slopes: Slopes, here: Array) -> Witness:
        value, error, jump = slopes
        error = error + abs(jump) / 2 / SAFETY
        enough = np.where(abs(value) > SAFETY * error, 1e-3 * abs(value), 1e-9 * abs(here))
        silent = ~((SAFETY * error <= enough) | (jump != 0)) | ~np.isfinite(here)
        return Witness("differences", "numeric", value, error, silent=silent)
