"""The verdict in a constant number of passes, for any size."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.state import state_kept
from vtj.calling.tensors import Function, Tensors
from vtj.oracle.behavior import Judged, judge_f, judge_v, raises
from vtj.oracle.findings import Finding, overall
from vtj.oracle.judging import once_differentiable_report
from vtj.oracle.locating import locate
from vtj.oracle.operators import operator
from vtj.oracle.pairs import (
    LEAST,
    MOST,
    Pair,
    Probes,
    backward_raised,
    pairs,
    probe,
    reexamined_pair,
    with_forward_pass,
)
from vtj.oracle.passes import Counted, Passes
from vtj.oracle.reexamination import possibly_detached
from vtj.oracle.trial import Trial, first_run
from vtj.oracle.voting import Array, Mask
from vtj.outcome import Outcome
from vtj.report import Report, Result, Row


def certify(
    f: Function,
    x: Tensors,
    J: Any = None,  # noqa: N803 - J is the term
    *,
    probes: int = 2,
    seed: int = 0,
) -> Report:
    """Give the verdict of `check` in a number of passes that does not grow with `x` or `y`.

    With a J by hand, vᵀ·J is compared with `x.grad`, element by element, for random `v`, and J·u
    with differences along a random `u`. Without one, the number ⟨x.grad, u⟩ is compared with
    ⟨v, J·u⟩ by differences, or by a forward pass where differences are too rough. Only when
    something differs are further passes spent, to find the entry and who is at fault.

    Args:
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor, or a tuple of tensors, of a floating dtype; DTensors too.
        J: J by hand, of shape ``(*y.shape, *x.shape)``, or anything of shape
            ``(y.numel(), x.numel())`` with ``v @ J`` and ``J @ u``: an array, a sparse array or
            tensor, an operator.
        probes: How many random `v`; there is one random `u`.
        seed: Fixes them, and what `f` draws itself.

    Returns:
        A `Report`. Its row ``power`` says how small an error in a single entry would have shown.

    Raises:
        TypeError: When `x` or `y` is not of a floating dtype or `f` returns no tensor.
        ValueError: When `J` has the wrong shape, naming both, or `probes` is less than 1.

    Example:
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> certify(lambda x: 3 * x**2, x, np.diag([6.0, 12.0])).verdict
        'correct'
        >>> certify(lambda x: x**2, x, np.diag([2.0, 5.0])).findings[0]
        'dy[1]/dx[1]: by hand 5, backward 4, forward 4, numeric 4: the hand-derived J is wrong'
    """
    if probes < 1:
        raise ValueError(f"probes is {probes}; expected at least 1")
    counted = Counted(repeatable(f, seed))
    with np.errstate(all="ignore"), random_state_kept(), state_kept(f) as kept:
        trial, run = first_run(counted, x)
        if trial.once_differentiable:
            return once_differentiable_report(trial)
        by_hand = None if J is None else operator(trial, J)
        passes = Passes(trial)
        asked = probe(passes, run, by_hand, probes, seed)
        raised = _raised(asked.outcomes)
        paired = list(pairs(asked, trial.relative))
        if any(pair.too_rough for pair in paired):
            asked = with_forward_pass(passes, asked)
            paired = list(pairs(asked, trial.relative))
        compared = [reexamined_pair(pair, passes, asked, by_hand, seed) for pair in paired]
        if asked.forward is None and any(pair.too_rough for pair in compared):
            asked = with_forward_pass(passes, asked)
            paired = list(pairs(asked, trial.relative))
            compared = [reexamined_pair(pair, passes, asked, by_hand, seed) for pair in paired]
        if _hidden(trial, asked).any():
            asked = replace(asked, differences=passes.differences(asked.u, robust=True))
            paired = list(pairs(asked, trial.relative))
            compared = [reexamined_pair(pair, passes, asked, by_hand, seed) for pair in paired]
        calls = counted.calls
        behavior = [judge_v(asked.outcomes), *judge_f(trial, asked.outcomes, kept)]
        found = [one.finding for one in (*behavior, *raised) if one.finding]
        if not found and asked.differences is None:
            found = _not_numbers(trial, asked.grads)
        bad = [pair for pair in compared if pair.differs]
        if bad and not found:
            found.append(locate(passes, asked, bad, by_hand))
    rough = next((pair.what for pair in compared if pair.too_rough), None)
    if rough is not None and not found:
        found.append(Finding(f"{rough}: the differences are too rough to tell", "undecided"))
    hidden = _hidden(trial, asked)
    if not found and hidden.any():
        name = trial.y_name(int(np.argmax(hidden)))
        what = "the differences are too rough to tell: a detached path would not show"
        found.append(Finding(f"{name}: {what}", "undecided"))
    verdict, culprit = overall(found)
    dtype = str(trial.dtype).removeprefix("torch.")
    return Report(
        title=f"J {trial.shape} in {dtype}, {probes} probes, {calls} calls of f",
        rows=(
            *_rows(compared),
            *(one.row for one in (*raised, *behavior)),
            *_power(compared, asked),
        ),
        verdict=verdict,
        culprit=culprit,
        findings=tuple(one.text for one in found),
    )


def _hidden(trial: Trial, asked: Probes) -> Mask:
    """Say for which outputs autograd alone speaks."""
    if asked.forward is None or asked.differences is None:
        return np.zeros(trial.size[0], bool)
    return possibly_detached(trial, asked.forward.value, asked.differences, np.ones(1))


def _raised(outcomes: Sequence[Outcome]) -> list[Judged]:
    errors = [one.error for one in outcomes if one.error is not None and backward_raised(one)]
    return [raises("x.grad", error) for error in errors[:1]]


def _not_numbers(trial: Trial, grads: Array) -> list[Finding]:
    return [
        Finding(
            f"{trial.x_name('x.grad', int(at))} is {grads[probe, at]:g}: nothing to compare",
            "undecided",
        )
        for probe, at in np.argwhere(~np.isfinite(grads))[:1]
    ]


def _together(compared: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Give the pairs of all probes, by what they compare."""
    together: dict[str, list[Pair]] = {}
    for pair in compared:
        together.setdefault(pair.what, []).append(pair)
    return together


def _rows(compared: Sequence[Pair]) -> list[Row]:
    rows = []
    for what, same in _together(compared).items():
        result: Result = "differs" if any(pair.differs for pair in same) else "agrees"
        rows.append(Row(what, same[0].b.family, result, max(pair.worst for pair in same)))
    return rows


def _power(compared: Sequence[Pair], asked: Probes) -> list[Row]:
    """Say how large an error in a single entry is seen for sure, by the smallest random weight."""
    u = abs(asked.u).min(initial=MOST)
    weight = {"x": LEAST, "y": u, "number": LEAST * u}
    told = []
    for what, same in _together(compared).items():
        seen = min(float(pair.allowed.max(initial=0)) for pair in same) / weight[same[0].side]
        if np.isfinite(seen):
            told.append(f"{seen:.1g} ({what})")
    note = f"a single entry that is off by more than this is seen: {', '.join(told)}"
    return [Row("power", "", "note", note=note)] if told else []
