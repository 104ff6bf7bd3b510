"""Before anyone is accused: do the differences err, is it rounding, could a path be detached?"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from vtj.calling.tensors import Tensors
from vtj.engines import BACKWARD, ENGINES, FAMILIES, FORWARD, NUMERIC
from vtj.engines.numeric import CLOSE, SAFETY, Column, Slopes, estimate, first_step
from vtj.engines.reverse import jacobian as reverse
from vtj.oracle.differences import robust_column, stands_close_by
from vtj.oracle.rounding import (
    noise_of_values,
    rounding_error_bound,
    size_of_terms,
)
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Vote, Witness, distance
from vtj.oracle.witnesses import Answers, ask_engines, differences_witness
from vtj.report import Row

# Of the size of x: so near a derivative is looked at beside a suspected kink, and may be another
# by that part of the gap. With 1e-3, or 1e-4 for the second, "kinks that cancel, on a curve" (in
# tests/) would be called wrong.
NEARBY = 1e-6
CURVED = 0.01
# To either side of a kink: with 1 the right drawn function 2583 (in tests/) would be called wrong.
POINTS = 4
# A slope that may be rounded away where y is 0 over every step: in
# hardswish(log_softmax(softplus(x))) at [1.3, 50, -2.5] y[1] is 0, its slope -3e-22 by backward,
# and without this a detached path would be seen there; and by `certify` in the drawn function 225.
ROUNDED_AWAY = 1e-9
# Of the size of x: stairs of float32, which rounding inside `f` makes, are narrower. With 1e-8 a
# path that is detached and in float32 would be no mistake of `f`.
STEP_OF_STAIRS = 1e-6
# A part of the slope that *correct* must not miss, where stairs were stepped over.
VISIBLE = 1e-3
LEFT_OUT = "torch.func may leave out what plain forward mode refuses"
SEED = 0  # of the line along which the size of the terms of `f` is measured


def is_disputed(trial: Trial, answers: Answers, result: Vote) -> bool:
    """Return whether anything speaks against `f`, a family or an engine, or is not compared."""
    speakers = answers.speakers
    return bool(
        list(speakers) == [NUMERIC.name]
        or any(bool(mask.any()) for mask in result.against.values())
        or not result.decided.all()
        or (result.support < 2).any()
        or seen_by_autograd_alone(trial, speakers, result.agreed.value).any()
        or any(
            bool((distance(one, speakers[one.family], trial.relative) > 1).any())
            for one in answers.witnesses
        )
        or (
            answers.slopes is not None
            and stepped_over(trial, answers.slopes, speakers[NUMERIC.name]).any()
        )
    )


def stepped_over(trial: Trial, slopes: Slopes, numeric: Witness) -> Mask:
    """Return for which elements of `y` the slopes are not those close by, along one direction.

    Steps of 1 and 1/2 agree on the slope of stairs as wide as 1: without this the straight-through
    x + (x.floor() - x).detach() would be correct at 3.6.
    """
    g, _ = trial.line(SEED)
    towards = trial.direction(SEED)
    plus, minus = g(CLOSE), g(-CLOSE)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = abs((plus - minus) / (2 * CLOSE) - slopes.value @ towards)
        floor = trial.eps * np.maximum(abs(plus), abs(minus)) / CLOSE
        error = floor + slopes.error @ abs(towards)
        found = apart > VISIBLE * (abs(slopes.value) @ abs(towards)) + SAFETY * error
    # else x + tanh(1e5 (x - 1)), whose slopes are too rough to tell, is undecided at 1
    return found & ~np.broadcast_to(numeric.silent, slopes.value.shape).any(axis=1)


def reexamined(trial: Trial, answers: Answers, seed: int) -> Answers:
    """Return the answers with differences of other steps and rounding error bounds.

    Where differences contradict exact values, one entry is looked at for every set of witnesses
    that they contradict together: the one furthest apart. Where that stands, they all do. Else all
    columns are repeated in which somebody disagrees, or all where differences stand alone. Rounding
    is measured only where exact engines lie too far apart, and differences do not say who errs.
    """
    answers = _without_vmap(trial, answers)
    numeric = answers.speakers.get(NUMERIC.name)
    exact = [one for one in answers.witnesses if one.family != NUMERIC.name]
    explained = np.zeros(trial.size, bool)
    if numeric is not None and answers.slopes is not None:
        noise = cache(partial(noise_of_values, trial, seed))
        looked_at = _worst_looked_at(trial, answers, numeric, exact, noise, seed)
        if looked_at is None:
            answers = _all_repeated(trial, answers, numeric, exact, noise, seed)
        else:
            answers, explained = looked_at
    disagree = [distance(a, b, trial.relative) > 1 for i, a in enumerate(exact) for b in exact[:i]]
    if not (np.any(disagree, axis=0) & ~explained).any():
        return answers
    rounding = rounding_error_bound(trial, exact, seed)
    witnesses = tuple(
        one if one.family == NUMERIC.name else replace(one, error=one.error + rounding)
        for one in answers.witnesses
    )
    return replace(answers, witnesses=witnesses)


def _worst_looked_at(
    trial: Trial,
    answers: Answers,
    numeric: Witness,
    exact: Sequence[Witness],
    noise: Callable[[], Array],
    seed: int,
) -> tuple[Answers, Mask] | None:
    """Return the answers, and where somebody errs for sure; None where that does not stand."""
    assert answers.slopes is not None
    # else of x + (x.round() - x).detach() an entry would not be counted whose stairs were crossed
    if not exact or stepped_over(trial, answers.slopes, numeric).any():
        return None
    cancelling = _cancelling_kinks(trial, numeric, answers.speakers.get(BACKWARD.name), seed)
    sure = replace(numeric, silent=numeric.silent | cancelling)
    apart = np.array([distance(sure, one, trial.relative) for one in exact])
    kinds = np.einsum("i,ijk->jk", 2 ** np.arange(len(exact)), apart > 1)
    if not kinds.any():
        return None
    slopes, looked_at = answers.slopes, []
    for kind in np.unique(kinds[kinds > 0]):
        at = int(np.argmax(np.where(kinds == kind, apart.max(axis=0), 0)))
        row, column = divmod(at, trial.size[1])
        gaps = [
            abs(one.value.flat[at] - numeric.value.flat[at])
            for one, far in zip(exact, apart, strict=True)
            if far.flat[at] > 1
        ]
        slopes, gross = _column_again(trial, slopes, row, column, min(gaps), noise)
        looked_at.append((at, gross))
    again = _heard(trial, answers, numeric, exact, slopes, cancelling)
    numeric = again.speakers[NUMERIC.name]
    stands = np.zeros(trial.size, bool)
    for one in exact:
        stands |= distance(numeric, one, trial.relative) > 1
    if not all(stands.flat[at] for at, _ in looked_at):
        return None
    gross = all(sure for _, sure in looked_at)
    return again, stands if gross else np.zeros(trial.size, bool)


def _column_again(
    trial: Trial, slopes: Slopes, row: int, column: int, gap: float, noise: Callable[[], Array]
) -> tuple[Slopes, bool]:
    """Return the slopes with one column looked at again, and whether the gap in it is gross."""
    gross = False

    def how(g: Callable[[float], Array], here: Array, at: float, eps: float) -> Slopes:
        nonlocal gross
        one = Slopes(*(field[:, column] for field in slopes))
        largest = eps * float(abs(here).max())
        stands = partial(stands_close_by, first=first_step(at), noise=largest)
        gross = stands(lambda t: g(t)[[row]], here[[row]], one.value[[row]], np.array([gap]))
        return one if gross else robust_column(g, here, at, eps, noise=noise())

    return _columns_by(trial, slopes, [column], how), gross


def _all_repeated(
    trial: Trial,
    answers: Answers,
    numeric: Witness,
    exact: Sequence[Witness],
    noise: Callable[[], Array],
    seed: int,
) -> Answers:
    assert answers.slopes is not None
    apart = [distance(numeric, one, trial.relative) > 1 for one in exact]
    doubted = np.any(apart, axis=0) if exact else np.ones(trial.size, bool)
    if exact:
        doubted |= seen_by_autograd_alone(trial, answers.speakers, exact[0].value)
        doubted |= stepped_over(trial, answers.slopes, numeric)[:, None]
    # beside a kink a flat piece seems rough from afar, and a hard sigmoid undecided at -3.1; and a
    # slope found elsewhere may lend weight to what was too rough so far
    if len(answers.speakers) == 2 or doubted.any():
        doubted = doubted | numeric.silent
    columns = np.flatnonzero(doubted.any(axis=0)).tolist()
    if not columns:
        return answers

    def how(g: Callable[[float], Array], here: Array, at: float, eps: float) -> Slopes:
        return robust_column(g, here, at, eps, noise=noise())

    slopes = _columns_by(trial, answers.slopes, columns, how)
    again = _heard(trial, answers, numeric, exact, slopes)
    backward, repeated = answers.speakers.get(BACKWARD.name), again.speakers[NUMERIC.name]
    cancelling = _cancelling_kinks(trial, repeated, backward, seed)
    return _heard(trial, answers, numeric, exact, slopes, cancelling)


def _without_vmap(trial: Trial, answers: Answers) -> Answers:
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
    added = ask_engines(trial, plain, None).witnesses
    kept, rows = answers.witnesses, answers.rows
    if FORWARD in batched and FORWARD.name not in [one.family for one in added]:
        others = tuple(one for one in kept if one.family != FORWARD.name)
        left_out = [one for one in kept if one.family == FORWARD.name and others]
        made = (Row(one.name, one.family, "not applicable", note=LEFT_OUT) for one in left_out)
        kept, rows = others or kept, (*rows, *made)
    return replace(answers, witnesses=(*added, *kept), rows=rows)


def _heard(
    trial: Trial,
    answers: Answers,
    numeric: Witness,
    exact: Sequence[Witness],
    slopes: Slopes,
    cancelling: Mask | None = None,
) -> Answers:
    """Return the answers with these slopes in place of what the differences gave first."""
    again = differences_witness(trial, slopes, exact)
    again = replace(again, error=again.error + least_visible_slope(trial, again.value))
    silent = again.silent | _rounded_away(trial, again, exact) | _stairs(trial, again, exact)
    if cancelling is not None:
        silent = silent | cancelling
    again = replace(again, silent=silent)
    witnesses = tuple(again if one is numeric else one for one in answers.witnesses)
    return replace(answers, witnesses=witnesses, slopes=slopes, cancelling_kinks=cancelling)


def _rounded_away(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where the slope is that of a function that rounding makes zero, values and all.

    Without it the right drawn function 3562 (in tests/) would be called wrong.
    """
    if not exact:
        return np.zeros(trial.size, bool)
    largest = np.max([abs(one.value) for one in exact], axis=0)
    flat = (numeric.value == 0) & (trial.y_vector == 0)[:, None]
    return np.asarray(flat & (largest > 0) & (largest <= ROUNDED_AWAY))


