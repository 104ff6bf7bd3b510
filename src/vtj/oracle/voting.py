"""Who agrees with whom, entry by entry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vtj.engines import NUMERIC
from vtj.oracle.tolerance import excess, tolerance

Array: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Witness:
    """One value of every entry, from one engine or a person."""

    name: str  # as in the report's rows
    family: str  # whose vote it is
    value: Array  # a vector, or a matrix of shape ``(y.numel(), x.numel())``
    error: Array | float = 0.0  # how far the witness says it may be off
    size: Array | float = 0.0  # what the tolerance is relative to, if more than the value
    silent: NDArray[Any] | bool = False  # where its error is too wide for a vote

    def only(self, at: int | Mask) -> "Witness":
        """Return what it says of one element of a vector, or of some, as a vector."""
        where = at if isinstance(at, np.ndarray) else [at]
        value, error, size, silent = (
            np.broadcast_to(part, self.value.shape)[where]
            for part in (self.value, self.error, self.size, self.silent)
        )
        return replace(self, value=value, error=error, size=size, silent=silent)


unnamed = partial(Witness, "", "")
"""A value that is only compared, and never quoted."""


@dataclass(frozen=True)
class Vote:
    """What the families agree on."""

    agreed: Witness  # per entry, the value most families agree with, and its error
    support: NDArray[np.int_]  # per entry, how many families stand behind it
    decided: Mask  # per entry, whether no other value has as many
    against: dict[str, Mask]  # per family, where it differs from the agreed value


def allowed(a: Witness, b: Witness, relative: float) -> Array:
    """Return how far two witnesses may lie apart."""
    given = np.maximum(a.size, b.size)
    size = np.maximum(np.maximum(abs(a.value), abs(b.value)), given)
    return tolerance(size, relative, np.add(a.error, b.error))


def distance(a: Witness, b: Witness, limit: Array | float) -> Array:
    """Return how far two witnesses lie apart, in units of the tolerance; 0 where one is silent.

    The limit is what is `allowed`, or the relative tolerance it follows from.
    """
    if isinstance(limit, float):
        limit = allowed(a, b, limit)
    silent = np.logical_or(a.silent, b.silent)
    return np.where(silent, 0.0, excess(a.value, b.value, limit))


def finite(values: Array) -> Array:
    """Return magnitudes, and 0 for what is infinite or nan and has none."""
    return np.where(np.isfinite(values), abs(values), 0.0)


def speaking_first(one: Witness, other: Witness) -> Witness:
    """Return a witness where it speaks, and elsewhere another of its family."""
    shape = one.value.shape
    silent = np.broadcast_to(one.silent, shape)
    return replace(
        other,
        value=np.where(silent, other.value, one.value),
        error=np.where(silent, other.error, one.error),
        silent=silent & other.silent,
    )


def one_per_family(witnesses: Sequence[Witness]) -> dict[str, Witness]:
    """Return the first witness of every family."""
    first: dict[str, Witness] = {}
    for witness in witnesses:
        first.setdefault(witness.family, witness)
    return first


def vote(witnesses: Sequence[Witness], relative: float) -> Vote:
    """Let the families vote on every entry.

    Differences are vague: where an exact value agrees with them, it is the exact one that is
    agreed on. Where two values have as many families behind them, that of the differences wins,
    since they alone look at `f` itself. What they are not sure of they are silent on.

    Example:
        >>> two, three = np.array([2.0]), np.array([3.0])
        >>> result = vote(
        ...     [Witness("reverse", "backward", three), Witness("forward", "forward", three),
        ...      Witness("by hand", "by hand", two)], 1e-12)
        >>> result.agreed.value.tolist(), result.support.tolist(), result.against["by hand"]
        ([3.0], [2], array([ True]))
    """
    families = one_per_family(witnesses)
    speakers = list(families.values())
    shape = speakers[0].value.shape
    speaks = np.array([np.broadcast_to(np.logical_not(one.silent), shape) for one in speakers])
    agree = np.array([[distance(a, b, relative) <= 1 for b in speakers] for a in speakers])
    support = (agree & speaks).sum(axis=1)
    with_numeric = np.zeros_like(speaks)
    rank = np.where(speaks, 2 * support, -1)
    for i, one in enumerate(speakers):
        if one.family == NUMERIC.name:
            with_numeric = agree[:, i] & speaks[i] & speaks
            covered = np.delete(with_numeric, i, axis=0).any(axis=0)
            rank[i] = np.where(covered, -1, rank[i])
    rank = np.where(rank >= 0, rank + with_numeric, -1)
    leader = rank.argmax(axis=0)
    with_leader = np.take_along_axis(agree, leader[None, None], axis=0)[0]
    rival = np.where(with_leader | ~speaks, -1, rank).max(axis=0)
    decided = rival < rank.max(axis=0)
    agreed = Witness(
        "agreed",
        "agreed",
        np.choose(leader, [one.value for one in speakers]),
        np.choose(leader, [np.broadcast_to(one.error, shape) for one in speakers]),
    )
    return Vote(
        agreed,
        np.take_along_axis(support, leader[None], axis=0)[0],
        decided,
        {name: decided & ~with_leader[i] for i, name in enumerate(families)},
    )


def product(one: Witness, weights: Array) -> Witness:
    """Return vᵀ·J according to one witness to J."""
    shape = one.value.shape
    with np.errstate(invalid="ignore", over="ignore"):
        value = weights @ one.value
        size = abs(weights) @ abs(one.value)
        error = abs(weights) @ np.broadcast_to(one.error, shape)
    silent = np.broadcast_to(one.silent, shape).any(axis=0) | ~np.isfinite(value)
    return Witness(one.name, one.family, value, error, size, silent)
