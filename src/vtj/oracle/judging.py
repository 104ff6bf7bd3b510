"""J entry by entry: engines are asked, backward is watched; who is wrong, where, and how."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtj.calling.state import Kept
from vtj.calling.tensors import Tensors
from vtj.calling.waiting import BackwardFailed
from vtj.engines import BACKWARD, ENGINES, NUMERIC, Family
from vtj.oracle.accusing import accused
from vtj.oracle.behavior import (
    LINEAR,
    Judged,
    Observed,
    differ,
    drawn,
    gradient_left,
    judge_f,
    judge_passes,
    observe,
    raises,
    rounding_between,
    unchecked,
)
from vtj.oracle.causes import beside_v
from vtj.oracle.doubts import open_question, settle
from vtj.oracle.findings import (
    Finding,
    accusation,
    cancelled,
    concluded,
    may_round,
    overall,
    said,
)
from vtj.oracle.further import judge_further, right_alone
from vtj.oracle.own_dtype import in_own_dtype
from vtj.oracle.passes import Passes
from vtj.oracle.patterns import NOT_LINEAR, TOGETHER, explained, pattern
from vtj.oracle.question import Question
from vtj.oracle.reexamination import DOUBTS
from vtj.oracle.rounding import lost_in_rows, only_rounding
from vtj.oracle.tolerance import VISIBLE, most_rounding
from vtj.oracle.trial import Trial
from vtj.oracle.twice import twice
from vtj.oracle.voting import Array, Mask, Witness, distance, product, unnamed
from vtj.oracle.witnesses import Answers, ask_engines, failure
from vtj.outcome import Outcome
from vtj.report import Report, Row, Verdict

MOST_ENTRIES = 10_000  # beyond, directions decide unless engines are asked for by name
DEFAULT = tuple(name for name, one in ENGINES.items() if one.default)
SPLIT = "f has another derivative under torch.func's vmap"


@dataclass(frozen=True)
class Evidence:
    """The values behind a report, for `vtj.compare`."""

    trial: Trial  # `f` as it was run
    grad: tuple[Witness, ...]  # what `x.grad` was, and vᵀ·J by each other family
    jacobian: tuple[Witness, ...]  # J as a matrix, by each family
    v: Array  # the gradient argument as a vector
    of_x: Verdict  # of x.grad alone, whatever else `f` reaches


def gradient_argument(question: Question) -> Tensors | None:
    """Return the gradient argument where none is given: none for a scalar `y`, else drawn."""
    trial = question.trial
    return None if len(trial.y) == 1 and trial.size[0] == 1 else drawn(trial)


def entry_by_entry(
    question: Question,
    engines: Sequence[str],
    jacobian: Any,
    weights: Tensors | None,
    *,
    with_second_order: bool,
) -> Report:
    """Return the report on all entries of J, and on what backward does beyond them."""
    trial = question.trial
    answers = ask_engines(trial, engines, jacobian)
    if answers.late:
        return _of_what_was_asked(question, answers)
    if not answers.witnesses:
        finding = f"none of the engines asked applies: {', '.join(engines)}"
        return Report(trial.told, answers.rows, "undecided", None, (finding,))
    answers = settle(answers, DOUBTS)
    report = judge(answers, observe(trial, weights), question.kept)
    if not report or not with_second_order:
        return report
    further = (*_second_order(question, weights), *_in_own_dtype(report))
    return replace(report, rows=(*report.rows, *further))


def _second_order(question: Question, weights: Tensors | None) -> Iterator[Row]:
    """Yield a row where a custom Function's double backward is silently wrong."""
    trial, u = question.trial, question.trial.direction()
    if not trial.looked_into:
        return
    seen = twice(trial, question.run, trial.weighing(weights), u)
    if seen is not None:
        yield from seen.rows(Passes(trial).reach(u))


def _in_own_dtype(report: Report) -> Iterator[Row]:
    evidence = report.evidence
    assert isinstance(evidence, Evidence)
    grad, *_ = evidence.grad
    return in_own_dtype(evidence.trial, evidence.v, grad.value)


def _of_what_was_asked(question: Question, answers: Answers) -> Report:
    """Return the report where no time was left for some engines."""
    made = rows(answers) if answers.witnesses else []
    for name in answers.late:
        made.append(Row(name, ENGINES[name].family.name, "note", note="no time left"))
    what = f"the engines {', '.join(answers.late)}, and what backward does, were"
    told = question.clock.left(what)
    return Report(question.trial.told, tuple(made), "undecided", None, (told,))


