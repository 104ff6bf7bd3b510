"""The report on `f` beside a plain function that says what its value or its gradient should be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch

from vtj.calling.state import Kept
from vtj.calling.tensors import Function, Tensors
from vtj.engines import BACKWARD
from vtj.engines.numeric import SAFETY
from vtj.oracle.behavior import (
    LINEAR,
    Judged,
    gradient_left,
    judge_f,
    judge_passes,
    observe,
    raises,
    signed,
)
from vtj.oracle.findings import Finding, accusation, concluded
from vtj.oracle.further import judge_further
from vtj.oracle.naming import numbers
from vtj.oracle.patterns import pattern
from vtj.oracle.reference import Reference, earned, reference
from vtj.oracle.tolerance import VISIBLE, excess
from vtj.oracle.trial import Trial
from vtj.oracle.unchecked import unchecked
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import failure
from vtj.outcome import Outcome
from vtj.report import Report, Row

# How often the reference is run with roundings drawn at random: with 4 alone an element of a right
# bfloat16 attention is now and then called wrong.
FEW, MANY = 4, 16
# How large an error of a whole value must show before anything is correct, if more than `VISIBLE`:
# in units in the last place of f.
UNITS = 4


@dataclass(frozen=True)
class Beside:
    """One value of `f` beside the reference's."""

    right: Array
    allowed: Array  # how far each element may be off
    apart: Array  # how far it is, in units of that
    wholes: list[tuple[str, float, float]]  # per tensor: its name, which part of itself it is too
    # large by as a whole, and how much of that passes

    @property
    def worst(self) -> float:
        """The largest distance, of an element or of a whole."""
        wholes = (abs(by) / passes for _, by, passes in self.wholes)
        return max(float(self.apart.max(initial=0)), *wholes, 0.0)


def beside(mine: Array, place: int, of: Reference, names: Sequence[tuple[str, int]]) -> Beside:
    """Compare one value, element by element and each of its tensors as a whole.

    Roundings are lost in a whole: what all elements are off by shows there, where one alone may be.
    """
    of.draw(FEW)
    found = _beside(mine, place, of, names)
    if found.worst <= 1:
        return found
    of.draw(MANY)
    return _beside(mine, place, of, names)


def _beside(mine: Array, place: int, of: Reference, names: Sequence[tuple[str, int]]) -> Beside:
    right, relative, info = of.exact[place], earned(of.of), torch.finfo(of.of.dtype)
    moved = np.nan_to_num(np.stack([one[place] - right for one in of.drawn]))
    scale, wholes = abs(right), []
    stops = np.cumsum([size for _, size in names])[:-1]
    parts = [np.split(one, stops, axis=-1) for one in (mine, right, moved, scale)]
    for (name, _), came, due, drawn, sizes in zip(names, *parts, strict=True):
        square = float(due @ due)
        if 0 < square < np.inf and np.isfinite(came).all():
            passes = relative + SAFETY * float(abs(drawn @ due).max()) / square
            wholes.append((name, float((came - due) @ due) / square, passes))
            if of.of.stated:  # else no approximation would pass where it crosses zero
                np.maximum(sizes, np.sqrt(square / due.size), out=sizes)
    smallest = float(info.tiny * info.eps)  # what underflows is off by as much
    allowed = relative * scale + SAFETY * abs(moved).max(axis=0, initial=0) + smallest
    apart = np.where(abs(right) > info.max, 0.0, excess(mine, right, allowed))
    return Beside(right, allowed, apart, wholes)


def report_beside(
    trial: Trial,
    kept: Kept,
    v: Tensors | None,
    named: dict[str, Function],  # under ``reference`` what gives y, and x.grad if nothing else
    # does, under ``surrogate`` what gives x.grad
) -> Report:
    """Return the report on one function at one point, in the dtype that it was given."""
    weights = [trial.weighing(one) for one in (v, signed(trial))]
    for i in trial.held:
        start = sum(part.numel() for part in trial.y[:i])
        for one in weights:
            one[start : start + trial.y[i].numel()] = 0
    asked = {name: reference(name, g, trial, weights) for name, g in named.items()}
    seen = observe(trial, v, ())
    of_grad = asked.get("surrogate") or asked["reference"]
    stated = replace(trial, stated=earned(trial))
    judged = list(_values(trial, asked.get("reference"), of_grad, (seen.first, seen.signed)))
    # under create_graph silu's backward in bfloat16 is made of others, each of which rounds
    itself = beside(of_grad.exact[1], 1, of_grad, _inputs(trial))
    rounding = 2 * itself.allowed / SAFETY
    seen = replace(seen, rounding=(*seen.rounding[:2], rounding))
    judged += judge_passes(trial, seen, abs(of_grad.exact[1]))
    grad = gradient_left(trial, seen.first)
    if grad is not None:
        judged += judge_further(trial, seen.weights, grad, abs(of_grad.exact[1]))
    judged += judge_f(stated, (seen.first, seen.again, seen.signed), kept)
    found = [one.finding for one in judged if one.finding]
    found.sort(key=lambda one: not one.culprit)
    not_checked, open_questions = unchecked(trial, kept, "check")
    found += open_questions
    if not any(one.verdict == "wrong" for one in found):
        found += [one for of in asked.values() for one in of.doubts()]
    return concluded(
        f"J {trial.shape} in {trial.precision}, beside {' and '.join(named)} in float64",
        (*(one.row for one in judged), *not_checked),
        found,
    )


