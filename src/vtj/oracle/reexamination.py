"""What `check` doubts in a vote over J: do the differences err, is it rounding, is a path cut?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from vtj.engines import BACKWARD, BY_HAND, ENGINES, FAMILIES, FORWARD, NUMERIC
from vtj.engines.numeric import SAFETY, Column, Slopes, estimate, first_step
from vtj.engines.reverse import jacobian as reverse
from vtj.oracle.blind_spots import (
    ROUNDED_AWAY,
    UNSEEN,
    cancelling_kinks,
    leaps_nearby,
    least_visible_slope,
    possibly_detached,
)
from vtj.oracle.differences import robust_column, stands_close_by
from vtj.oracle.doubts import Doubt, Remedy
from vtj.oracle.findings import (
    FORWARD_ERRS,
    SPLIT_VOTE,
    Finding,
    culprits,
    last_digits,
    said,
)
from vtj.oracle.rounding import negligible_slopes, rounding_error_bound
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import NEAR, Trial
from vtj.oracle.voting import Array, Mask, Witness, distance
from vtj.oracle.witnesses import Answers, ask_engines, differences_witness
from vtj.report import Row

# Of the size of x: stairs of float32, which rounding inside `f` makes, are narrower. With 1e-8 a
# path that is detached and in float32 would be no mistake of `f`.
STEP_OF_STAIRS = 1e-6
# In eps: what is left of terms of about 1, over wide steps, is their last digits. Without it the
# right x * (1 + erf(x / sqrt(2))) / 2 would be called wrong at [-8.24, 0.3].
LAST_DIGITS = 1024
# Of the size of x. With 1/16 that is wrong again: too few steps in last digits lie within; with 1/2
# the right log(1 + exp(-x)) at 33.4 is, whose slope changes too much.
WIDE = 1 / 8
LEFT_OUT = "torch.func may leave out what plain forward mode refuses"
ALONE = (
    "nothing independent to compare with; a J by hand (jacobian=) or a plain function (reference=) "
    "would be"
)


def _not_a_number(answers: Answers) -> Mask:
    """Return where J by backward or by hand is nan; of a forward pass it does no harm."""
    found = np.zeros(answers.trial.size, bool)
    for family in (BACKWARD, BY_HAND):
        if family.name in answers.speakers:
            found |= np.isnan(answers.speakers[family.name].value)
    return found & ~answers.blamed


def _alone(answers: Answers) -> Mask:
    return (answers.result.support < 2) & ~answers.blamed


def _detached(answers: Answers) -> Mask:
    return seen_by_autograd_alone(answers, answers.result.agreed.value) & ~answers.blamed


def seen_by_autograd_alone(answers: Answers, slopes: Array) -> Mask:
    """Return for which entries of J nobody speaks who would see a detached path."""
    trial, speakers = answers.trial, answers.speakers
    found = possibly_detached(trial, slopes, speakers.get(NUMERIC.name), trial.x_size)
    for name, one in speakers.items():
        if name not in FAMILIES or not FAMILIES[name].autograd:
            found = found & one.silent
    return found


def _contradicted(answers: Answers) -> bool:
    """Return whether a family is outvoted, or an engine differs from that which speaks for it."""
    relative = answers.trial.relative
    return any(mask.any() for mask in answers.result.against.values()) or any(
        (distance(one, answers.speakers[one.family], relative) > 1).any()
        for one in answers.witnesses
    )


def _stepped_over(answers: Answers) -> Mask:
    """Return for which elements of `y` the slopes are not those close by, along one direction.

    Steps of 1 and 1/2 agree on the slope of stairs as wide as 1: without this the straight-through
    x + (x.floor() - x).detach() would be correct at 3.6.
    """
    trial, slopes = answers.trial, answers.slopes
    if slopes is None:
        return np.zeros(trial.size[0], bool)
    towards = trial.direction()
    plus, minus = trial.near
    with np.errstate(invalid="ignore", over="ignore"):
        apart = abs((plus - minus) / (2 * NEAR) - slopes.value @ towards)
        floor = trial.eps * np.maximum(abs(plus), abs(minus)) / NEAR
        error = floor + slopes.error @ abs(towards)
        found = apart > VISIBLE * (abs(slopes.value) @ abs(towards)) + SAFETY * error
    # else x + tanh(1e5 (x - 1)), whose slopes are too rough to tell, is undecided at 1
    silent = answers.speakers[NUMERIC.name].silent
    return found & ~np.broadcast_to(silent, slopes.value.shape).any(axis=1)


def _asks(question: str) -> Callable[[Answers, Mask], Finding]:
    def words(answers: Answers, mask: Mask) -> Finding:
        at = int(np.argmax(mask))
        told = said(list(answers.speakers.values()), at)
        return Finding(f"{answers.trial.entry_name(at)}: {told}: {question}", "undecided")

    return words


def _by_plain_engines(answers: Answers) -> Answers:
    """Let no engine on torch.func's vmap speak for a family: the rule of cdist is wrong in 2.13.

    Forward mode has no vote at all where the plain engine does not apply: through a custom op
    torch.func.jvp leaves out what the op does, without a word.
    """
    batched = [
        ENGINES[one.name].family
        for one in answers.speakers.values()
        if one.name in ENGINES and ENGINES[one.name].vmap
    ]
    plain = [n for n, one in ENGINES.items() if one.family in batched and not one.vmap]
    added = ask_engines(answers.trial, plain, None).witnesses
    if FORWARD in batched and FORWARD.name not in [one.family for one in added]:
        answers = _without_forward(answers, LEFT_OUT)
    return replace(answers, witnesses=(*added, *answers.witnesses))


def _without_forward(answers: Answers, why: str) -> Answers:
    """Take forward mode's vote, where others have one."""
    others = tuple(one for one in answers.witnesses if one.family != FORWARD.name)
    if not others:
        return answers
    rows = (
        Row(one.name, one.family, "not applicable", note=why)
        for one in answers.witnesses
        if one.family == FORWARD.name
    )
    return replace(answers, witnesses=others, rows=(*answers.rows, *rows))


