"""What the vote on J means: who is wrong, at which entry, and how."""

from collections.abc import Iterator, Mapping

import numpy as np

from vtj.engines import FAMILIES
from vtj.oracle.findings import CONCLUSIONS, Finding, said
from vtj.oracle.patterns import pattern
from vtj.oracle.trial import Trial
from vtj.oracle.unseen import autograd_alone
from vtj.oracle.voting import Array, Mask, Vote, Witness, distance, one_per_family
from vtj.oracle.witnesses import Heard
from vtj.report import Row

SMALL = 1e-8  # relative: some formulas in torch are only good to nine digits, as digamma's is
LAST_DIGITS = "a formula is good to these digits only, or a very small path is detached"
SPLIT = "f has another derivative under torch.func's vmap"
FAMILY = {"jacobian": "by hand", "backward": "backward", "forward": "forward", "f": "numeric"}


def rows(trial: Trial, heard: Heard, result: Vote) -> list[Row]:
    """Give a row per witness, per engine that does not apply, and per kink."""
    made = []
    odd = {} if trial.custom else dict(_splits(trial, heard, result))
    for one in heard.witnesses:
        if one.name in odd:
            note = f"torch's own vmap rule is wrong: {odd[one.name]}"
            made.append(Row(one.name, one.family, "not applicable", note=note))
            continue
        worst = float(distance(one, result.agreed, trial.relative).max(initial=0))
        silent = np.broadcast_to(one.silent, one.value.shape)
        what = "too rough to tell" if one.family == "numeric" else "nan"
        note = f"{what} at {silent.sum()} of {silent.size} entries" if silent.any() else ""
        made.append(Row(one.name, one.family, "differs" if worst > 1 else "agrees", worst, note))
    return [*made, *heard.rows, *_kinks(trial, heard, result)]


def findings(trial: Trial, heard: Heard, result: Vote) -> Iterator[Finding]:
    """Give a finding per culprit, and one for what cannot be decided."""
    speakers = one_per_family(heard.witnesses)
    accused = np.zeros_like(result.decided)
    for culprit, mask in culprits(result.against, trial.reached[:, None]).items():
        if mask.any():
            accused |= mask
            yield _accusation(trial, speakers, result, culprit, mask)
    if trial.custom:
        for name, told in _splits(trial, heard, result):
            yield Finding(f"{told}: {SPLIT}", "wrong", FAMILIES[name])
    if heard.slopes is not None and heard.hidden_kinks is not None and heard.hidden_kinks.any():
        at = int(np.argmax(heard.hidden_kinks))
        chosen, slope = result.agreed.value.flat[at], heard.slopes.value.flat[at]
        told = cancelled(chosen, slope, abs(heard.slopes.jump.flat[at]) / 2)
        yield Finding(f"{trial.entry_name(at)}: {told}", "undecided")
    for open_question, mask in (
        ("not a number, nothing to compare", _not_a_number(heard) & ~accused),
        ("nobody to decide between them", ~result.decided),
        ("no second family to compare with", (result.voices < 2) & ~accused),
        (
            "a detached path would not show",
            autograd_alone(trial, speakers, result.agreed.value) & ~accused,
        ),
    ):
        if mask.any():
            at = int(np.argmax(mask))
            told = said(list(speakers.values()), at)
            yield Finding(f"{trial.entry_name(at)}: {told}: {open_question}", "undecided")
            return


def cancelled(chosen: float, slope: float, reach: float) -> str:
    """Say that kinks inside `f` meet, so that torch's choice is not the slope.

    Example:
        >>> cancelled(0.0, 1.0, 1e-12)
        'torch chose 0 where the slope is 1: kinks inside f meet'
        >>> cancelled(2.0, 0.5, 0.5)
        'torch chose 2 where the slope goes from 0 to 1: kinks inside f meet'
    """
    ends = [slope - reach, slope + reach]
    low, high = (f"{0 if abs(end) < 1e-6 * reach else end:.6g}" for end in ends)
    there = f"is {slope:.6g}" if low == high else f"goes from {low} to {high}"
    return f"torch chose {chosen:.6g} where the slope {there}: kinks inside f meet"


def _not_a_number(heard: Heard) -> Mask:
    """Find entries where J by backward or by hand is nan; a forward pass may be, to no harm."""
    families = one_per_family(heard.witnesses)
    found = np.zeros_like(heard.witnesses[0].value, bool)
    for name in ("backward", "by hand"):
        if name in families:
            found |= np.isnan(families[name].value)
    return found


