"""What the backward passes mean: is `x.grad` vᵀ·J, whatever `v`, and however often?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vtj.calling.state import Kept
from vtj.calling.tensors import values
from vtj.oracle.behavior import Observed
from vtj.oracle.findings import CONCLUSIONS, Finding, said
from vtj.oracle.naming import numbers
from vtj.oracle.patterns import pattern
from vtj.oracle.tolerance import RELATIVE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Vote, Witness, distance, product, unnamed
from vtj.oracle.witnesses import first_line, gradient, raised_by_autograd
from vtj.outcome import Outcome
from vtj.report import Result, Row


@dataclass(frozen=True)
class Judged:
    """One row, and the finding that goes with it when it is bad."""

    row: Row
    finding: Finding | None = None


def judge_backward(
    trial: Trial, seen: Observed, result: Vote, speakers: Sequence[Witness]
) -> Iterator[Judged]:
    """Judge `x.grad` and everything else the backward passes did."""
    of_v, of_w = (
        (seen.first, seen.weights, seen.rounding[0]),
        (seen.signed, seen.signed_weights, seen.rounding[1]),
    )
    yield _gradient(trial, "x.grad", *of_v, result, speakers)
    yield _gradient(trial, "linear in v", *of_w, result, speakers)
    first = _grad(trial, seen.first)
    if first is None:
        return
    size = abs(seen.weights) @ abs(result.agreed.value)
    for what, other, complaint in (
        ("backward repeatable", _grad(trial, seen.again), "the backward is not repeatable"),
        ("a second backward adds", seen.twice, "a second backward adds something else"),
        ("under create_graph", seen.graph, "the backward is another under create_graph=True"),
    ):
        expected = 2 * first if what == "a second backward adds" else first
        if not isinstance(other, str | None) and not np.isfinite(first).all():
            other = np.where(np.isfinite(other), other, expected)
        rounding = seen.rounding[2] if other is seen.graph else np.zeros(trial.size[1])
        yield _same(trial, what, other, unnamed(expected, rounding, size), complaint)
    yield judge_v([seen.first, seen.signed])
    if seen.shares:
        yield Judged(Row("x.grad and v", "", "note", note="x.grad lies in the memory of v"))


def raises(what: str, error: Exception) -> Judged:
    """Judge a backward that raised, in the row of what was asked of it."""
    note = first_line(error)
    row = Row(what, "backward", "fails", note=note)
    return Judged(row, Finding(f"x.grad: backward raises {note}", "wrong", "backward"))


def judge_v(outcomes: Sequence[Outcome]) -> Judged:
    """Judge whether backward left its gradient argument alone."""
    return _holds(
        "v unchanged",
        not any(one.v_changed for one in outcomes),
        Finding("v: backward writes into v, its gradient argument", "wrong", "backward"),
    )


def judge_f(trial: Trial, outcomes: Sequence[Outcome], kept: Kept) -> Iterator[Judged]:
    """Judge `f` itself: does it repeat, and leave `x` and its own state alone?"""
    first, apart = values(trial.y), np.zeros(trial.size[0])
    for one in outcomes:
        if one.y is None or not all(trial.connected):
            continue
        again = values(one.y)
        if not np.array_equal(first, again):
            far = distance(unnamed(again), unnamed(first), trial.relative)
            apart = np.maximum(apart, far)
    if (apart > 1).any():
        name = trial.y_name(int(np.argmax(apart)))
        finding = Finding(f"{name}: f gives another value at every call", "wrong", "f")
        yield Judged(Row("y repeatable", "", "fails"), finding)
    else:
        yield Judged(Row("y repeatable", "", "holds"))
    finite = np.isfinite(first)
    if not finite.all():
        at = int(np.argmin(finite))
        name, value = trial.y_name(at), first[at]
        finding = Finding(f"{name} is {value:g}: there is no derivative", "undecided")
        yield Judged(Row("y finite", "", "fails"), finding)
    yield _holds(
        "x unchanged",
        not any(one.x_changed for one in outcomes),
        Finding("x: f writes into its input", "wrong", "f"),
    )
    if kept.changed:
        names = ", ".join(kept.changed)
        yield Judged(Row("state of f", "f", "note", note=f"f changed {names}; put back"))
    if trial.relative > RELATIVE[min(RELATIVE, key=lambda d: RELATIVE[d])]:
        dtype = str(trial.dtype).removeprefix("torch.")
        note = f"f works in {dtype}: compared to {trial.relative:g}, relative"
        yield Judged(Row("precision", "", "note", note=note))


def _holds(what: str, holds: bool, finding: Finding) -> Judged:
    return Judged(Row(what, "", "holds")) if holds else Judged(Row(what, "", "fails"), finding)


def _grad(trial: Trial, outcome: Outcome) -> Array | None:
    if raised_by_autograd(outcome.error):
        return np.zeros(trial.size[1])
    return None if outcome.error is not None else gradient(trial, outcome.grad)


def _gradient(
    trial: Trial,
    what: str,
    outcome: Outcome,
    weights: Array,
    rounding: Array,
    result: Vote,
    speakers: Sequence[Witness],
) -> Judged:
    grad = _grad(trial, outcome)
    if grad is None:
        assert outcome.error is not None
        return raises(what, outcome.error)
    mine = Witness(what, "backward", grad, rounding, silent=~np.isfinite(grad))
    right = product(result.agreed, weights)
    apart = distance(mine, right, trial.relative)
    worst = float(apart.max(initial=0))
    note = "x.grad is None: nothing leads from y to x" if _is_none(outcome) else ""
    outcome_word: Result = "differs" if worst > 1 else "agrees"
    row = Row(what, "backward", outcome_word, worst, note)
    if worst <= 1:
        return Judged(row)
    own = next((one for one in speakers if one.family == "backward"), None)
    if own is None:
        named = pattern(mine.value, right.value, apart > 1, right.error, trial.inputs)
    elif result.against["backward"].any() and _agree(mine, product(own, weights), trial):
        return Judged(row)  # what is said of J explains it
    else:
        named = "not linear in v"
    at = int(np.argmax(apart))
    others = [product(one, weights) for one in speakers if one.family != "backward"]
    told = f"{trial.x_name('x.grad', at)}: {said([mine, *others], at)}: {CONCLUSIONS['backward']}"
    return Judged(row, Finding(told + (f" ({named})" if named else ""), "wrong", "backward"))


def _agree(a: Witness, b: Witness, trial: Trial) -> bool:
    return not (distance(a, b, trial.relative) > 1).any()


def _is_none(outcome: Outcome) -> bool:
    grads = outcome.grad if isinstance(outcome.grad, tuple) else (outcome.grad,)
    return all(grad is None for grad in grads)


def _same(
    trial: Trial, what: str, other: Array | str | None, expected: Witness, complaint: str
) -> Judged:
    if other is None or isinstance(other, str):
        return Judged(Row(what, "", "not applicable", note=other or "backward raised"))
    apart = distance(unnamed(other), expected, trial.relative)
    worst = float(apart.max(initial=0))
    if worst <= 1:
        return Judged(Row(what, "", "holds", worst))
    at = int(np.argmax(apart))
    pair = (float(other[at]), float(expected.value[at]))
    came, due = numbers(pair, apart=pair)
    text = f"{trial.x_name('x.grad', at)}: {complaint}: {came} for {due}"
    return Judged(Row(what, "", "fails", worst), Finding(text, "wrong", "backward"))