def _at_the_worst_entry(answers: Answers) -> Answers:
    """Look at one entry for every set of witnesses that differences contradict together.

    It is the one furthest apart: where that stands, they all do. Else nothing is known by it.
    """
    trial, numeric, exact = answers.trial, answers.numeric, answers.exact
    # else of x + (x.round() - x).detach() an entry would not be counted whose stairs were crossed
    if numeric is None or not exact or _stepped_over(answers).any():
        return answers
    assert answers.slopes is not None
    cancelling = _cancelling_kinks(answers, numeric)
    sure = replace(numeric, silent=numeric.silent | cancelling)
    gaps = np.array([abs(one.value - numeric.value) for one in exact])
    apart = np.array([distance(sure, one, trial.relative) for one in exact])
    # a row's last digits: with them the zeros in J of a wrong Fourier transform (in tests/) seem
    # furthest apart, being 1e-16, and it takes 6 times as many calls
    row_size = np.array([abs(one.value).max(axis=1, initial=0, keepdims=True) for one in exact])
    rounded = gaps <= negligible_slopes(trial, row_size)
    apart[rounded] = 0
    kinds = np.einsum("i,ijk->jk", 2 ** np.arange(len(exact)), apart > 1)
    if not kinds.any():
        return answers
    slopes, looked_at = answers.slopes, []
    for kind in np.unique(kinds[kinds > 0]):
        at = int(np.argmax(np.where(kinds == kind, apart.max(axis=0), 0)))
        row, column = divmod(at, trial.size[1])
        gap = gaps[:, row, column][apart[:, row, column] > 1].min()
        slopes, gross = _column_again(trial, slopes, row, column, float(gap))
        looked_at.append((at, gross))
    again = _with_slopes(answers, slopes, cancelling)
    assert again.numeric is not None
    error = again.numeric.error + np.where(rounded, gaps, 0).max(axis=0)
    again = again.with_numeric(replace(again.numeric, error=error))
    assert again.numeric is not None
    stands = np.any([distance(again.numeric, one, trial.relative) > 1 for one in exact], axis=0)
    if not all(stands.flat[at] for at, _ in looked_at):
        return answers
    gross = all(sure for _, sure in looked_at)
    return replace(again, explained=stands if gross else np.zeros(trial.size, bool))


def _robust(trial: Trial) -> Column:
    return partial(robust_column, noise=trial.noise, custom=trial.custom)


