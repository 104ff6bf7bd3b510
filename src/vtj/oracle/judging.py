"""From what was said and seen to a report: who is wrong, at which entry, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from vtj.calling.state import Kept
from vtj.engines import BACKWARD, BY_HAND, ENGINES, FORWARD, NUMERIC, Family
from vtj.oracle.alone import judge_alone
from vtj.oracle.behavior import Observed, gradient_left, judge_backward, judge_f
from vtj.oracle.findings import (
    LAST_DIGITS,
    Finding,
    cancelled,
    culprits,
    differs_in_last_digits,
    overall,
    said,
)
from vtj.oracle.patterns import pattern
from vtj.oracle.reexamination import seen_by_autograd_alone
from vtj.oracle.trial import Trial
from vtj.oracle.unchecked import unchecked
from vtj.oracle.voting import Array, Mask, Vote, Witness, distance, product
from vtj.oracle.witnesses import Answers
from vtj.report import Report, Row, Verdict

ALONE = "nothing independent to compare with; a J by hand would be (jacobian=)"
SPLIT = "f has another derivative under torch.func's vmap"
RAISED_ONCE = (
    "RuntimeError: trying to differentiate twice a function that was marked with "
    "@once_differentiable"
)


@dataclass(frozen=True)
class Evidence:
    """The values behind a report, for `vtj.compare`."""

    trial: Trial  # `f` as it was run
    y: tuple[Witness, ...]  # what `f` gave
    grad: tuple[Witness, ...]  # what `x.grad` was, and vᵀ·J by each other family
    jacobian: tuple[Witness, ...]  # J as a matrix, by each family
    v: Array  # the gradient argument as a vector
    of_x: Verdict  # of x.grad alone, whatever else `f` reaches


def judge(
    trial: Trial, answers: Answers, seen: Observed, result: Vote, kept: Kept, seed: int
) -> Report:
    """Return the report on one function at one point."""
    speakers = list(answers.speakers.values())
    of_f = list(judge_f(trial, (seen.first, seen.again, seen.signed), kept))
    of_backward = list(judge_backward(trial, seen, result, speakers))
    found = [one.finding for one in of_f if one.finding]
    if not any(one.culprit for one in found):
        found += [one.finding for one in of_backward if one.finding and one.explains_all]
        of_jacobian = findings(trial, answers, result)
        raised = of_backward[0].raised
        found += [one for one in of_jacobian if not raised or one.verdict == "wrong"]
    if not any(one.culprit in (NUMERIC.culprit, BACKWARD.culprit) for one in found):
        found += [one.finding for one in of_backward if one.finding][:1]
    grad = gradient_left(trial, seen.first)
    if grad is not None and not any(one.verdict == "wrong" for one in found):
        size = abs(seen.weights) @ abs(result.agreed.value)
        alone = list(judge_alone(trial, seen.weights, grad, size, seed))
        of_backward += alone
        found = [one.finding for one in alone if one.finding] or found
    not_checked, open_questions = unchecked(trial, kept, "check")
    of_x, _ = overall(found)
    found += open_questions
    x_grad, *behavior = of_backward
    verdict, culprit = overall(found)
    dtype = str(trial.dtype).removeprefix("torch.")
    others = [product(one, seen.weights) for one in speakers if one.family != BACKWARD.name]
    mine = [Witness("x.grad", BACKWARD.name, trial.gradient(seen.first.grad))]
    return Report(
        title=f"J {trial.shape} in {dtype}, {len(speakers)} families",
        rows=(
            x_grad.row,
            *rows(trial, answers, result),
            *(one.row for one in behavior),
            *(one.row for one in of_f),
            *not_checked,
        ),
        verdict=verdict,
        culprit=culprit,
        findings=tuple(one.text for one in found),
        evidence=Evidence(
            trial=trial,
            y=(Witness("f", "f", trial.y_vector),),
            grad=tuple(mine + others),
            jacobian=tuple(speakers),
            v=seen.weights,
            of_x=of_x,
        ),
    )


def once_differentiable_report(trial: Trial) -> Report:
    """Return the report on a `y` that comes from a backward marked ``@once_differentiable``.

    ``y.backward()`` raises there. With `inputs=` torch gives zeros instead, which are no answer.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.once_differentiable.html
    """
    return Report(
        title=f"J {trial.shape}",
        rows=(Row("x.grad", BACKWARD.name, "fails", note=RAISED_ONCE),),
        verdict="wrong",
        culprit=BACKWARD.culprit,
        findings=(f"x.grad: backward raises {RAISED_ONCE}",),
    )


def rows(trial: Trial, answers: Answers, result: Vote) -> list[Row]:
    """Return a row per witness, per engine that does not apply, and per kink."""
    made = []
    odd = {} if trial.custom else dict(_torch_errs(trial, answers, result))
    for one in answers.witnesses:
        if one.name in odd:
            made.append(Row(one.name, one.family, "not applicable", note=odd[one.name]))
            continue
        worst = float(distance(one, result.agreed, trial.relative).max(initial=0))
        silent = np.broadcast_to(one.silent, one.value.shape)
        what = "too rough to tell" if one.family == NUMERIC.name else "nan"
        note = f"{what} at {silent.sum()} of {silent.size} entries" if silent.any() else ""
        made.append(Row(one.name, one.family, "differs" if worst > 1 else "agrees", worst, note))
    return [*made, *answers.rows, *_kinks(trial, answers, result)]


def findings(trial: Trial, answers: Answers, result: Vote) -> Iterator[Finding]:
    """Yield a finding per culprit, and one for what cannot be decided."""
    speakers = answers.speakers
    accused = np.zeros_like(result.decided)
    for family, mask in culprits(result.against, trial.reached[:, None]):
        if mask.any() and (family != FORWARD or trial.custom):
            accused |= mask
            yield _accusation(trial, speakers, result, family, mask)
    if trial.custom:
        for name, told in _splits(trial, answers, result):
            yield Finding(f"{told}: {SPLIT}", "wrong", ENGINES[name].family.culprit)
    kinks = answers.cancelling_kinks
    if answers.slopes is not None and kinks is not None and kinks.any():
        at = int(np.argmax(kinks))
        chosen, slope = result.agreed.value.flat[at], answers.slopes.value.flat[at]
        told = cancelled(chosen, slope, abs(answers.slopes.jump.flat[at]) / 2)
        yield Finding(f"{trial.entry_name(at)}: {told}", "undecided")
    for open_question, mask in (
        ("not a number, nothing to compare", _not_a_number(answers) & ~accused),
        ("nobody to decide between them", ~result.decided),
        (ALONE, (result.support < 2) & ~accused),
        (
            "a detached path would not show",
            seen_by_autograd_alone(trial, speakers, result.agreed.value) & ~accused,
        ),
    ):
        if mask.any():
            at = int(np.argmax(mask))
            told = said(list(speakers.values()), at)
            yield Finding(f"{trial.entry_name(at)}: {told}: {open_question}", "undecided")
            return


def _not_a_number(answers: Answers) -> Mask:
    """Return where J by backward or by hand is nan; of a forward pass it does no harm."""
    found = np.zeros_like(answers.witnesses[0].value, bool)
    for family in (BACKWARD, BY_HAND):
        if family.name in answers.speakers:
            found |= np.isnan(answers.speakers[family.name].value)
    return found


def _accusation(
    trial: Trial, speakers: Mapping[str, Witness], result: Vote, family: Family, mask: Mask
) -> Finding:
    accused = speakers.get(family.name)
    backward = speakers.get(BACKWARD.name)
    if family == NUMERIC and backward and (result.against[BACKWARD.name] & mask).any():
        accused = backward
    assert accused is not None
    apart = np.where(mask, distance(accused, result.agreed, trial.relative), 0)
    at = int(np.argmax(apart))
    entry = f"{trial.entry_name(at)}: {said(list(speakers.values()), at)}"
    if family in (NUMERIC, FORWARD) and differs_in_last_digits(
        accused.value, result.agreed.value, mask, trial.earned
    ):
        return Finding(f"{entry}: {LAST_DIGITS}", "undecided")
    if family.verdict == "undecided":
        return Finding(f"{entry}: {family.conclusion}", "undecided")
    others = int(mask.sum()) - 1
    count = f"{others + 1} of {mask.size} entries" if others else ""
    remark = ", ".join(
        part for part in (_named(trial, speakers, result, family, mask), count) if part
    )
    text = f"{entry}: {family.conclusion}"
    return Finding(text + (f" ({remark})" if remark else ""), "wrong", family.culprit)


def _named(
    trial: Trial, speakers: Mapping[str, Witness], result: Vote, family: Family, mask: Mask
) -> str:
    if family != NUMERIC:
        wrong = speakers[family.name].value
        return pattern(wrong, result.agreed.value, mask, result.agreed.error, trial.inputs)
    seen = [speakers[one.name] for one in (BACKWARD, FORWARD) if one.name in speakers]
    if seen and all((one.value[mask] == 0).all() for one in seen):
        return "a detached path: zero where it should not be"
    return "a detached path" if FORWARD.name in speakers else ""


def _torch_errs(trial: Trial, answers: Answers, result: Vote) -> Iterator[tuple[str, str]]:
    """Yield engines that err by torch's fault, where `f` has no custom Function, and how."""
    for name, told in _splits(trial, answers, result):
        yield name, f"torch's own vmap rule is wrong: {told}"
    mask = dict(culprits(result.against, trial.reached[:, None]))[FORWARD]
    if mask.any():
        at = int(np.argmax(mask))
        told = f"{trial.entry_name(at)}: {said(list(answers.speakers.values()), at)}"
        for one in answers.witnesses:
            if one.family == FORWARD.name:
                yield one.name, f"torch's own forward formula is wrong: {told}"


def _splits(trial: Trial, answers: Answers, result: Vote) -> Iterator[tuple[str, str]]:
    """Yield engines on vmap that contradict the one that speaks for their family, and where."""
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


def _kinks(trial: Trial, answers: Answers, result: Vote) -> list[Row]:
    if answers.slopes is None:
        return []
    value, _, jump = answers.slopes
    made = []
    for at in np.flatnonzero(jump):
        left, right = value.flat[at] - jump.flat[at] / 2, value.flat[at] + jump.flat[at] / 2
        slopes = f"slope {left:.6g} on the left, {right:.6g} on the right"
        chosen = f"torch chose {result.agreed.value.flat[at]:.6g}"
        made.append(Row(trial.entry_name(int(at)), "", "kink", note=f"{slopes}, {chosen}"))
    return made if len(made) <= 8 else [*made[:8], Row("", "", "kink", note=f"{len(made)} in all")]