def judge(answers: Answers, seen: Observed, kept: Kept) -> Report:
    """Return the report on one function at one point."""
    trial, result = answers.trial, answers.result
    speakers = list(answers.speakers.values())
    of_f = list(judge_f(trial, (seen.first, seen.again, seen.signed), kept))
    size = abs(seen.weights) @ abs(result.agreed.value)  # of what a gradient adds up
    of_backward = [
        _gradient(answers, "x.grad", seen.first, seen.weights, seen.random),
        _gradient(answers, LINEAR, seen.signed, seen.signed_weights, seen.random),
        *judge_passes(trial, seen, size),
    ]
    found = [one.finding for one in of_f if one.finding]
    if not any(one.culprit for one in found):
        found += [one.finding for one in of_backward if one.finding and one.explains_all]
        of_jacobian = findings(answers)
        compared = not failure(seen.first)
        # a backward that is another at every call has no J to find a mistake in
        explained = any(one.finding and one.explains_all for one in of_backward)
        found += [
            one
            for one in of_jacobian
            if (compared or one.verdict == "wrong")
            and not (explained and one.culprit in (None, BACKWARD.culprit))
        ]
    if not any(one.culprit in (NUMERIC.culprit, BACKWARD.culprit) for one in found):
        first = [one.finding for one in of_backward if one.finding]
        found += sorted(first, key=lambda one: one.verdict != "wrong")[:1]
    # what vmap makes of a backward that is wrong follows from that
    if trial.custom and not any(one.culprit == BACKWARD.culprit for one in found):
        found += [
            Finding(f"{told}: {SPLIT}", "wrong", ENGINES[name].family.culprit)
            for name, told in _splits(answers)
        ]
    grad = gradient_left(trial, seen.first)
    if grad is not None and not any(one.verdict == "wrong" for one in found):
        alone = list(judge_further(trial, seen.weights, unnamed(grad, 0.0, size)))
        of_backward += alone
        found = [one.finding for one in alone if one.finding] or found
    not_checked, open_questions = unchecked(trial, kept, "check")
    of_x, _ = overall(found)
    found += open_questions
    x_grad, *behavior = of_backward
    ways = "1 way" if len(speakers) == 1 else f"{len(speakers)} independent ways"
    found_in = f"found in {ways}" if all(trial.size) else "which has no entries"
    others = [product(one, seen.weights) for one in speakers if one.family != BACKWARD.name]
    mine = Witness("x.grad", BACKWARD.name, trial.gradient(seen.first.grad))
    return concluded(
        f"{trial.told} in {trial.precision}, {found_in}",
        (x_grad.row, *rows(answers), *(one.row for one in (*behavior, *of_f)), *not_checked),
        found,
        Evidence(trial, (mine, *others), tuple(speakers), seen.weights, of_x),
    )


def _gradient(
    answers: Answers, what: str, outcome: Outcome, weights: Array, random: bool
) -> Judged:
    """Judge what one backward left in `x.grad`."""
    if error := failure(outcome):
        return raises(what, error)
    trial, result = answers.trial, answers.result
    grad, right = unnamed(trial.gradient(outcome.grad)), product(result.agreed, weights)
    own = answers.speakers.get(BACKWARD.name)
    # what backward contradicted says of J explains a gradient
    contradicted = own is not None and result.against[BACKWARD.name].any()
    by_own = product(own, weights) if own is not None and contradicted else None
    rounding = np.zeros(trial.size[1])
    if not random and (by_own is None or differ(grad, by_own, trial)):
        rounding = rounding_between(trial, weights, grad, right)
    silent = ~np.isfinite(grad.value)
    mine = Witness(what, BACKWARD.name, grad.value, rounding, silent=silent)
    near = abs(mine.value - right.value) <= VISIBLE * np.max(right.size, initial=0)
    doubted = not random and own is not None and not contradicted and differ(mine, right, trial)
    if doubted and near.all():
        rows = lost_in_rows(trial, weights, result.agreed.value)
        right = replace(right, error=right.error + rows)
    apart = distance(mine, right, trial.relative)
    worst = float(apart.max(initial=0))
    held = outcome.grad if isinstance(outcome.grad, tuple) else (outcome.grad,)
    none = all(one is None for one in held)
    note = "x.grad is None: nothing leads from y to x" if none else ""
    row = Row(what, BACKWARD.name, "differs" if worst > 1 else "agrees", worst, note)
    if worst <= 1:
        return Judged(row)
    if own is None:
        named = pattern(mine.value, right.value, apart > 1, right.error, trial.inputs)
    elif by_own is not None and not differ(mine, by_own, trial):
        return Judged(row)
    else:
        named = TOGETHER if right_alone(trial, weights, right) else NOT_LINEAR
    at = int(np.argmax(apart))
    others = [product(one, weights) for one in answers.speakers.values() if one is not own]
    told = f"{trial.x_name('x.grad', at)}: {said([mine, *others], at)}"
    gap = np.where(apart > 1, abs(mine.value - right.value), 0)
    if named == NOT_LINEAR and not random and only_rounding(trial, weights, mine.value, gap):
        return Judged(row, may_round(told, trial.inside))
    return Judged(row, accusation(told, BACKWARD.conclusion, BACKWARD.culprit, named))