def _column_again(
    trial: Trial, slopes: Slopes, row: int, column: int, gap: float
) -> tuple[Slopes, bool]:
    """Return the slopes with one column looked at again, and whether the gap in it is gross."""
    gross = False

    def how(g: Callable[[float], Array], here: Array, at: float, eps: float) -> Slopes:
        nonlocal gross
        one = Slopes(*(field[:, column] for field in slopes))
        largest = eps * float(abs(here).max())
        stands = partial(stands_close_by, first=first_step(at), noise=largest)
        gross = stands(lambda t: g(t)[[row]], here[[row]], one.value[[row]], np.array([gap]))
        return one if gross else _robust(trial)(g, here, at, eps)

    return _columns_by(trial, slopes, [column], how), gross


def _in_all_columns(answers: Answers) -> Answers:
    """Repeat the differences where somebody disagrees, or all where they stand alone."""
    trial, numeric, exact = answers.trial, answers.numeric, answers.exact
    if numeric is None or answers.slopes is None or answers.explained is not None:
        return answers
    apart = [distance(numeric, one, trial.relative) > 1 for one in exact]
    doubted = np.any(apart, axis=0) if exact else np.ones(trial.size, bool)
    if exact:
        doubted |= seen_by_autograd_alone(answers, exact[0].value)
        doubted |= _stepped_over(answers)[:, None]
    # beside a kink a flat piece seems rough from afar, and a hard sigmoid undecided at -3.1; and a
    # slope found elsewhere may lend weight to what was too rough so far
    if len(answers.speakers) == 2 or doubted.any():
        doubted = doubted | numeric.silent
    columns = np.flatnonzero(doubted.any(axis=0)).tolist()
    if not columns:
        return answers
    slopes = _columns_by(trial, answers.slopes, columns, _robust(trial))
    again = _with_slopes(answers, slopes)
    assert again.numeric is not None
    return _with_slopes(answers, slopes, _cancelling_kinks(again, again.numeric))


def _with_rounding(answers: Answers) -> Answers:
    """Measure rounding where exact engines lie too far apart, and nobody is known to err."""
    trial, exact = answers.trial, answers.exact
    disagree = [distance(a, b, trial.relative) > 1 for i, a in enumerate(exact) for b in exact[:i]]
    explained = False if answers.explained is None else answers.explained
    if not (np.any(disagree, axis=0) & ~np.asarray(explained)).any():
        return _zero_but_for_rounding(answers)
    rounding = rounding_error_bound(trial, exact)
    witnesses = tuple(
        one if one.family == NUMERIC.name else replace(one, error=one.error + rounding)
        for one in answers.witnesses
    )
    rounded = replace(answers, witnesses=witnesses)
    kinks, numeric = answers.cancelling_kinks, answers.numeric
    if kinks is None or numeric is None:
        return rounded
    # else householder_product (in tests/), whose slope of 3e-13 is rounding, seems to have kinks
    left = kinks & _apart(rounded.speakers.get(BACKWARD.name), numeric, trial.relative)
    heard = replace(numeric, silent=numeric.silent & ~(kinks & ~left))
    return rounded.with_numeric(heard, cancelling_kinks=left)


def _zero_but_for_rounding(answers: Answers) -> Answers:
    """Let differences speak for a zero from which backward is off by its own rounding at most.

    Else the right "R of a wide QR" (in tests/), zero below its diagonal, is undecided: as a custom
    Function without a `jvp` it has no forward pass.
    """
    trial, numeric, exact = answers.trial, answers.numeric, answers.exact
    if numeric is None or not exact:
        return answers
    alone = numeric.silent & _alone(answers)
    zero = alone & _rounded_away(trial, numeric, exact) | _still(trial, alone)
    if not zero.any():
        return answers
    rounding = rounding_error_bound(trial, exact)
    zero &= np.max([abs(one.value) for one in exact], axis=0) <= SAFETY * rounding
    value, error = np.where(zero, 0.0, numeric.value), np.where(zero, rounding, numeric.error)
    heard = replace(numeric, value=value, silent=numeric.silent & ~zero, error=error)
    return answers.with_numeric(heard)


