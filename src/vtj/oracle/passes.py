"""Single passes of one function: vᵀ·J by backward, J·u by a forward pass or by differences."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch

from vtj.calling.tensors import as_tuple, fresh_leaves, like, same, values, values_or_nan
from vtj.engines import NUMERIC
from vtj.engines.forward import jvp, with_tangents
from vtj.engines.numeric import EPS, OrNan, derivative, lasting_jump
from vtj.oracle.blind_spots import ROUNDED_AWAY, least_visible_slope
from vtj.oracle.differences import (
    ENOUGH,
    PAST_KINKS,
    fitted,
    past_kinks,
    richardson,
    robust_derivative,
    stands_close_by,
)
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.twice import Twice
from vtj.oracle.voting import Array, Witness, finite
from vtj.oracle.witnesses import error_and_silence, failure
from vtj.outcome import Outcome, RefusesInputs, finished

# Of the size of each element of x. With 2**-9 `certify` would not see what is detached in bfloat16,
# in (3 * x.detach().bfloat16()).float(), as it moves in leaps.
FIRST = 2.0**-6
# Of that: two steps mostly reach ten digits, three more. The third decides how often f is called,
# and no verdict: without it a cumprod (in tests/) takes 14 calls in place of 8.
TO_CONFIRM = (1.0, 2.0**-4, 2.0**-2)
# Elements of y whose values are kept, of each step: of ten times as many a hundred take 8 GB.
KEPT = 1_000_000
# Elements of x, among which kinks may lie close together: a right sort of 100 (in tests/) takes
# hundreds of calls without. The entries of fewer cost no more than the search for one that is wrong
# may, and are looked at: else the right x.bfloat16() (in tests/) is undecided.
MANY = 40


@dataclass(frozen=True)
class Passes:
    """The passes one function allows, with vectors in and out."""

    trial: Trial
    even: bool = False  # whether elements of `x` smaller than the mean move as far as that is

    def backward(self, v: Array) -> Outcome:
        """Run ``y.backward(v)``."""
        return self.trial.backward(self.trial.weights(v))

    def backward_of(self, run: ForwardRun, v: Array) -> Outcome:
        """Run ``y.backward(v)`` through the graph of a run that has been made already.

        That of a custom Function stays, for another pass behind other calls.
        """
        if all(self.trial.connected):
            with suppress(RefusesInputs):
                weights, kept = self.trial.weights(v), self.trial.custom
                came = finished(run.leaves, run.y, self.trial.x, weights, retain_graph=kept)
                # a pass before this one may have written into y
                y = like(self.trial.y, run.y)
                return replace(came, y=y, y_changed=not same(run.y, y))
        return self.backward(v)

    def in_one_run(self) -> Callable[[Array], Outcome]:
        """Return `backward`, for a custom Function through the graph of one more run, which stays.

        In a run for each, a wrong sine of ten elements, whose entries are all looked at, and a
        wrong sort of a thousand (both in tests/) take over 100 calls.
        """
        if not (self.trial.custom and all(self.trial.connected)):
            return self.backward
        leaves = fresh_leaves(self.trial.x)
        run = ForwardRun(leaves, self.trial.f(*leaves))

        def backward(v: Array) -> Outcome:
            for leaf in leaves:
                leaf.grad = None
            came = self.backward_of(run, v)
            return self.backward(v) if failure(came) else came  # a graph may be good for one pass

        return backward

    def backward_and_forward(self, v: Array, u: Array) -> tuple[Outcome, Array | Exception | None]:
        """Run ``y.backward(v)``, and a forward pass in the same run where one applies.

        With the outcome comes J·u, or what the forward pass raised.
        """
        raised = None
        if all(self.trial.connected):
            try:
                leaves, y, slopes = with_tangents(self.trial.f, self.trial.x, self.trial.at(u))
                outcome = finished(leaves, y, self.trial.x, self.trial.weights(v))
                return outcome, values(slopes)
            except RefusesInputs:
                pass
            except Exception as error:  # many functions have no forward derivative
                raised = error
        return self.backward(v), raised

    def forward(self, u: Array) -> Array:
        """Return J·u by one forward pass with dual numbers; raises what torch raised first."""
        if self._refused:
            raise self._refused[0]
        try:
            return values(jvp(self.trial.f, self.trial.x, self.trial.at(u)))
        except Exception as error:
            self._refused.append(error)
            raise

    @cached_property
    def _refused(self) -> list[Exception]:
        """What a forward pass has raised."""
        return []

    def forward_or_none(self, u: Array) -> Array | None:
        """Return J·u by one forward pass, or None where that does not apply or gives nan."""
        try:
            slopes = self.forward(u)
        except Exception:  # many functions have no forward derivative; others then decide
            return None
        return None if np.isnan(slopes).any() else slopes

    def along(
        self, u: Array, v: Array | None = None, watched: Twice | None = None
    ) -> Callable[[float], Array]:
        """Return `f` along a direction, weighed where there are weights.

        No step is asked twice: a wrong topk of a thousand (in tests/) would take over 100 calls.
        Without weights the next who asks along the same direction asks none of them again; with
        weights `y` may be so large that many do not fit into memory.
        """
        last, whole = self._last or (u, None)
        if whole is None or not np.array_equal(last, u):
            whole = self._values(u, watched)
            if v is None and self.trial.size[0] <= KEPT:
                whole = cache(whole)
                self._last[:] = u, whole
        return whole if v is None else cache(lambda step: v @ whole(step))

    @cached_property
    def _last(self) -> list[Any]:
        """The last direction without weights, and `f` along it."""
        return []

    def _values(self, u: Array, watched: Twice | None) -> Callable[[float], Array]:
        towards = list(zip(self.trial.parts, as_tuple(self.trial.at(u)), strict=True))
        at = None if watched is None else TO_CONFIRM[1] * FIRST * self.reach(u)

        def values_at(step: float) -> Array:
            moved = tuple((p + step * d).requires_grad_() for p, d in towards)
            came = self.trial.f(*moved)
            y = values_or_nan(came, self.trial.size[0])
            if watched and abs(step) == at:
                watched.see(step, moved, came)
            return y

        return OrNan(values_at, self.trial.size[0])

    def reach(self, u: Array) -> float:
        """Return the step along a direction that moves no element of `x` by more than its size."""
        return 1 / float((abs(u) / self.scale).max(initial=0) or 1)

    def difference(self, u: Array, part: float, *, central: bool = True) -> Array:
        """Return J·u by one difference, over a step that is this part of its reach."""
        along, step = self.along(u), part * self.reach(u)
        back = along(-step) if central else self.trial.y_vector
        slopes: Array = (along(step) - back) / ((1 + central) * step)
        return slopes

    def stands(self, u: Array, row: int, slope: float, gap: float) -> bool:
        """Return whether a slope in one row stands close by, beside a gap that is gross."""
        along, here, noise = self.along(u), self.trial.y_vector, float(self.trial.terms.max())
        # with all of it a factor of 1.001 takes `certify` 181 calls, with a quarter alone one of
        # 1.00001 on a sine (in tests/) 225; of a cumsum only that quarter is wide enough
        parts = (1 / 4, min(1 / 4, 1024 * gap / (abs(slope) or gap)))
        return any(
            stands_close_by(
                lambda step: along(step)[[row]],
                here[[row]],
                np.array([slope]),
                np.array([gap]),
                part * self.reach(u),
                self.trial.eps * noise,
            )
            for part in parts
        )

    def differences(
        self,
        u: Array,
        expected: Array | None = None,  # where two steps confirm that, no more are made
        *,
        v: Array | None = None,  # weights for the elements of `y`, row by row
        robust: bool = False,  # measure the noise first, and look at three ranges of steps
        watched: Twice | None = None,  # what sees gradients on the way
    ) -> Witness:
        """Return J·u by differences, or ⟨v, J·u⟩ for every row of `v`, which is cheaper."""
        trial, eps = self.trial, self.trial.eps
        along = self.along(u, v, watched)
        here, noise = trial.y_vector, np.zeros(1)
        if v is not None:
            here, noise = v @ here, eps * (abs(v) @ abs(here))
        rounding, reach = self._rounding(u), self.reach(u)
        first = FIRST * reach
        if expected is not None:
            steps = [first * part for part in TO_CONFIRM]
            found = richardson(along, expected, steps, eps, noise=noise, rounding=rounding)
            if found is not None:
                return Witness("differences", NUMERIC.name, *found)
        if robust:
            terms = 0.0 if v is None else abs(v) @ abs(trial.y_vector)
            noise = trial.noise if v is None else noise + abs(v) @ trial.noise
            # with 1, sin(1e8 x.detach()) at 1 would be undecided
            slopes = robust_derivative(
                along, here, 16 * first, reach, eps,
                rounding=rounding, noise=noise, terms=terms, custom=trial.custom,
            )  # fmt: skip
        else:
            slopes = derivative(
                along, here, first, eps, noise=noise, rounding=rounding, enough=ENOUGH, wary=True
            )
        error, silent = error_and_silence(slopes, abs(slopes.value), here)
        if robust and v is None:
            error = error + least_visible_slope(trial, slopes.value, ROUNDED_AWAY)
        return Witness("differences", NUMERIC.name, slopes.value, error, silent=silent)

    def with_care(
        self,
        u: Array,
        v: Array | None = None,
        *,
        row: int | None = None,  # the only one that is asked for
        gap: float | Array = np.inf,  # to who contradicts them; one that is small tells no kink
        expected: float | Array = np.nan,
    ) -> Witness:
        """Return `differences` past kinks, where there may be many and that tells, else robust."""
        asked = v if row is None else np.eye(1, self.trial.size[0], row)
        if past := self.told_past_kinks(u, asked, gap, expected):
            return past
        found = self.differences(u, v=v, robust=True)
        return found if row is None else found.only(row)

    def told_past_kinks(
        self, u: Array, v: Array | None, gap: float | Array, expected: float | Array = np.nan
    ) -> Witness | None:
        """Return `past_kinks` where there may be many, and that tells all, beside such gaps."""
        if self.trial.dtype != torch.float64 or u.size <= MANY:
            return None
        past = self.past_kinks(u, v, expected)
        # else a sine (in tests/) that is off by 1e-8 is not told to have a factor
        told = (gap > VISIBLE * abs(past.value)) | (past.error <= VISIBLE * gap)
        return None if np.any(past.silent) or not told.all() else past

    def fitted(self, u: Array, v: Array) -> Witness:
        """Return ⟨v, J·u⟩ for every row of `v`, by polynomials through many values."""
        value, error = fitted(self.along(u, v), v @ self.trial.y_vector, self.reach(u))
        return Witness("differences", NUMERIC.name, value, error, silent=~np.isfinite(error))

    def past_kinks(
        self, u: Array, v: Array | None = None, expected: float | Array = np.nan
    ) -> Witness:
        """Return what `differences` does, silent where no step without a kink tells it."""
        trial = self.trial
        here, noise = trial.y_vector, np.zeros(1)
        if v is not None:
            here, noise = v @ here, trial.eps * (abs(v) @ abs(here))
        along, rounding = self.along(u, v), self._rounding(u)
        value, error = past_kinks(
            along,
            here,
            self.reach(u),
            trial.eps,
            noise=noise,
            rounding=rounding,
            expected=expected,
        )
        return Witness("differences", NUMERIC.name, value, error, silent=np.isinf(error))

    def kinked(self, u: Array, v: Array) -> bool:
        """Return whether ⟨v, f⟩ is seen to have a kink at `x` itself along a direction."""
        if u.size <= MANY:  # else a right normalize at 0, whose entries tell, takes 8 calls more
            return False
        trial, along, here = self.trial, self.along(u, v), v @ self.trial.y_vector
        steps = [part * self.reach(u) for part in PAST_KINKS]
        jumps = [np.asarray(along(step) + along(-step) - 2 * here) / step for step in steps]
        noise = abs(v) @ (trial.eps * abs(trial.y_vector) + trial.noise) / steps[-1]
        return bool(lasting_jump(jumps, noise))

    def _rounding(self, u: Array) -> float:
        """Return the rounding error of `x`, as a part of the step by which its elements move."""
        ratio = abs(u) / self.scale
        if not (least := float(ratio.min(initial=np.inf))):
            least = float(ratio.min(initial=np.inf, where=ratio > 0))
        return EPS / least

    @cached_property
    def scale(self) -> Array:
        """The size of each element of `x`; for those of 0, or of none, that of the others."""
        size = finite(self.trial.x_vector)
        if size.all() and not self.even:
            return size
        others = np.count_nonzero(size)
        mean = size.sum() / others if others else 1.0
        return np.maximum(size, mean) if self.even else np.where(size > 0, size, mean)
