"""What `certify` compares: values along random directions that should be the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import torch

from vtj.engines import BACKWARD, BY_HAND, FORWARD, NUMERIC
from vtj.oracle.behavior import random_weights
from vtj.oracle.findings import FEW_DIGITS, Finding
from vtj.oracle.further import (
    NOT_ASKED,
    Ways,
    behind_another_call,
    expanded,
    outputs_alone,
    spread,
    with_zeros,
)
from vtj.oracle.operators import Operator
from vtj.oracle.passes import Passes
from vtj.oracle.rounding import gradient_rounding
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.twice import Twice, twice
from vtj.oracle.voting import Array, Witness, allowed, distance, speaking_first
from vtj.oracle.witnesses import failure
from vtj.outcome import Outcome
from vtj.report import Row

# Magnitudes of the random weights. Were all 1, a backward of the sign of v would be correct.
LEAST, MOST = 0.5, 2.0
# Elements of x: a function of no more has few kinks, and to look past them costs more calls.
LARGE = 1000


@dataclass(frozen=True)
class Probes:
    """Random directions and what came of them."""

    passes: Passes
    J: Operator | None  # by hand
    v: Array  # gradient arguments, one per row
    u: Array  # a direction in the space of `x`
    outcomes: tuple[Outcome, ...]  # ``y.backward(v)``
    grads: Array  # what `x.grad` held
    # J·u by differences; without a J by hand, ⟨v, J·u⟩ for every `v`. None where backward raises or
    # gives no numbers: there is nothing to compare
    differences: Witness | None = None
    by_hand: tuple[Witness, list[Witness]] | None = None  # J·u and vᵀ·J
    forward: Witness | None = None  # J·u; None where not asked for or not applicable
    watched: Twice | None = None  # what becomes of a backward that is differentiated itself
    further: Ways = NOT_ASKED  # what the first `v` leaves in other ways
    spent: Exception | None = None  # raised by a backward through a graph that others went through
    raised: Exception | None = None  # by a forward pass through a `jvp` of a custom Function

    @property
    def trial(self) -> Trial:
        """The function they are of."""
        return self.passes.trial


@dataclass(frozen=True)
class Pair:
    """Two values that should be the same, for one probe; or two numbers for each probe."""

    what: str  # how the row names them
    side: Literal["x", "y", "number"]  # as long as `x`, as long as `y`, or numbers
    probe: int  # the first, of numbers
    a: Witness
    b: Witness
    relative: float  # how far they may lie apart
    weight: float = 1.0  # the least that an entry of J is multiplied by on the way to them

    @cached_property
    def allowed(self) -> Array:
        """How far they may lie apart."""
        return allowed(self.a, self.b, self.relative)

    @cached_property
    def apart(self) -> Array:
        """How far they lie apart, in units of the tolerance."""
        return distance(self.a, self.b, self.allowed)

    @cached_property
    def worst(self) -> float:
        """The largest distance."""
        return float(self.apart.max(initial=0))

    @property
    def differs(self) -> bool:
        """Whether they lie further apart than the tolerance."""
        return self.worst > 1

    @cached_property
    def power(self) -> float:
        """How large an error in a single entry of J is seen for sure: each number sees them all."""
        if not self.weight > 0:
            return np.inf
        seen = self.allowed.min() if self.side == "number" else self.allowed.max(initial=0)
        return float(seen) / self.weight

    def by_probe(self) -> "list[Pair]":
        """Return the same, one probe each."""
        if self.side != "number":
            return [self]
        count = range(self.a.value.size)
        return [replace(self, probe=k, a=self.a.only(k), b=self.b.only(k)) for k in count]


@dataclass(frozen=True)
class Compared:
    """What should be the same along random directions, and who is at fault where it is not."""

    asked: Probes
    pairs: Sequence[Pair]
    finding: Finding | None = None
    rows: tuple[Row, ...] = ()

    @property
    def worst(self) -> Pair | None:
        """A pair that differs, one that tells the column where there is one."""
        bad = [pair for pair in self.pairs if pair.differs]
        return next((one for one in bad if one.side == "x"), bad[0] if bad else None)


def at_first_sight(asked: Probes) -> Compared:
    """Return the probes compared, with no error bounds but those they came with."""
    return Compared(asked, tuple(pairs(asked)))


def probe(passes: Passes, run: ForwardRun, J: Operator | None, probes: int) -> Probes:  # noqa: N803
    """Run the passes, one of `probes` backward passes through the first run.

    In the run of the last one goes a forward pass too, where a custom Function has a `jvp`.

    Without J by hand, ⟨v, J·u⟩ will do in place of J·u.
    """
    trial = passes.trial
    outputs, inputs = trial.size
    many = probes * outputs
    start = max(2, many + many % 2)  # as if `u` were drawn after `v`, which comes in pairs
    drawn = random_weights(trial.seed, start + inputs, LEAST, MOST)
    v, u = drawn[:many].reshape(probes, outputs), drawn[start:] * passes.scale
    watched = twice(trial, run, v[0], u) if trial.looked_into else None
    # of torch's own operators that is asked where all else agrees: their graph is not kept
    alone = outputs_alone(trial, v[0], run) if trial.looked_into else None
    ways = alone, spread(trial, v[0], run), expanded(trial, run), with_zeros(trial, v[0], run)
    # a single pass is one of a new run: does f give the same y again?
    first, spent = [passes.backward_of(run, v[0])] if probes > 1 else [], None
    if first and trial.looked_into and (spent := failure(first[0])):
        first = [passes.backward(v[0])]
    others = [passes.backward(one) for one in v[len(first) : probes - 1]]
    slopes, raised = None, None
    if trial.own_jvp and J is None:
        last, came = passes.backward_and_forward(v[-1], u)
        slopes, raised = (None, came) if isinstance(came, Exception) else (came, None)
    else:
        last = passes.backward(v[-1])
    outcomes = (*first, *others, last)
    grads = np.array([trial.gradient(one.grad) for one in outcomes])
    asked = passes, J, v, u, outcomes, grads
    if any(failure(one) for one in outcomes) or not np.isfinite(grads).all():
        return Probes(*asked, watched=watched)
    forward, by_hand, weights = None, None, None
    if slopes is not None and np.isfinite(slopes).all():
        forward, expected = Witness(FORWARD.name, FORWARD.name, slopes), slopes
    elif J is None:
        expected, weights = grads @ u, v
    else:
        right = Witness(BY_HAND.name, BY_HAND.name, J.right(u))
        lefts = [Witness(BY_HAND.name, BY_HAND.name, row) for row in J.lefts(v)]
        by_hand, expected = (right, lefts), right.value
    differences = passes.differences(u, expected, v=weights, watched=watched)
    further = *ways, behind_another_call(trial, v[0], None if spent else run)
    return Probes(*asked, differences, by_hand, forward, watched, further, spent, raised)


def with_forward_pass(asked: Probes) -> Probes:
    """Return the probes with a forward pass, where one applies.

    It is exact, but slower than a few calls of `f`.
    """
    slopes = asked.passes.forward_or_none(asked.u)
    if slopes is None:
        return asked
    forward = Witness(FORWARD.name, FORWARD.name, slopes)
    return replace(asked, forward=forward, differences=asked.passes.differences(asked.u, slopes))


def pairs(asked: Probes) -> Iterator[Pair]:
    """Yield the values that should be the same.

    A tolerance that is stated is one of each element: in a single number errors cancel.
    """
    if asked.differences is None:
        return
    trial = asked.trial
    relative = trial.earned if asked.by_hand is None else trial.relative
    least = float(abs(asked.u).min(initial=MOST))
    if asked.by_hand is not None:
        right, lefts = asked.by_hand
        what = "J·u by hand = differences"
        yield Pair(what, "y", 0, right, asked.differences, relative, least)
        for k, (mine, grad) in enumerate(zip(lefts, asked.grads, strict=True)):
            theirs = Witness("x.grad", BACKWARD.name, grad)
            yield Pair("x.grad = vᵀ·J by hand", "x", k, mine, theirs, relative, LEAST)
        return
    mine = Witness(
        "x.grad",
        BACKWARD.name,
        np.array([grad @ asked.u for grad in asked.grads]),
        size=np.array([abs(grad) @ abs(asked.u) for grad in asked.grads]),
    )
    if asked.forward is None:
        what = "⟨x.grad, u⟩ = ⟨v, J·u⟩ by differences"
        theirs = replace(asked.differences, size=mine.size, silent=False)
    else:
        what = "J·u forward = differences"
        yield Pair(what, "y", 0, asked.forward, asked.differences, relative, least)
        what, slopes = "⟨x.grad, u⟩ = ⟨v, J·u⟩ forward", asked.forward
        theirs = replace(
            slopes,
            value=np.array([v @ slopes.value for v in asked.v]),
            size=np.array([abs(v) @ abs(slopes.value) for v in asked.v]),
        )
    yield Pair(what, "number", 0, mine, theirs, relative, LEAST * least)


def with_size(pair: Pair, asked: Probes) -> Pair:
    """Return the pair with the magnitudes that went into a product with J, where it differs."""
    if asked.J is None or not pair.differs:
        return pair
    v, u = abs(asked.v[pair.probe]), abs(asked.u)
    try:
        size = asked.J.magnitude().left(v) if pair.side == "x" else asked.J.magnitude().right(u)
    except TypeError:  # an operator; the largest of the sums themselves stands in
        size = abs(pair.a.value).max(initial=0)
    return replace(pair, a=replace(pair.a, size=size))


def past_kinks(pair: Pair, asked: Probes) -> Pair:
    """Return the pair with differences over steps past the kinks of a large model, where known."""
    by_differences = pair.differs and pair.b.family == NUMERIC.name
    if not by_differences or asked.u.size <= LARGE or asked.trial.dtype != torch.float64:
        return pair
    v = asked.v[[pair.probe]] if pair.side == "number" else None
    return replace(
        pair, b=speaking_first(asked.passes.past_kinks(asked.u, v, pair.a.value), pair.b)
    )


def reexamined_pair(pair: Pair, asked: Probes) -> Pair:
    """Return the pair with all error bounds that apply, where its two values differ.

    First, for differences, two estimates of three, or steps past kinks; then how much the exact
    values change when `x` moves by a few units in the last place.
    """
    passes, v, u = asked.passes, asked.v[pair.probe], asked.u
    if pair.differs and pair.side == "y":
        pair = replace(pair, b=passes.differences(u, robust=True))
    if pair.differs and pair.b.family == NUMERIC.name and pair.side == "number":
        gap = abs(pair.a.value - pair.b.value)
        differences = passes.with_care(u, v[None], gap=gap, expected=pair.a.value)
        pair = replace(pair, b=replace(differences, size=pair.a.size, silent=False))
    if pair.differs and pair.side != "y":
        rounding = gradient_rounding(
            passes.trial,
            v,
            lambda error: not _with_rounding(pair, error, u).differs,
        )
        pair = _with_rounding(pair, rounding, u)
    return pair


def to_nine_digits(pair: Pair) -> Pair:
    """Return the pair where differences alone speak against backward, for nine digits of each."""
    if pair.side != "number" or pair.b.family != NUMERIC.name:
        return pair
    error = FEW_DIGITS * np.maximum(pair.a.size, abs(pair.a.value))
    return replace(pair, a=replace(pair.a, error=pair.a.error + error))


def _with_rounding(pair: Pair, error: Array, u: Array) -> Pair:
    """Return the pair where each element of `x.grad` may be off by so much."""
    whole = error if pair.side == "x" else np.array([error @ abs(u)])
    return replace(pair, b=replace(pair.b, error=pair.b.error + whole))