def _still(trial: Trial, mask: Mask) -> Mask:
    """Return where `f` stands still but for its last digits, over steps wider than any stairs.

    Else a right nn.TransformerEncoderLayer in eval mode (the second that nox -s wild asks) is
    undecided: it has no forward pass, and along a weight of slope 0 its noise looks like 1e-4.
    """
    found = mask.copy()
    for column in np.flatnonzero(mask.any(axis=0)).tolist():
        for side in (-WIDE, WIDE):
            moved = trial.x_vector.copy()
            moved[column] += side * trial.x_size[column]
            off = abs(trial.run(moved) - trial.y_vector)
            found[:, column] &= off <= SAFETY * trial.eps * abs(trial.y_vector)
    return found


def _apart(backward: Witness | None, numeric: Witness, relative: float) -> Mask:
    """Return where differences contradict backward, also where they have no vote."""
    if backward is None:
        return np.zeros(numeric.value.shape, bool)
    return np.asarray(distance(backward, replace(numeric, silent=False), relative) > 1)


def _without_torchs_forward(answers: Answers) -> Answers:
    """Take forward mode's vote where it is outvoted, and its formula is torch's own.

    With its vote right entries of cholesky_inverse (in tests/) are undecided, whose forward formula
    is wrong.
    """
    trial, result = answers.trial, answers.result
    if trial.custom or not {FORWARD.name, BACKWARD.name} <= answers.speakers.keys():
        return answers
    mask = dict(culprits(result.against, trial.reached[:, None]))[FORWARD]
    if not mask.any():
        return answers
    at = int(np.argmax(mask))
    told = f"{trial.entry_name(at)}: {said(list(answers.speakers.values()), at)}"
    return _without_forward(answers, f"{FORWARD_ERRS}: {told}")


def _to_nine_digits(answers: Answers) -> Answers:
    """Let backward have what differences alone take from it, where that is its last digits."""
    numeric, backward = answers.numeric, answers.speakers.get(BACKWARD.name)
    accused = dict(answers.accused)
    alone = len(answers.speakers) == 2 and list(accused) == [BACKWARD]
    if numeric is None or backward is None or not alone:
        return answers
    mask = accused[BACKWARD]
    which = f"each of {mask.sum()} of {mask.size} entries"
    row = last_digits(which, backward.value[mask], numeric.value[mask])
    if row is None:
        return answers
    apart = np.where(mask, abs(backward.value - numeric.value), 0.0)
    wider = replace(numeric, error=numeric.error + apart)
    return replace(answers.with_numeric(wider), rows=(*answers.rows, row))


AGAIN = (
    Remedy("run the engines without vmap", _by_plain_engines),
    Remedy("take finer steps at the worst entry", _at_the_worst_entry),
    Remedy("repeat the differences, with the noise of f measured", _in_all_columns),
    Remedy("measure the rounding of J", _with_rounding),
    Remedy("drop a forward formula that is outvoted", _without_torchs_forward),
    Remedy("if differences alone object, let nine digits do", _to_nine_digits),
)
DOUBTS: tuple[Doubt[Answers], ...] = (
    Doubt("one way is contradicted", _contradicted, AGAIN),  # who errs in the end is accused
    Doubt("a value is nan", _not_a_number, words=_asks("not a number, nothing to compare")),
    Doubt("the vote is split", lambda case: ~case.result.decided, AGAIN, _asks(SPLIT_VOTE)),
    Doubt("one family stands alone", _alone, AGAIN, _asks(ALONE)),
    Doubt(UNSEEN, _detached, AGAIN, _asks(UNSEEN)),
    Doubt("slopes close by are different", _stepped_over, AGAIN),
)


def _with_slopes(answers: Answers, slopes: Slopes, cancelling: Mask | None = None) -> Answers:
    """Return the answers with these slopes in place of what the differences gave first."""
    trial, exact = answers.trial, answers.exact
    again = differences_witness(trial, slopes, exact)
    again = replace(again, error=again.error + least_visible_slope(trial, again.value))
    for misled in (_rounded_away, _stairs, _last_digits, _leaps) if exact else ():
        again = replace(again, silent=again.silent | misled(trial, again, exact))
    if cancelling is not None:
        cancelling = cancelling & _apart(answers.speakers.get(BACKWARD.name), again, trial.relative)
        again = replace(again, silent=again.silent | cancelling)
    return answers.with_numeric(again, slopes=slopes, cancelling_kinks=cancelling)


