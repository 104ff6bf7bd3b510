"""Where autograd alone speaks, and differences could not see what is detached from it."""

from collections.abc import Mapping

import numpy as np

from vtj.calling.tensors import fresh_leaves, like, shaped_like, values
from vtj.oracle.rounding import size_of_terms
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Witness

SEED = 0  # of the line along which `f` is looked at
AUTOGRAD = ("backward", "forward")


def autograd_alone(trial: Trial, speakers: Mapping[str, Witness], slopes: Array) -> Mask:
    """Say for which entries of J nobody speaks who would see a detached path.

    Args:
        trial: What `try_out` gave.
        speakers: Who speaks for each family.
        slopes: J, as autograd says.
    """
    size = np.where(values(trial.parts) == 0, 1, abs(values(trial.parts)))
    found = unseen(trial, slopes, speakers.get("numeric"), size)
    for name, one in speakers.items():
        if name not in AUTOGRAD:
            found = found & one.silent
    return found


def unseen(trial: Trial, slopes: Array, numeric: Witness | None, size: Array) -> Mask:
    """Say where a slope that autograd does not see could be as large as all it does see.

    Backward and forward formulas both pass by what is detached. So where the differences are
    silent, the two agree on nothing if autograd sees no way from `x` to `y` at all; and if it sees
    one, on no more than the differences leave open.

    Args:
        trial: What `try_out` gave.
        slopes: What autograd says; a matrix, or J·u as a vector.
        numeric: The differences, of the same shape; None where they were not asked.
        size: How far `x` moves for a slope of 1, by column.
    """
    cut = ~trial.reached
    rows = np.broadcast_to(cut[:, None] if slopes.ndim == 2 else cut, slopes.shape)
    if numeric is None:
        return rows.copy()
    silent = np.broadcast_to(numeric.silent, slopes.shape)
    if not silent.any():
        return np.zeros(slopes.shape, bool)
    x, y = (abs(part).max(initial=0) for part in (values(trial.parts), values(trial.y)))
    terms = min(size_of_terms(trial, SEED).max(), max(x, y))
    if not slopes.any() and y == 0:
        terms = max(terms, _elsewhere(trial))
    largest = np.fmax(np.nanmax(abs(slopes), initial=0), terms / size)
    return np.asarray(silent & (rows | ~(SAFETY * np.asarray(numeric.error) <= largest)))


def _elsewhere(trial: Trial) -> float:
    """Give how large `y` is some way off, where it and all slopes are zero."""
    x = values(trial.parts)
    moved = like(shaped_like(x + np.where(x == 0, 1, x) / 2, trial.parts), trial.x)
    return float(np.nanmax(abs(values(trial.f(*fresh_leaves(moved)))), initial=0))