def _values(
    trial: Trial, of_y: Reference | None, of_grad: Reference, outcomes: Sequence[Outcome]
) -> Iterator[Judged]:
    """Judge `y` and `x.grad` beside what they should be, and say how small an error shows."""
    compared: list[Beside] = []
    if of_y is not None:
        names = _outputs(trial)
        compared.append(beside(trial.y_vector, 0, of_y, names))
        yield _judged(trial, "y", trial.y_vector, compared[-1], of_y.name)
    names = _inputs(trial)
    for place, (what, outcome) in enumerate(zip(("x.grad", LINEAR), outcomes, strict=True), 1):
        if error := failure(outcome):
            yield raises(what, error)
            return
        mine = trial.gradient(outcome.grad)
        compared.append(beside(mine, place, of_grad, names))
        judged = _judged(trial, what, mine, compared[-1], of_grad.name)
        # what is wrong for one v is wrong for the other: it is said once
        yield judged if place == 1 or compared[-2].worst <= 1 else Judged(judged.row)
    wholes = [whole for one in compared[:-1] for whole in one.wholes]
    if wholes:
        yield _power(trial, [(name, passes) for name, _, passes in wholes])


def _outputs(trial: Trial) -> list[tuple[str, int]]:
    return [(name, part.numel()) for name, part in zip(trial.y_names, trial.y, strict=True)]


def _inputs(trial: Trial) -> list[tuple[str, int]]:
    return [(name, part.numel()) for name, part in zip(trial.grad_names, trial.parts, strict=True)]


def _judged(trial: Trial, what: str, mine: Array, found: Beside, who: str) -> Judged:
    row = Row(what, who, "differs" if found.worst > 1 else "agrees", found.worst)
    if found.worst <= 1:
        return Judged(row)
    name: Callable[[int], str]
    if what == "y":
        culprit, conclusion, name = "f", "f gives another value", trial.y_name
    else:
        culprit, conclusion = BACKWARD.culprit, BACKWARD.conclusion
        name = partial(trial.x_name, "x.grad")
    differs = found.apart > 1
    if differs.any():
        at = int(np.argmax(found.apart))
        pair = float(mine[at]), float(found.right[at])
        came, due = numbers(pair, apart=pair)
        told = f"{name(at)}: {culprit} {came}, {who} {due}"
        inputs = trial.inputs if what != "y" else ()
        named = pattern(mine, found.right, differs, found.allowed / 4, inputs)
        count = f"{differs.sum()} of {differs.size} elements" if differs.size > 1 else ""
        return Judged(row, accusation(told, conclusion, culprit, named, count))
    where, by, _ = max(found.wholes, key=lambda whole: abs(whole[1]) / whole[2])
    told = f"{where}: as a whole {1 + by:.4g} times what {who} says"
    return Judged(row, accusation(told, conclusion, culprit))


def _power(trial: Trial, powers: Sequence[tuple[str, float]]) -> Judged:
    told = ", ".join(f"{name} {passes:.1g}" for name, passes in powers)
    row = Row(
        "power",
        "",
        "note",
        note=f"seen, if all elements are off by that part of themselves: {told}",
    )
    name, weakest = max(powers, key=lambda one: one[1])
    if weakest <= max(VISIBLE, UNITS * trial.eps, 2 * earned(trial)):
        return Judged(row)
    told = f"{name}: an error of {weakest:.1g} of it would not show: rounded to {trial.precision},"
    told += " the plain function is off by as much itself; try another x"
    return Judged(row, Finding(told, "undecided"))