def culprits(against: Mapping[str, Mask], reached: Mask) -> dict[str, Mask]:
    """Say per culprit which entries speak against it.

    Where backward and forward err together, or the differences alone contradict, it is `f`:
    autograd sees something else than what `f` computes. So it is where backward sees no way at all,
    as under `no_grad`, which a forward pass does not heed.

    Args:
        against: Per family, the entries at which it differs from what is agreed.
        reached: Where autograd sees a way.

    Example:
        >>> against = {"backward": np.array([True, True]), "forward": np.array([True, False])}
        >>> {name: mask.tolist() for name, mask in culprits(against, np.ones(2, bool)).items()
        ...  if mask.any()}
        {'backward': [False, True], 'f': [True, False]}
    """
    none = np.zeros_like(next(iter(against.values())))
    by_hand, backward, forward, numeric, symbolic = (
        against.get(name, none)
        for name in ("by hand", "backward", "forward", "numeric", "symbolic")
    )
    both = backward & (forward | ~reached)
    return {
        "jacobian": by_hand,
        "backward": backward & ~both,
        "forward": forward & ~backward,
        "f": numeric | both,
        "symbolic": symbolic,
    }


def _accusation(
    trial: Trial, speakers: Mapping[str, Witness], result: Vote, culprit: str, mask: Mask
) -> Finding:
    family = FAMILY.get(culprit, culprit)
    accused = speakers[family]
    if culprit == "f" and "backward" in speakers and (result.against["backward"] & mask).any():
        accused = speakers["backward"]
    apart = np.where(mask, distance(accused, result.agreed, trial.relative), 0)
    at = int(np.argmax(apart))
    told = said(list(speakers.values()), at)
    if culprit in ("f", "forward") and small_gap(
        accused.value, result.agreed.value, mask, trial.relative
    ):
        return Finding(f"{trial.entry_name(at)}: {told}: {LAST_DIGITS}", "undecided")
    if culprit == "symbolic":
        return Finding(f"{trial.entry_name(at)}: {told}: the formula is wrong", "undecided")
    named = _named(trial, speakers, result, culprit, mask)
    others = int(mask.sum()) - 1
    count = f"{others + 1} of {mask.size} entries" if others else ""
    remark = ", ".join(part for part in (named, count) if part)
    text = f"{trial.entry_name(at)}: {told}: {CONCLUSIONS[culprit]}"
    return Finding(text + (f" ({remark})" if remark else ""), "wrong", culprit)


def small_gap(autograd: Array, numeric: Array, mask: Mask, relative: float) -> bool:
    """Say whether autograd and differences part only in digits no detached path would spare.

    Example:
        >>> small_gap(np.array([1.0 + 1e-10]), np.array([1.0]), np.array([True]), 1e-12)
        True
    """
    small = max(SMALL, min(100 * relative, 0.01))
    return bool((abs(autograd - numeric) <= small * abs(numeric))[mask].all())


def _named(
    trial: Trial, speakers: Mapping[str, Witness], result: Vote, culprit: str, mask: Mask
) -> str:
    if culprit != "f":
        wrong = speakers[FAMILY[culprit]].value
        return pattern(wrong, result.agreed.value, mask, result.agreed.error, trial.inputs)
    seen = [speakers[name] for name in ("backward", "forward") if name in speakers]
    if seen and all((one.value[mask] == 0).all() for one in seen):
        return "a detached path: zero where it should not be"
    return "a detached path" if "forward" in speakers else ""


def _splits(trial: Trial, heard: Heard, result: Vote) -> Iterator[tuple[str, str]]:
    """Find engines that contradict the one that speaks for their family, and say where."""
    speakers = one_per_family(heard.witnesses)
    for one in heard.witnesses:
        first = speakers[one.family]
        apart = distance(one, first, trial.relative)
        lost = 4 * trial.eps * abs(first.value).max(axis=0, initial=0)
        apart = np.where(abs(one.value - first.value) <= lost, 0, apart)
        if one is not first and (apart > 1).any() and not result.against[one.family].any():
            at = int(np.argmax(apart))
            a, b = float(first.value.flat[at]), float(one.value.flat[at])
            told = f"{trial.entry_name(at)}: {first.name} {a:.6g}, {one.name} {b:.6g}"
            yield one.name, told


def _kinks(trial: Trial, heard: Heard, result: Vote) -> list[Row]:
    if heard.slopes is None:
        return []
    value, _, jump = heard.slopes
    made = []
    for at in np.flatnonzero(jump):
        left, right = value.flat[at] - jump.flat[at] / 2, value.flat[at] + jump.flat[at] / 2
        slopes = f"slope {left:.6g} on the left, {right:.6g} on the right"
        chosen = f"torch chose {result.agreed.value.flat[at]:.6g}"
        made.append(Row(trial.entry_name(int(at)), "", "kink", note=f"{slopes}, {chosen}"))
    return made if len(made) <= 8 else [*made[:8], Row("", "", "kink", note=f"{len(made)} in all")]
