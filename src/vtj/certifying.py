"""The verdict in a constant number of passes, for any size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import torch

from vtj.calling import without_trace
from vtj.calling.arguments import arguments
from vtj.calling.clock import OutOfTime, timed
from vtj.calling.tensors import Function
from vtj.oracle.alone import judge_alone
from vtj.oracle.behavior import Judged, drawn, judge_f, judge_v, raises
from vtj.oracle.beside import functions_beside, report_beside
from vtj.oracle.findings import Finding, overall
from vtj.oracle.judging import once_differentiable_report
from vtj.oracle.locating import Accused, accuse
from vtj.oracle.operators import Operator, operator
from vtj.oracle.pairs import (
    Pair,
    Probes,
    backward_raised,
    over_wide_steps,
    pairs,
    probe,
    with_forward_pass,
)
from vtj.oracle.passes import Passes
from vtj.oracle.reexamination import possibly_detached
from vtj.oracle.rounding import negligible_slopes
from vtj.oracle.trial import Trial, first_run
from vtj.oracle.unchecked import unchecked
from vtj.oracle.voting import Mask
from vtj.outcome import Outcome
from vtj.report import Report, Result, Row

# *Correct* needs a power this small against the largest element of x.grad. In float32, a
# TransformerEncoderLayer(16, 2, 32) has gradients of about 1, and only an error of 60 would show.
ENOUGH = 1e-3


def certify(
    f: Function,
    x: Any,
    J: Any = None,  # noqa: N803 - J is the term
    *,
    kwargs: Mapping[str, Any] | None = None,
    reference: Function | None = None,
    surrogate: Function | None = None,
    relative: float | None = None,
    probes: int = 2,
    seconds: float | None = None,
    seed: int = 0,
) -> Report:
    """Return the verdict of `check` in a number of passes that does not grow with `x` or `y`.

    With a J by hand, vᵀ·J is compared with `x.grad`, element by element, for random `v`, and J·u
    with differences along a random `u`. Without one, the number ⟨x.grad, u⟩ is compared with
    ⟨v, J·u⟩ by differences, or by a forward pass where differences are too rough. Only when
    something differs are further passes spent, to find the entry and who is at fault.

    Args:
        f: Called as `check` does; a module is looked at together with its parameters.
        x: A tensor of a floating dtype, or a tuple, list or dict of them, as `check` takes it;
            DTensors too. What else stands there is given on as it is.
        J: J by hand, of shape ``(*y.shape, *x.shape)``, or anything of shape
            ``(y.numel(), x.numel())`` with ``v @ J`` and ``J @ u``: an array, a sparse array or
            tensor, an operator.
        kwargs: Keyword arguments of `f`; see `check`.
        reference: A plain function of what `f` computes, in float64; see `check`, which gives the
            same report then.
        surrogate: A plain function whose gradient `x.grad` is meant to be; see `check`.
        relative: How far values may lie apart, relative to each; that of the dtype when omitted.
            Where x.grad is another by more than rounding, `check` looks at each entry, unless J
            has more than 10,000.
        probes: How many random `v`; there is one random `u`.
        seconds: After how many no more call of `f` begins; see `check`.
        seed: Fixes them, and what `f` draws itself.

    Returns:
        A `Report`. Its row ``power`` says how small an error in a single entry would have shown;
        it is true only where that is small beside the largest element of `x.grad`.

    Raises:
        TypeError: When `x` or `y` is not of a floating dtype or `f` returns no tensor.
        ValueError: When `J` has the wrong shape, naming both, or is given beside a reference, or
            `probes` is less than 1.

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
    plain = functions_beside(reference, surrogate, relative)
    if plain and J is not None:
        raise ValueError(f"J came beside {' and '.join(plain)}; expected one or the other")
    given = arguments(f, x, kwargs, with_weights=J is None and not plain)
    plain = {name: given.given_to_another(g) for name, g in plain.items()}
    with (
        without_trace(f, seed, given) as (repeated, kept),
        timed(repeated, seconds, "certify") as clock,
    ):
        try:
            trial, run = first_run(
                clock, given.x, given=given, relative=relative, as_given=bool(plain)
            )
            if trial.once_differentiable:
                return once_differentiable_report(trial)
            if plain:
                return report_beside(trial, kept, drawn(trial, seed), plain, seed)
            by_hand = None if J is None else operator(trial, J)
            passes = Passes(trial)
            asked = probe(passes, run, by_hand, probes, seed)
            watched = asked.watched
            behavior = [judge_v(asked.outcomes), *judge_f(trial, asked.outcomes, kept)]
            raised = _raised(asked.outcomes)
            found = [one.finding for one in (*behavior, *raised) if one.finding]
            if not found:
                found = _not_numbers(trial, asked)
            accused = Accused(list(pairs(asked, trial)))
            if not found:
                asked, accused = _examined(passes, asked, by_hand, seed)
            calls = clock.calls
            if accused.finding:
                if trial.stated and accused.finding.verdict != "wrong" and by_hand is None:
                    from vtj.checking import MOST_ENTRIES, check

                    if prod(trial.size) <= MOST_ENTRIES:
                        return check(
                            f,
                            x,
                            kwargs=kwargs,
                            relative=relative,
                            seconds=clock.remaining(),
                            seed=seed,
                        )
                found.append(accused.finding)
            alone: list[Judged] = []
            if not found:
                v, grad = np.where(trial.reached, asked.v[0], 0), asked.grads[0]
                # needs_input_grad is a custom Function's; a model has hundreds of inputs
                alone += judge_alone(trial, v, grad, abs(grad), seed, inputs=trial.custom)
                found += [one.finding for one in alone if one.finding]
            if not found:
                found += _hiding_places(trial, asked, accused.pairs)
            not_checked, open_questions = unchecked(trial, kept, "certify")
            found += open_questions
            second: list[Row] = []
            if watched is not None and not found:
                second += watched.rows(passes.reach(watched.u))
            verdict, culprit = overall(found)
            dtype = str(trial.dtype).removeprefix("torch.")
            return Report(
                title=f"J {trial.shape} in {dtype}, {probes} probes, {calls} calls of f",
                rows=(
                    *_rows(accused.pairs),
                    *accused.rows,
                    *(one.row for one in (*raised, *alone, *behavior)),
                    *second,
                    *not_checked,
                    *_power_row(accused.pairs),
                ),
                verdict=verdict,
                culprit=culprit,
                findings=tuple(one.text for one in found),
            )
        except OutOfTime:
            told = clock.left("a comparison, or the entry where it differs, was")
            return Report("not compared to the end", (), "undecided", None, (told,))