def _rounded_away(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where the slope is that of a function that rounding makes zero, values and all.

    Without it the right drawn function 3562 (in tests/) would be called wrong.
    """
    largest = np.max([abs(one.value) for one in exact], axis=0)
    flat = (numeric.value == 0) & (trial.y_vector == 0)[:, None]
    return np.asarray(flat & (largest > 0) & (largest <= ROUNDED_AWAY))


def _last_digits(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where only last digits of larger terms change around `x`, and exact slopes from afar.

    `f` goes from one side to the other then as the mean of the exact slopes says.
    """
    least = LAST_DIGITS * trial.eps
    # of the differences too, or kinks that cancel in relu(x) - relu(-x) at 0 would not be named
    found = (abs(trial.y_vector)[:, None] <= least * trial.x_size) & (abs(numeric.value) <= least)
    for one in exact:
        found = found & (abs(one.value) <= least) & (distance(numeric, one, trial.relative) > 1)
    for column in np.flatnonzero(found.any(axis=0)).tolist():
        # by 1 too: else torch's own gelu(x - 8) at 0.3 is wrong, which moves by one digit otherwise
        widths = {WIDE * trial.x_size[column], 1.0}
        moves = [_moves_as_said(trial, column, width) for width in widths]
        found[:, column] &= np.any(moves, axis=0)
    return np.asarray(found)


def has_last_digits(trial: Trial) -> bool:
    """Whether of some `y` no more is left than last digits, which its entries are asked about."""
    size, most = abs(trial.y_vector), LAST_DIGITS * trial.eps * float(trial.x_size.max())
    return bool(((size > 0) & (size <= most)).any())


def _moves_as_said(trial: Trial, column: int, width: float) -> Mask:
    """Return where `f` goes so far from one side to the other as the mean of exact slopes says."""
    towards = np.zeros(trial.size[1])
    towards[column] = width
    mean = np.zeros(trial.size[0])
    for node, weight in zip(*np.polynomial.legendre.leggauss(8), strict=True):
        there = replace(trial, x=trial.at(trial.x_vector + node * towards))
        mean += weight / 2 * there.matrix(reverse(there.f, there.x))[:, column]
    plus, minus = (trial.run(trial.x_vector + side * towards) for side in (1, -1))
    return np.asarray(abs((plus - minus) / (2 * width) - mean) <= VISIBLE * abs(mean))


def _stairs(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where `f` stands still around `x`, as autograd says, and is a ramp from afar.

    They may be stairs of its own or what rounding inside leaves of a detached path. Without it
    ``round(x, decimals=3)`` at [-4.0626875, -5.5946875] would be called wrong.
    """
    flat = np.asarray(np.all([one.value == 0 for one in exact], axis=0))
    # beyond its error: else the keys' bias in nn.TransformerEncoder, whose slope is 0 but for
    # rounding, is undecided (in tests/)
    flat &= (abs(numeric.value) > SAFETY * np.asarray(numeric.error)) & ~numeric.silent
    for column in np.flatnonzero(flat.any(axis=0)).tolist():
        for side in (-STEP_OF_STAIRS, STEP_OF_STAIRS):
            moved = trial.x_vector.copy()
            moved[column] += side * trial.x_size[column]
            flat[:, column] &= trial.run(moved) == trial.y_vector
    return flat


def _leaps(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where `f` leaps near `x`, and has the slope between leaps that exact ones give."""
    found = np.asarray(
        np.all([distance(numeric, one, trial.relative) > 1 for one in exact], axis=0)
    )
    for column in np.flatnonzero(found.any(axis=0)).tolist():
        slopes = exact[0].value[:, column]
        found[:, column] &= leaps_nearby(trial, column, slopes, slopes - numeric.value[:, column])
    return found


def _columns_by(trial: Trial, first: Slopes, columns: list[int], how: Column) -> Slopes:
    again = estimate(trial.f, trial.x, trial.eps, columns=columns, how=how)
    if again.value.shape[0] != trial.size[0]:  # f gives another size at every call, and is accused
        return first
    merged = Slopes(*(field.copy() for field in first))
    for field, new in zip(merged, again, strict=True):
        field[:, columns] = new
    return merged


def _cancelling_kinks(answers: Answers, numeric: Witness) -> Mask:
    trial, backward = answers.trial, answers.speakers.get(BACKWARD.name)
    return cancelling_kinks(trial, backward, numeric, lambda at: at.matrix(reverse(at.f, at.x)))