def backward_raises(failed: BackwardFailed) -> Report:
    """Return the report on a backward after whose error nothing more can be asked."""
    judged = raises("x.grad", failed.error)
    assert judged.finding is not None
    return concluded(failed.title, [judged.row], [judged.finding])


def rows(answers: Answers) -> list[Row]:
    """Return a row per witness, per engine that does not apply, and per kink."""
    trial, result = answers.trial, answers.result
    made = []
    odd = {} if trial.custom else dict(_splits(answers))
    for one in answers.witnesses:
        if one.name in odd:
            note = f"torch's own vmap rule is wrong: {odd[one.name]}"
            made.append(Row(one.name, one.family, "not applicable", note=note))
            continue
        worst = float(distance(one, result.agreed, trial.relative).max(initial=0))
        silent = np.broadcast_to(one.silent, one.value.shape)
        what = "too rough to tell" if one.family == NUMERIC.name else "nan"
        note = f"{what} at {silent.sum()} of {silent.size} entries" if silent.any() else ""
        made.append(Row(one.name, one.family, "differs" if worst > 1 else "agrees", worst, note))
    return [*made, *answers.rows, *_kinks(answers)]


def findings(answers: Answers) -> Iterator[Finding]:
    """Yield a finding per culprit, and one for what cannot be decided."""
    trial, result = answers.trial, answers.result
    for family, mask in answers.accused:
        yield _accusation(answers, family, mask)
    kinks = answers.cancelling_kinks
    if answers.slopes is not None and kinks is not None and kinks.any():
        at = int(np.argmax(kinks))
        chosen, slope = result.agreed.value.flat[at], answers.slopes.value.flat[at]
        told = cancelled(chosen, slope, abs(answers.slopes.jump.flat[at]) / 2)
        yield Finding(f"{trial.entry_name(at)}: {told}", "undecided")
    yield from open_question(answers, DOUBTS)


def _accusation(answers: Answers, family: Family, mask: Mask) -> Finding:
    trial, speakers, result = answers.trial, answers.speakers, answers.result
    outvoted, backward = speakers.get(family.name), speakers.get(BACKWARD.name)
    if family == NUMERIC and backward and (result.against[BACKWARD.name] & mask).any():
        outvoted = backward
    assert outvoted is not None
    apart = np.where(mask, distance(outvoted, result.agreed, trial.relative), 0)
    at = int(np.argmax(apart))
    told = f"{trial.entry_name(at)}: {said(list(speakers.values()), at)}"
    found = {name: one.value for name, one in speakers.items()}

    def remarks() -> tuple[str, str]:
        named = explained(family, found, result.agreed, mask, trial.inputs)
        return beside_v(trial, family, found, named)

    return accused(trial, told, family, outvoted.only(mask), result.agreed.only(mask), remarks)


def _splits(answers: Answers) -> Iterator[tuple[str, str]]:
    """Yield engines on vmap that contradict the one that speaks for their family, and where."""
    trial, result = answers.trial, answers.result
    for one in answers.witnesses:
        if one.name not in ENGINES or not ENGINES[one.name].vmap:
            continue
        first = answers.speakers[one.family]
        apart = distance(one, first, trial.relative)
        # what a sum may lose: else torch's vmap rule is called wrong in the report on a right gelu
        # of float32 (in tests/), and with a custom Function on the way its backward
        lost = 4 * trial.eps * abs(first.value).max(axis=0, initial=0)
        apart = np.where(abs(one.value - first.value) <= lost, 0, apart)
        if one is not first and (apart > 1).any() and not result.against[one.family].any():
            at = int(np.argmax(apart))
            a, b = float(first.value.flat[at]), float(one.value.flat[at])
            told = f"{trial.entry_name(at)}: {first.name} {a:.6g}, {one.name} {b:.6g}"
            yield one.name, told


def _kinks(answers: Answers) -> list[Row]:
    trial, result = answers.trial, answers.result
    if answers.slopes is None:
        return []
    value, _, jump = answers.slopes
    # a product of matrices in float32 had kinks in 7 of 8 draws, of a part of 1e-6 to 1e-4
    size = (abs(value) + abs(jump)).max(axis=1, initial=0, keepdims=True)
    made = []
    for at in np.flatnonzero(abs(jump) > most_rounding(trial.earned) * size):
        left, right = value.flat[at] - jump.flat[at] / 2, value.flat[at] + jump.flat[at] / 2
        slopes = f"slope {left:.6g} on the left, {right:.6g} on the right"
        chosen = f"torch chose {result.agreed.value.flat[at]:.6g}"
        # of a smooth function the sides may differ in digits that are rounding: the singular values
        # of a complex matrix had 10 such kinks
        if f"{left:.6g}" != f"{right:.6g}":
            made.append(Row(trial.entry_name(int(at)), "", "kink", note=f"{slopes}, {chosen}"))
    return made if len(made) <= 8 else [*made[:8], Row("", "", "kink", note=f"{len(made)} in all")]