def _examined(
    passes: Passes, asked: Probes, by_hand: Operator | None, seed: int
) -> tuple[Probes, Accused]:
    """Return what was asked in the end, and who is at fault where it differs.

    More is asked where that is too weak to vouch for the gradient, or too rough for what may hide.
    """
    trial = passes.trial
    if _too_weak(trial, asked, list(pairs(asked, trial))):
        asked = with_forward_pass(passes, asked)
    accused = accuse(passes, asked, by_hand, seed)
    if accused.finding:
        return asked, accused
    if asked.forward is None and _too_weak(trial, asked, accused.pairs):
        asked = with_forward_pass(passes, asked)
        accused = accuse(passes, asked, by_hand, seed)
    hidden_rounding = trial.dtype == torch.float64 and asked.forward is None
    if not accused.finding and hidden_rounding and _too_weak(trial, asked, accused.pairs):
        wide, of_wide = over_wide_steps(passes, asked)
        found = accuse(wide, of_wide, by_hand, seed)
        if found.finding is None or found.finding.verdict == "wrong":  # else kinks lie on the way
            asked, accused = of_wide, found
    if not accused.finding and _hidden(trial, asked).any():
        asked = replace(asked, differences=passes.differences(asked.u, robust=True))
        accused = accuse(passes, asked, by_hand, seed)
    return asked, accused


