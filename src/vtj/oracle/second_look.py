"""Before anyone is accused: is it the differences that err, or rounding?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from vtj.calling.tensors import Tensors, like, shaped_like, values
from vtj.engines import numeric as differences
from vtj.engines.numeric import EPS, Slopes
from vtj.engines.reverse import jacobian as reverse
from vtj.oracle.careful import careful_column
from vtj.oracle.rounding import disputed, excuses, noise_of_values
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial
from vtj.oracle.unseen import autograd_alone
from vtj.oracle.voting import Array, Mask, Vote, Witness, distance, one_per_family
from vtj.oracle.witnesses import Heard, by_differences, hear, matrix

NEARBY = 1e-6  # of the size of x: how far away a derivative is looked at beside a suspected kink
LOOKS = 4  # and how often
OUT_OF_SIGHT = 1e-9  # a slope that may be rounded away where y is 0 over every step


def questionable(trial: Trial, heard: Heard, result: Vote) -> bool:
    """Say whether anything speaks against `f`, a family or an engine, or is not compared.

    Args:
        trial: What `try_out` gave.
        heard: What was said of J.
        result: What the families agree on.
    """
    speakers = one_per_family(heard.witnesses)
    return bool(
        list(speakers) == ["numeric"]
        or any(bool(mask.any()) for mask in result.against.values())
        or not result.decided.all()
        or autograd_alone(trial, speakers, result.agreed.value).any()
        or any(
            bool((distance(one, speakers[one.family], trial.relative) > 1).any())
            for one in heard.witnesses
        )
    )


def look_again(trial: Trial, heard: Heard, seed: int) -> Heard:
    """Repeat the differences with other steps, and measure the rounding of the exact engines.

    Only the columns in which somebody disagrees with the differences are repeated, or all where
    they stand alone. Rounding is measured only where exact engines lie too far apart.

    Args:
        trial: What `try_out` gave.
        heard: What was said of J.
        seed: Fixes where `x` is moved to.
    """
    heard = _without_vmap(trial, heard)
    numeric = next((one for one in heard.witnesses if one.family == "numeric"), None)
    exact = [one for one in heard.witnesses if one.family != "numeric"]
    if numeric is not None and heard.slopes is not None:
        apart = [distance(numeric, one, trial.relative) > 1 for one in exact]
        doubted = np.any(apart, axis=0) if exact else np.ones(trial.size, bool)
        if exact:
            doubted |= autograd_alone(trial, one_per_family(heard.witnesses), exact[0].value)
        if doubted.any():  # a slope found elsewhere may lend weight to what was too rough so far
            doubted = doubted | numeric.silent
        columns = np.flatnonzero(doubted.any(axis=0)).tolist()
        if columns:
            heard = _differences_again(trial, heard, numeric, exact, columns, seed)
    if not exact:
        return heard
    if not disputed(exact, trial.relative):
        return heard
    rounding = excuses(trial, exact, seed)
    witnesses = tuple(
        one if one.family == "numeric" else replace(one, error=one.error + rounding)
        for one in heard.witnesses
    )
    return replace(heard, witnesses=witnesses)


def _without_vmap(trial: Trial, heard: Heard) -> Heard:
    """Let no engine on torch.func's vmap speak for a family, as some of torch's rules are wrong."""
    speakers = {one.name for one in one_per_family(heard.witnesses).values()}
    plain = {"jacrev": "reverse", "jacfwd": "forward"}
    added = hear(trial, [plain[fast] for fast in plain if fast in speakers], None).witnesses
    return replace(heard, witnesses=(*added, *heard.witnesses))


def _differences_again(
    trial: Trial,
    heard: Heard,
    numeric: Witness,
    exact: Sequence[Witness],
    columns: list[int],
    seed: int,
) -> Heard:
    assert heard.slopes is not None
    slopes = _repeated(trial, heard.slopes, columns, seed)
    again = by_differences(trial, slopes)
    again = replace(again, error=again.error + flattened(trial, again.value))
    hidden = _hidden_kinks(trial, again, exact, seed)
    again = replace(again, silent=again.silent | hidden | _out_of_sight(trial, again, exact))
    witnesses = tuple(again if one is numeric else one for one in heard.witnesses)
    return replace(heard, witnesses=witnesses, slopes=slopes, hidden_kinks=hidden)


def _out_of_sight(trial: Trial, numeric: Witness, exact: Sequence[Witness]) -> Mask:
    """Find slopes of a function that rounding makes zero everywhere, its values and all."""
    if not exact:
        return np.zeros(trial.size, bool)
    largest = np.max([abs(one.value) for one in exact], axis=0)
    flat = (numeric.value == 0) & (values(trial.y) == 0)[:, None]
    return np.asarray(flat & (largest > 0) & (largest <= OUT_OF_SIGHT))


def flattened(trial: Trial, slopes: Array, out_of_sight: float = EPS**2) -> Array:
    """Give how small a slope may be that rounding inside `f` makes exactly zero.

    Args:
        trial: What `try_out` gave.
        slopes: What differences say.
        out_of_sight: What to give where `y` is zero, so that its size says nothing.
    """
    largest = float(abs(values(trial.y)).max(initial=0))
    x = abs(values(trial.parts))
    step = np.where((x > 0) & (x < 1), x, 1.0)
    step = step if slopes.ndim == 2 else step.min(initial=1)
    y = values(trial.y).reshape((-1,) + (1,) * (slopes.ndim - 1))
    least = 4 * trial.eps * largest / step + np.where(y == 0, out_of_sight, 0.0)
    return np.where(slopes == 0, least, 0.0)


def _repeated(trial: Trial, first: Slopes, columns: list[int], seed: int) -> Slopes:
    how = partial(careful_column, noise=noise_of_values(trial, seed))
    again = differences.estimate(trial.f, trial.x, trial.eps, columns=columns, how=how)
    merged = Slopes(*(field.copy() for field in first))
    for field, new in zip(merged, again, strict=True):
        field[:, columns] = new
    return merged


def _hidden_kinks(trial: Trial, numeric: Witness, exact: Sequence[Witness], seed: int) -> Mask:
    """Find where derivatives nearby are the slope, but torch chose another at `x` itself.

    It happens where kinks inside `f` meet: ``relu(x) - relu(-x)`` at 0 has the slope 1, and torch
    gives 0. The slope may have a kink itself.
    """
    speakers = one_per_family(exact)
    if "backward" not in speakers:
        return np.zeros(trial.size, bool)
    backward = speakers["backward"]
    gap = abs(backward.value - numeric.value)
    suspects = distance(backward, numeric, trial.relative) > 1
    found = np.zeros(trial.size, bool)
    if suspects.any():
        reach = SAFETY * np.asarray(numeric.error)  # at a kink, to the slope on either side
        for x in nearby_points(trial, seed):
            nearby = matrix(trial, reverse(trial.f, x))
            found |= suspects & (abs(nearby - numeric.value) <= 0.01 * gap + reach)
    return found


def nearby_points(trial: Trial, seed: int) -> Iterator[Tensors]:
    """Give some points beside `x`, off any kink there.

    Args:
        trial: What `try_out` gave.
        seed: Fixes them.
    """
    x, generator = values(trial.parts), np.random.default_rng(seed)
    for _ in range(LOOKS):
        moved = x + NEARBY * np.where(x == 0, 1, abs(x)) * generator.uniform(-1, 1, x.size)
        yield like(shaped_like(moved, trial.parts), trial.x)