def _stairs(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Return where `f` stands still around `x`, as autograd says, and is a ramp from afar.

    They may be stairs of its own or what rounding inside leaves of a detached path. Without it
    ``round(x, decimals=3)`` at [-4.0626875, -5.5946875] would be called wrong.
    """
    if not exact:
        return np.zeros(trial.size, bool)
    flat = np.asarray(np.all([one.value == 0 for one in exact], axis=0))
    flat &= (numeric.value != 0) & ~numeric.silent
    for column in np.flatnonzero(flat.any(axis=0)).tolist():
        for side in (-STEP_OF_STAIRS, STEP_OF_STAIRS):
            moved = trial.x_vector.copy()
            moved[column] += side * trial.x_size[column]
            flat[:, column] &= trial.run(moved) == trial.y_vector
    return flat


def least_visible_slope(trial: Trial, slopes: Array, where_zero: float = 0.0) -> Array:
    """Return how small a slope may be that rounding inside `f` makes exactly zero.

    Where `y` is zero, so that its size says nothing, that is `where_zero` at least.
    """
    largest = float(abs(trial.y_vector).max(initial=0))
    x = abs(trial.x_vector)
    step = np.where((x > 0) & (x < 1), x, 1.0)
    step = step if slopes.ndim == 2 else step.min(initial=1)
    y = trial.y_vector.reshape((-1,) + (1,) * (slopes.ndim - 1))
    # a slope of 4e-14 of sqrt(1 + layer_norm(x)²) at [1e-8, 8e-3, -218] is flat to differences
    least = 4 * trial.eps * largest / step + np.where(y == 0, where_zero, 0.0)
    return np.where(slopes == 0, least, 0.0)


def _columns_by(trial: Trial, first: Slopes, columns: list[int], how: Column) -> Slopes:
    again = estimate(trial.f, trial.x, trial.eps, columns=columns, how=how)
    if again.value.shape[0] != trial.size[0]:  # f gives another size at every call, and is accused
        return first
    merged = Slopes(*(field.copy() for field in first))
    for field, new in zip(merged, again, strict=True):
        field[:, columns] = new
    return merged


def _cancelling_kinks(trial: Trial, numeric: Witness, backward: Witness | None, seed: int) -> Mask:
    """Return where kinks inside `f` meet, so that what torch chose at `x` is not the slope."""
    if backward is None or not (suspects := distance(backward, numeric, trial.relative) > 1).any():
        return np.zeros(trial.size, bool)
    nearby = (trial.matrix(reverse(trial.f, x)) for x in nearby_points(trial, seed))
    return suspects & kinks_meet(backward, numeric, nearby)


def kinks_meet(backward: Witness, numeric: Witness, nearby: Iterable[Array]) -> Mask:
    """Return where derivatives nearby are the slope, but torch chose another at `x` itself.

    It happens where kinks inside `f` meet: ``relu(x) - relu(-x)`` at 0 has the slope 1, and torch
    gives 0. The slope may have a kink itself.
    """
    reach = SAFETY * np.asarray(numeric.error)  # at a kink, to the slope on either side
    allowed = CURVED * abs(backward.value - numeric.value) + reach
    found = [abs(one - numeric.value) <= allowed for one in nearby]
    return np.asarray(np.any(found, axis=0))


def nearby_points(trial: Trial, seed: int) -> Iterator[Tensors]:
    """Yield some points beside `x`, off any kink there."""
    x, generator = trial.x_vector, np.random.default_rng(seed)
    for _ in range(POINTS):
        yield trial.at(x + NEARBY * trial.x_size * generator.uniform(-1, 1, x.size))


def seen_by_autograd_alone(trial: Trial, speakers: Mapping[str, Witness], slopes: Array) -> Mask:
    """Return for which entries of J nobody speaks who would see a detached path."""
    found = possibly_detached(trial, slopes, speakers.get(NUMERIC.name), trial.x_size)
    for name, one in speakers.items():
        if name not in FAMILIES or not FAMILIES[name].autograd:
            found = found & one.silent
    return found


def possibly_detached(trial: Trial, slopes: Array, numeric: Witness | None, size: Array) -> Mask:
    """Return where a slope that autograd does not see could be as large as all it does see.

    Backward and forward formulas both pass by what is detached. So where the differences are
    silent, the two agree on nothing if autograd sees no way from `x` to `y` at all; and if it sees
    one, on no more than the differences leave open. `slopes` is a matrix, or J·u as a vector;
    `size` is how far `x` moves for a slope of 1, by column.
    """
    cut = ~trial.reached
    rows = np.broadcast_to(cut[:, None] if slopes.ndim == 2 else cut, slopes.shape)
    if numeric is None:
        return rows.copy()
    silent = np.broadcast_to(numeric.silent, slopes.shape)
    if not silent.any():
        return np.zeros(slopes.shape, bool)
    x, y = (abs(part).max(initial=0) for part in (trial.x_vector, trial.y_vector))
    # without the terms the right drawn functions 1107 and 2797 (in tests/) would be undecided
    terms = min(size_of_terms(trial, SEED).max(), max(x, y))
    if not slopes.any() and y == 0:  # without it log(1 + x²) at 0 is undecided
        here = trial.x_vector
        elsewhere = trial.run(here + np.copysign(trial.x_size, here))
        terms = max(terms, float(np.nanmax(abs(elsewhere), initial=0)))
    largest = np.fmax(np.nanmax(abs(slopes), initial=0), terms / size)
    return np.asarray(silent & (rows | ~(SAFETY * np.asarray(numeric.error) <= largest)))