def _hiding_places(trial: Trial, asked: Probes, compared: Sequence[Pair]) -> Iterator[Finding]:
    """Yield what could hide a mistake although nothing differs."""
    hidden = _hidden(trial, asked)
    weak = _too_weak(trial, asked, compared)
    if weak and not _flat(trial, asked):
        yield Finding(weak, "undecided")
    elif hidden.any():
        name = trial.y_name(int(np.argmax(hidden)))
        what = "the differences are too rough to tell: a detached path would not show"
        yield Finding(f"{name}: {what}", "undecided")


def _too_weak(trial: Trial, asked: Probes, compared: Sequence[Pair]) -> str:
    """Return why even the best comparison cannot vouch for the gradient; empty where it can."""
    powers = _powers([pair for pair in compared if pair.side != "y"])  # those that see x.grad
    if not powers:
        return ""
    what, power = min(powers, key=lambda one: one[1])
    largest = float(abs(asked.grads).max(initial=0))
    stated = 0.0 if asked.by_hand is None else trial.stated or 0.0
    if power <= max(ENOUGH, 2 * stated) * largest:
        return ""
    told = f"{what}: an error of {power:.1g} in an entry of J would not show"
    told += f", and no element of x.grad is larger than {largest:.1g}"
    if trial.dtype == torch.float64:
        return f"{told}: the differences are too rough to tell"
    dtype = str(trial.dtype).removeprefix("torch.")
    return f"{told}: f works in {dtype}; try float64 (of a module: hand in itself, or f.double())"


def _flat(trial: Trial, asked: Probes) -> bool:
    """Whether `y` has no slope but for rounding, as the sum of a softmax: its gradient is zero."""
    negligible = negligible_slopes(trial, (abs(asked.v) @ abs(trial.y_vector))[:, None])
    return bool((abs(asked.grads) <= negligible).all())


def _hidden(trial: Trial, asked: Probes) -> Mask:
    """Which outputs autograd alone speaks for."""
    if asked.forward is None or asked.differences is None:
        return np.zeros(trial.size[0], bool)
    return possibly_detached(trial, asked.forward.value, asked.differences, np.ones(1))


def _raised(outcomes: Sequence[Outcome]) -> list[Judged]:
    errors = [one.error for one in outcomes if one.error is not None and backward_raised(one)]
    return [raises("x.grad", error) for error in errors[:1]]


def _not_numbers(trial: Trial, asked: Probes) -> list[Finding]:
    """Return the first number that is none: of `x`, which no step leads away from, or `x.grad`."""
    return [
        Finding(f"{trial.x_name(name, int(at))} is {row[at]:g}: nothing to compare", "undecided")
        for name, row in [("x", asked.u), *(("x.grad", grad) for grad in asked.grads)]
        for at in np.flatnonzero(~np.isfinite(row))
    ][:1]


def _together(compared: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pairs of all probes, those together that compare the same kind of value."""
    return [
        [pair for pair in compared if pair.side == side]
        for side in dict.fromkeys(pair.side for pair in compared)
    ]


def _rows(compared: Sequence[Pair]) -> list[Row]:
    rows = []
    for same in _together(compared):
        result: Result = "differs" if any(pair.differs for pair in same) else "agrees"
        rows.append(Row(same[0].what, same[0].b.family, result, max(pair.worst for pair in same)))
    return rows


def _powers(compared: Sequence[Pair]) -> list[tuple[str, float]]:
    """Return what is compared, and how large an error in a single entry of J is seen by it."""
    return [(same[0].what, min(pair.power for pair in same)) for same in _together(compared)]


def _power_row(compared: Sequence[Pair]) -> list[Row]:
    powers = _powers(compared)
    told = [f"{power:.1g} ({what})" for what, power in powers if np.isfinite(power)]
    note = f"a single entry that is off by more than this is seen: {', '.join(told)}"
    return [Row("power", "", "note", note=note)] if told else []
