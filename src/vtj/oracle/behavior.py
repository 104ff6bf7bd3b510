"""What ``backward`` does beyond one gradient, and `f` beside it: observed, and judged.

Is `x.grad` vᵀ·J, whatever `v`, and however often? Do `f` and backward repeat themselves, and leave
`x` and `v` alone? Does `f` reach leaves that `x` does not hold, at whose gradients nobody looked?
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

import numpy as np
import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.repeatable import reseeded
from vtj.calling.state import Kept, Leaf
from vtj.calling.tensors import (
    Tensors,
    as_tuple,
    fresh_leaves,
    same,
    values_or_nan,
)
from vtj.engines import BACKWARD
from vtj.oracle.findings import Finding, may_round, numbers
from vtj.oracle.rounding import gradient_rounding, negligible_slopes, only_rounding
from vtj.oracle.tolerance import RELATIVE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Witness, distance, unnamed
from vtj.oracle.witnesses import failure, first_line
from vtj.outcome import Outcome
from vtj.report import Row


@dataclass(frozen=True)
class Behavior:
    """One thing that a right `f` and a right backward do."""

    name: str  # as in the rows of a report
    complaint: str  # what is said where it fails
    culprit: str = BACKWARD.culprit  # who is at fault then
    explains_all: bool = False  # whether all other findings on the backward follow from its failing


REPEATABLE = Behavior("backward repeatable", "the backward is not repeatable", explains_all=True)
RANDOM = replace(REPEATABLE, complaint="the backward draws random numbers, others at every call")
ADDS = Behavior("a second backward adds", "a second backward adds something else")
CREATE_GRAPH = Behavior("under create_graph", "the backward is another under create_graph=True")
V_UNCHANGED = Behavior(
    "v unchanged", "v: backward writes into v, its gradient argument", explains_all=True
)
Y_UNCHANGED = Behavior(
    "y unchanged",
    "y: backward writes into y, the output of f: who reads it afterwards, as a second backward "
    "does, gets other numbers",
    explains_all=True,
)
Y_REPEATABLE = Behavior("y repeatable", "f gives another value at every call", "f")
SPOILED = "has been modified by an inplace operation"  # torch's words, of what forward saved
LINEAR = "linear in v"  # the row of a second gradient argument
X_UNCHANGED = Behavior("x unchanged", "x: f writes into its input", "f")
NAMED = 3  # leaves written out; a network has hundreds


# to make one takes as long as to draw a thousand numbers
_seeds = lru_cache(maxsize=8)(np.random.SeedSequence)


def random_weights(seed: int, count: int, least: float, most: float) -> Array:
    """Return numbers with random signs and magnitudes from `least` to `most`.

    No magnitude is near zero, so that no entry of J hides behind a small weight, and with `most`
    beyond 1 a backward that clamps its argument shows.
    """
    # four from each 64 bits, which is faster than floats
    bits = np.random.PCG64(_seeds(seed)).random_raw(-(-count // 4)).astype("<u8")
    drawn = bits.view("<i2")[:count] * ((most - least) / 2**15)
    drawn += np.copysign(least, drawn)
    return drawn


@dataclass(frozen=True)
class Observed:
    """Real backward passes and what they left."""

    weights: Array  # `v` as a vector, 1 where it was omitted
    first: Outcome  # ``y.backward(v)``
    again: Outcome  # the same once more, on fresh leaves, where backward draws other numbers
    random: bool  # whether it is another then, and the same where it draws the same numbers
    signed: Outcome  # ``y.backward(w)`` for a `w` with both signs and entries beyond ±1
    signed_weights: Array  # that `w` as a vector
    # what `.grad` holds after a second backward through the graph, or the reason why there is none
    twice: Array | str
    graph: Array | str  # the gradient under ``create_graph=True``, or the reason why there is none
    shares: bool  # whether `x.grad` lies in the memory of `v`


def drawn(trial: Trial) -> Tensors:
    """Return gradient arguments for where they are omitted."""
    return trial.weights(random_weights(trial.seed + 1, trial.size[0], 0.5, 2))


def signed(trial: Trial) -> Tensors:
    """Return gradient arguments of both signs, with entries beyond ±1."""
    # powers of two give weights that float32 holds: with 0.1 and 10 the right "0-d gradient times a
    # float32 matrix" (in tests/), which is float32 by torch's rules, would be called wrong
    return trial.weights(random_weights(trial.seed, trial.size[0], 0.125, 8))


def observe(trial: Trial, v: Tensors | None) -> Observed:
    """Run the backward passes."""
    w = signed(trial)
    weights, signed_weights = (
        np.where(trial.reached, trial.weighing(part), 0.0) for part in (v, w)
    )
    reseeds = replace(trial, f=reseeded(trial.f))
    # one behind the other: with a backward or three between, every second one may be the same
    first, again = trial.backward(v), reseeds.backward(v)
    of_w, (twice, shares) = trial.backward(w), _twice(trial, v)
    graph = _under_create_graph(trial, v)
    differs = not same(again.grad, first.grad)
    # in this order: a backward of three turns, as "drifts" of the zoo, would pass for a random one
    random = differs and all(
        same(one.backward(v).grad, before.grad)
        for one, before in ((reseeds, again), (trial, first))
    )
    return Observed(
        weights=weights,
        first=first,
        again=again,
        random=random,
        signed=of_w,
        signed_weights=signed_weights,
        twice=twice,
        graph=graph,
        shares=shares,
    )


def rounding_between(
    trial: Trial,
    v: Array,
    grad: Witness,
    other: Witness,
    ways: Sequence[Callable[[Trial, Array], Array]] = (Trial.vjp,),
    times: int = 1,
) -> Array:
    """Return how far the sum of what `times` such passes leave may be off, where two differ."""
    if not differ(grad, other, trial):
        return np.zeros(trial.size[1])

    def explains(error: Array) -> bool:
        return not differ(replace(grad, error=grad.error + times * error), other, trial)

    # without a call of f: what is left of zeros, as of the gradient of softmax(x).sum(), depends on
    # the processor, and on one of them a right softmax of 5 (in tests/) took `certify` 72 calls
    least = negligible_slopes(trial, abs(v) @ abs(trial.y_vector))
    of_zeros = np.where(abs(grad.value) <= least, least, 0.0)
    if explains(of_zeros):
        return np.asarray(times * of_zeros)
    return np.asarray(times * sum(gradient_rounding(trial, v, explains, way) for way in ways))


def _twice(trial: Trial, v: Tensors | None) -> tuple[Array | str, bool]:
    f, v = trial.seen_by_autograd(v)
    leaves, weights = fresh_leaves(trial.x), _copied(v)
    try:
        y = as_tuple(f(*leaves), "y")
        waiting.backward(y, weights, retain_graph=True, inputs=leaves)
        shares = bool(_memory(weights) & _memory(leaf.grad for leaf in leaves))
        waiting.backward(y, weights, retain_graph=True, inputs=leaves)
    except Exception as error:
        return first_line(error), False
    return trial.gradient(tuple(leaf.grad for leaf in leaves)), shares


def _copied(v: Tensors | None) -> tuple[Tensor, ...] | None:
    return None if v is None else tuple(part.clone() for part in as_tuple(v))


def _memory(tensors: Iterable[Tensor | None] | None) -> set[int]:
    given = [one for one in tensors or () if one is not None and not one._is_zerotensor()]
    # of nn.Embedding(sparse=True): its values may be `v`
    plain = [one._values() if one.is_sparse else one for one in given]
    return {one.untyped_storage().data_ptr() for one in plain if one.layout == torch.strided}


def _under_create_graph(trial: Trial, v: Tensors | None) -> Array | str:
    f, v = trial.seen_by_autograd(v)
    leaves = fresh_leaves(trial.x)
    try:
        grads = waiting.grad(
            as_tuple(f(*leaves), "y"), leaves, _copied(v), create_graph=True, allow_unused=True
        )
    except Exception as error:
        return first_line(error)
    return trial.gradient(grads)


def vjp_under_create_graph(trial: Trial, v: Array) -> Array:
    """Return what ``torch.autograd.grad`` gives under ``create_graph=True``, vectors in and out."""
    came = _under_create_graph(trial, trial.weights(v))
    return np.zeros(trial.size[1]) if isinstance(came, str) else came


WITH_AND_WITHOUT = (Trial.vjp, vjp_under_create_graph)


@dataclass(frozen=True)
class Judged:
    """One row, and the finding that goes with it when it is bad."""

    row: Row
    finding: Finding | None = None
    explains_all: bool = False  # whether all other findings on the backward follow from this one


def judge_passes(
    trial: Trial, seen: Observed, size: Array, of_graph: Array | None = None
) -> Iterator[Judged]:
    """Judge what backward does beyond one gradient; `size` is that of what it adds up.

    `of_graph` is how far the gradient under create_graph may be off; it is measured when omitted.
    """
    first = gradient_left(trial, seen.first)
    if first is None:
        return
    # nothing explains what is random
    ways = WITH_AND_WITHOUT if of_graph is None and not seen.random else ()
    off = 0.0 if of_graph is None else of_graph
    repeatable = RANDOM if seen.random else REPEATABLE
    for behavior, other, right, rounded in (
        (repeatable, gradient_left(trial, seen.again), unnamed(first, 0.0, size), ()),
        (ADDS, seen.twice, unnamed(2 * first, 0.0, size), ()),
        (CREATE_GRAPH, seen.graph, unnamed(first, off, size), ways),
    ):
        if behavior is ADDS and isinstance(other, str):
            yield refuses_a_second(other)
            continue
        if not isinstance(other, str | None) and not np.isfinite(first).all():
            other = np.where(np.isfinite(other), other, right.value)
        yield same_up_to_rounding(trial, behavior, seen.weights, other, right, rounded)
    yield from judge_written([seen.first, seen.signed])
    if seen.shares:
        yield Judged(Row("x.grad and v", "", "note", note="x.grad lies in the memory of v"))


def refuses_a_second(error: str) -> Judged:
    """Judge a backward that raises where another went through the same graph.

    It may, as one that frees what forward saved, but not where it writes into that.
    """
    if SPOILED not in error:
        return Judged(Row(ADDS.name, "", "not applicable", note=error))
    told = "a second backward through the same graph raises: it writes into what was saved"
    row = Row(ADDS.name, BACKWARD.name, "fails", note=error)
    return Judged(row, Finding(told, "wrong", ADDS.culprit))


def raises(what: str, error: Exception | str, where: str = "") -> Judged:
    """Judge a backward that raised, in the row of what was asked of it."""
    note = error if isinstance(error, str) else first_line(error)
    note += f": {where}" if where else ""
    row = Row(what, BACKWARD.name, "fails", note=note)
    return Judged(row, Finding(f"x.grad: backward raises {note}", "wrong", BACKWARD.culprit))


def judge_written(outcomes: Sequence[Outcome]) -> Iterator[Judged]:
    """Judge whether backward left its gradient argument alone, and `y`, which it may have saved."""
    yield _holds(V_UNCHANGED, not any(one.v_changed for one in outcomes))
    if any(one.y_changed for one in outcomes):
        yield _holds(Y_UNCHANGED, holds=False)


def judge_f(trial: Trial, outcomes: Sequence[Outcome], kept: Kept) -> Iterator[Judged]:
    """Judge `f` itself: does it repeat, and leave `x` and its own state alone?"""
    first, apart = trial.y_vector, np.zeros(1)
    for one in outcomes:
        if one.y is None or not all(trial.connected):
            continue
        again = values_or_nan(one.y, first.size)
        if not (first == again).all():
            far = distance(unnamed(again), unnamed(first), trial.relative)
            apart = np.maximum(apart, far)
    worst = int(np.argmax(apart))
    where = trial.y_name(worst) if apart[worst] > 1 else ""
    yield _holds(Y_REPEATABLE, not where, where)
    finite = np.isfinite(first)
    if not finite.all():
        at = int(np.argmin(finite))
        name, value = trial.y_name(at), first[at]
        finding = Finding(f"{name} is {value:g}: there is no derivative", "undecided")
        yield Judged(Row("y finite", "", "fails"), finding)
    yield _holds(X_UNCHANGED, not any(one.x_changed for one in outcomes))
    if (still := np.flatnonzero(~np.isfinite(trial.x_vector))).size:
        at, others = int(still[0]), f" (one of {still.size})" if still.size > 1 else ""
        told = f"{trial.x_name('x', at)} is {trial.x_vector[at]:g}{others}"
        note = f"{told}, and stays so however it is moved"
        yield Judged(Row("x finite", "", "note", note=note))
    for left_out, why in (
        ([trial.y_names[i] for i in trial.held], "declared to have no gradient"),
        (list(trial.outputs.left_out), "not of a floating dtype"),
    ):
        if left_out:
            note = f"{', '.join(left_out)}: {why}"
            yield Judged(Row("not compared", "", "note", note=note))
    if kept.changed:
        names = ", ".join(kept.changed)
        yield Judged(Row("state of f", "f", "note", note=f"f changed {names}; put back"))
    if trial.relative > min(RELATIVE.values()):
        note = f"f works in {trial.precision}: compared to {trial.relative:g}, relative"
        yield Judged(Row("precision", "", "note", note=note))


def _holds(
    behavior: Behavior, holds: bool, where: str = "", error: float | None = None, told: str = ""
) -> Judged:
    if holds:
        return Judged(Row(behavior.name, "", "holds", error))
    text = f"{where}: {behavior.complaint}" if where else behavior.complaint
    finding = Finding(text + told, "wrong", behavior.culprit)
    return Judged(Row(behavior.name, "", "fails", error), finding, behavior.explains_all)


def gradient_left(trial: Trial, outcome: Outcome) -> Array | None:
    """Return `x.grad` as a vector, zeros where `y` is not connected; None where backward raised."""
    return None if failure(outcome) else trial.gradient(outcome.grad)


def differ(a: Witness, b: Witness, trial: Trial) -> bool:
    """Return whether two values differ anywhere."""
    return bool((distance(a, b, trial.relative) > 1).any())


def same_as(
    trial: Trial, behavior: Behavior, other: Array | str | None, expected: Witness
) -> Judged:
    """Judge a gradient that should be the same, or the reason why there is none."""
    if other is None or isinstance(other, str):
        row = Row(behavior.name, "", "not applicable", note=other or "backward raised")
        return Judged(row)
    apart = distance(unnamed(other), expected, trial.relative)
    worst = float(apart.max(initial=0))
    if worst <= 1:
        return _holds(behavior, True, error=worst)
    at = int(np.argmax(apart))
    pair = (float(other[at]), float(expected.value[at]))
    came, due = numbers(pair, apart=pair)
    told = f": {came} in place of {due}"
    return _holds(behavior, False, trial.x_name("x.grad", at), worst, told)


def same_up_to_rounding(
    trial: Trial,
    behavior: Behavior,
    v: Array,
    came: Array | str | None,
    right: Witness,
    ways: Sequence[Callable[[Trial, Array], Array]] = (Trial.vjp,),
    times: int = 1,
) -> Judged:
    """Judge a gradient of the same `v`, which `times` passes left; rounding is measured at need."""
    judged = same_as(trial, behavior, came, right)
    if judged.finding is None or isinstance(came, str | None):
        return judged
    rounding = rounding_between(trial, v, unnamed(came), right, ways, times)
    right = replace(right, error=right.error + rounding)
    judged = same_as(trial, behavior, came, right)
    gap = np.where(distance(unnamed(came), right, trial.relative) > 1, abs(came - right.value), 0)
    if judged.finding and only_rounding(trial, v, right.value, gap / times):
        told = judged.finding.text
        return Judged(judged.row, may_round(told, trial.inside))
    return judged


def unchecked(
    trial: Trial, kept: Kept, question: str, beside: Iterable[str] = ()
) -> tuple[list[Row], list[Finding]]:
    """Say what nobody looked at: a J without entries, or leaves that `f` reaches beside `x`.

    These are named in a row, and in a finding on how to check them; `beside` are the arguments that
    plain functions came as.
    """
    leaves, found = kept.reached(trial.others), []
    if not all(trial.size):
        name, remedy = ("y", "of which y has some") if trial.size[1] else ("x", "with elements")
        told = f"J has no entries, as {name} has no elements: nothing was compared"
        found.append(Finding(f"{told}; hand in an x {remedy}", "undecided"))
    for of_f, group in groupby(leaves, key=lambda leaf: (leaf.own, bool(leaf.module))):
        these = list(group)
        told = f"not checked, since x does not hold them: {_listed(these)}"
        found.append(Finding(f"{told}; {_remedy(these, *of_f, question, beside)}", "undecided"))
    rows = [Row("not checked", "", "note", note=_listed(leaves))] if leaves else []
    return rows, found


def _remedy(
    leaves: Sequence[Leaf], own: bool, of_modules: bool, question: str, beside: Iterable[str]
) -> str:
    """Say how to check such leaves of the same `f`: where it calls modules, lines to be pasted."""
    plain = "plain modules" if beside else "the plain module"
    plain += " (no script, no DistributedDataParallel)"
    if beside and of_modules:
        which = " and ".join(["f", *(f"{name}=" for name in beside)])
        same = "whose parameters have the same names and shapes"
        return f"to check them too, hand in {plain} as {which}, {same}, or make them arguments"
    if own:  # J by hand is of x alone
        told = f"to check them too, hand in {plain}, without J by hand"
        return f"{told}, or make them arguments of f"
    if not of_modules:
        return "make them arguments of f and parts of x, or detach() constants"
    # a module of these, whose call is f: functional_call of one would call that in place of f
    modules = ", ".join(dict.fromkeys(leaf.module for leaf in leaves))
    lines = f"net = torch.nn.ModuleList([{modules}]); net.forward = f; vtj.{question}(net, x)"
    return f"to check them too: {lines}"


def _listed(leaves: Sequence[Leaf]) -> str:
    told = [f"{leaf.name or 'a tensor'} {tuple(leaf.tensor.shape)}" for leaf in leaves[:NAMED]]
    more = [f"{len(leaves) - NAMED} more"] if len(leaves) > NAMED else []
    return ", ".join(told + more)
