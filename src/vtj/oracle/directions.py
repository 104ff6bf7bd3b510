"""What `certify` doubts in values along random directions: is too little seen, is a path cut?"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import torch

from vtj.calling.clock import OutOfTime
from vtj.oracle.behavior import (
    CREATE_GRAPH,
    WITH_AND_WITHOUT,
    Judged,
    judge_f,
    judge_written,
    raises,
    refuses_a_second,
    same_up_to_rounding,
    unchecked,
)
from vtj.oracle.blind_spots import UNSEEN, possibly_detached
from vtj.oracle.doubts import Doubt, Remedy, open_question, settle
from vtj.oracle.findings import BESIDE, KINK, Finding, concluded
from vtj.oracle.further import judge_further
from vtj.oracle.judging import DEFAULT, MOST_ENTRIES, entry_by_entry, gradient_argument
from vtj.oracle.locating import DIFFERENT
from vtj.oracle.operators import operator
from vtj.oracle.own_dtype import in_own_dtype
from vtj.oracle.pairs import (
    Compared,
    Pair,
    Probes,
    at_first_sight,
    pairs,
    probe,
    with_forward_pass,
)
from vtj.oracle.passes import MANY, Passes
from vtj.oracle.question import Question
from vtj.oracle.reexamination import has_last_digits
from vtj.oracle.rounding import negligible_slopes
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Mask, unnamed
from vtj.oracle.witnesses import failure, first_line, jvp_fails
from vtj.report import Report, Result, Row


def _weak(case: Compared) -> bool:
    return not case.finding and _too_weak(case) != ""


def _detached(case: Compared) -> Mask:
    """Return which outputs autograd alone speaks for."""
    trial, asked = case.asked.trial, case.asked
    if case.finding or asked.forward is None or asked.differences is None:
        return np.zeros(trial.size[0], bool)
    return possibly_detached(trial, asked.forward.value, asked.differences, np.ones(1))


def _weak_without_a_forward_pass(case: Compared) -> bool:
    return case.asked.forward is None and _weak(case)


def _by_a_forward_pass(case: Compared) -> Compared:
    return at_first_sight(with_forward_pass(case.asked))


def _over_wide_steps(case: Compared) -> Compared:
    """Take steps over which a float32 inside a function of float64 counts less.

    The largest are as wide as `x`, and its small elements move no less than the mean.
    """
    asked, passes = case.asked, replace(case.asked.passes, even=True)
    if asked.trial.dtype != torch.float64:
        return case
    even = replace(asked, passes=passes, u=asked.u / asked.passes.scale * passes.scale)
    if asked.forward is None:
        mine = asked.grads @ even.u
        even = replace(even, differences=passes.with_care(even.u, asked.v, expected=mine))
    else:  # else large models are undecided: the smallest of their weights hardly move
        even = with_forward_pass(even)
    wide = settle(at_first_sight(even), (DIFFERENT,))
    found = wide.finding  # where it is none of a mistake, kinks lie on the way
    return wide if found is None or found.verdict == "wrong" else case


def _by_fitting(case: Compared) -> Compared:
    """Take many steps, over which the roundings of a float32 inside a custom Function even out."""
    asked = case.asked
    if asked.forward is not None or asked.by_hand is not None:
        return case
    fit = replace(asked, differences=asked.passes.fitted(asked.u, asked.v))
    fitted = settle(at_first_sight(fit), (DIFFERENT,))
    return case if fitted.finding else fitted  # a kink on the way is no mistake


def _with_all_care(case: Compared) -> Compared:
    differences = case.asked.passes.differences(case.asked.u, robust=True)
    return at_first_sight(replace(case.asked, differences=differences))


def _of_weakness(case: Compared, _: bool) -> Finding | None:
    """Say so, but of a `y` that has no slope but for rounding, as the sum of a softmax."""
    trial, asked = case.asked.trial, case.asked
    negligible = negligible_slopes(trial, (abs(asked.v) @ abs(trial.y_vector))[:, None])
    if (abs(asked.grads) <= negligible).all():
        return None
    kink = KINK * asked.passes.kinked(asked.u, asked.v[0])
    return Finding(_too_weak(case) + kink, "undecided")


def _of_detached(case: Compared, hidden: Mask) -> Finding:
    name = case.asked.trial.y_name(int(np.argmax(hidden)))
    told = f"{name}: the differences are too rough to tell: {UNSEEN}"
    return Finding(told, "undecided")


def _too_weak(case: Compared) -> str:
    """Say why nothing compared can vouch for the gradient; nothing where it can."""
    asked, trial = case.asked, case.asked.trial
    kinds = _kinds([pair for pair in case.pairs if pair.side != "y"])  # those that see x.grad
    if not kinds:
        return ""
    row, power = min(kinds, key=lambda one: one[1])
    largest = float(abs(asked.grads).max(initial=0))
    stated = 0.0 if asked.by_hand is None else trial.stated or 0.0
    if power <= max(VISIBLE, 2 * stated) * largest:
        return ""
    told = f"{row.what}: an error of {power:.1g} in an entry of J would not show"
    told += f", and no element of x.grad is larger than {largest:.1g}"
    if trial.dtype == torch.float64:
        return f"{told}: the differences are too rough to tell; {BESIDE}"
    told += f": f works in {trial.precision}"
    if trial.refused is not None:
        told += f", and raises in float64 {first_line(trial.refused)}"
        return f"{told}; {BESIDE}"
    return f"{told}; try float64 (of a module: hand in itself, or f.double()), or {BESIDE}"


FORWARD_PASS = Remedy("run a forward pass", _by_a_forward_pass, anew=True)
WIDE_STEPS = Remedy("take wider steps", _over_wide_steps, anew=True)
FIT = Remedy("fit a polynomial to many steps", _by_fitting, anew=True)
ALL_CARE = Remedy("measure the noise of f", _with_all_care, anew=True)
POWER = (
    Doubt("a small mistake would not show", _weak_without_a_forward_pass, (FORWARD_PASS,)),
    DIFFERENT,
    Doubt("a small mistake still would not show", _weak, (WIDE_STEPS, FIT), _of_weakness),
)
DOUBTS = (*POWER, Doubt(UNSEEN, _detached, (ALL_CARE,), _of_detached))


def along_directions(question: Question, J: Any, probes: int = 2) -> Report:  # noqa: N803
    """Return the report from a number of passes that does not grow with `x` or `y`."""
    trial, asked = question.trial, None
    try:
        by_hand = None if J is None else operator(trial, J)
        asked = probe(Passes(trial), question.run, by_hand, probes)
        return _judged(question, J, asked)
    except OutOfTime as late:
        return out_of_time(late, [] if asked is None else list(pairs(asked)))


def out_of_time(late: OutOfTime, compared: Sequence[Pair] = ()) -> Report:
    """Return the report where no time was left, with the rows of what was compared by then."""
    left = (
        "the entry where it differs" if any(pair.differs for pair in compared) else "a comparison"
    )
    told = late.clock.left(f"{left}, or a closer look, was" if compared else f"{left} was")
    kinds = _kinds(compared)
    rows = (*(row for row, _ in kinds), *_power_row(kinds))
    return Report("not compared to the end", rows, "undecided", None, (told,))


def _judged(question: Question, J: Any, asked: Probes) -> Report:  # noqa: N803
    trial, kept, clock, passes = question.trial, question.kept, question.clock, asked.passes
    watched = asked.watched
    behavior = [*judge_written(asked.outcomes), *judge_f(trial, asked.outcomes, kept)]
    raised = [raises("x.grad", error) for one in asked.outcomes if (error := failure(one))][:1]
    found = [one.finding for one in (*behavior, *raised) if one.finding]
    found = found or _not_numbers(trial, asked)
    case = at_first_sight(asked)
    if not found:
        case = settle(case, DOUBTS)
    calls = clock.calls
    if case.finding:
        if (
            J is None
            and (case.finding.verdict != "wrong" or has_last_digits(trial))
            and (told := _of_entries(question)) is not None
        ):
            return told
        found.append(case.finding)
    alone: list[Judged] = []
    if not found:
        v, grad = np.where(trial.reached, case.asked.v[0], 0), case.asked.grads[0]
        right = unnamed(grad, 0.0, abs(grad))
        # needs_input_grad is a custom Function's; a model has hundreds of inputs
        seen = case.asked.further
        alone += [refuses_a_second(first_line(asked.spent))] if asked.spent else []
        alone += judge_further(trial, v, right, inputs=trial.custom, seen=seen)
        if watched is not None:
            pair = (watched.grad, right)
            alone.append(same_up_to_rounding(trial, CREATE_GRAPH, v, *pair, WITH_AND_WITHOUT))
        found += [one.finding for one in alone if one.finding]
    if not found:
        found = open_question(case, DOUBTS)
        if found and J is None and (told := _of_entries(question)) is not None:
            return told
    not_checked, open_questions = unchecked(trial, kept, "certify")
    found += open_questions
    kinds = _kinds(case.pairs)
    second = [] if watched is None or found else watched.rows(passes.reach(watched.u))
    own = [] if found else in_own_dtype(trial, v, grad)
    return concluded(
        f"{trial.told} in {trial.precision}, {len(asked.v)} probes, {calls} calls of f",
        (
            *(row for row, _ in kinds),
            *jvp_fails(trial, asked.raised),
            *case.rows,
            *(one.row for one in (*raised, *alone, *behavior)),
            *second,
            *own,
            *not_checked,
            *_power_row(kinds),
        ),
        found,
    )


def _of_entries(question: Question) -> Report | None:
    """Return the report on what directions leave undecided, entry by entry, where that is cheap.

    It is None where the entries tell no more.
    """
    trial = question.trial
    few = bool(trial.stated) or trial.size[1] <= MANY
    if not few or prod(trial.size) > MOST_ENTRIES:
        return None
    weights = gradient_argument(question)
    report = entry_by_entry(question, DEFAULT, None, weights, with_second_order=True)
    return report if trial.stated or report.verdict != "undecided" else None


def _kinds(compared: Sequence[Pair]) -> list[tuple[Row, float]]:
    """Return a row for each kind of value that is compared, over all probes.

    With it goes how large an error in a single entry of J is seen by it.
    """
    found = []
    for side in dict.fromkeys(pair.side for pair in compared):
        same = [pair for pair in compared if pair.side == side]
        result: Result = "differs" if any(pair.differs for pair in same) else "agrees"
        row = Row(same[0].what, same[0].b.family, result, max(pair.worst for pair in same))
        found.append((row, min(pair.power for pair in same)))
    return found


def _not_numbers(trial: Trial, asked: Probes) -> list[Finding]:
    """Return the first number of `x.grad` that is none."""
    finite = np.isfinite(asked.grads)
    if finite.all():
        return []
    at = int(np.argmin(finite))
    told = f"{trial.x_name('x.grad', at % trial.size[1])} is {asked.grads.flat[at]:g}"
    return [Finding(f"{told}: nothing to compare", "undecided")]


def _power_row(kinds: Sequence[tuple[Row, float]]) -> list[Row]:
    told = [f"{power:.1g} ({row.what})" for row, power in kinds if np.isfinite(power)]
    note = f"a single entry that is off by more than this is seen: {', '.join(told)}"
    return [Row("power", "", "note", note=note)] if told else []
