"""Mistakes people make often, recognized from a wrong and a right matrix."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vtj.engines import BACKWARD, FORWARD, NUMERIC, Family
from vtj.oracle.findings import GOOD_DIGITS, few_digits
from vtj.oracle.voting import Array, Mask, Witness


class Input(NamedTuple):
    """A part of x, whose elements are columns of J."""

    name: str
    shape: tuple[int, ...]
    pairs: bool = False  # whether it stands for complex numbers


Inputs: TypeAlias = Sequence[Input]

ZERO = "a missing term: zero where it should not be"
OPPOSITE = "the opposite sign"
TRANSPOSED = "transposed"
FACTOR = "a factor transposed, as w.T for w"  # the J of one input of several is
NOT_OF_V = "does not depend on v"
OF_SUM = "depends on the sum of v alone, as where v is averaged"
NOT_LINEAR = "not linear in v"
CONSTANT = "a term that does not depend on v: not zero for a v of zeros"
TOGETHER = "right where each output is used alone, wrong where several are"
DETACHED = "a detached path"
SINGLE = "float32 precision"
MISSING, TOO_MANY = VAGUE = ("a missing term", "a term too many")
NAMED = 4  # inputs with a mistake each written out; a network has hundreds
CONJUGATE = "the conjugate of what it should be"
NOT_CONJUGATED = "v times the derivative, where torch expects v times its conjugate"


def cause(
    family: Family,
    found: Mapping[str, Array],  # J as backward, forward and a person give it
    right: Witness,
    differs: Mask,
    inputs: Inputs,
) -> str:
    """Name the mistake of who is at fault, or give an empty string."""
    if family != NUMERIC:
        named = pattern(found[family.name], right.value, differs, right.error, inputs)
        return CONJUGATE if named == NOT_CONJUGATED and family != BACKWARD else named
    seen = [found[one.name][differs] for one in (BACKWARD, FORWARD) if one.name in found]
    return detached(bool(seen) and not any(one.any() for one in seen), FORWARD.name in found)


def explained(
    family: Family, found: Mapping[str, Array], right: Witness, differs: Mask, inputs: Inputs
) -> tuple[str, str]:
    """Name the mistake, and count its entries: input by input, where each has one of its own."""
    named = cause(family, found, right, differs, inputs)
    count = f"{differs.sum()} of {differs.size} entries" if differs.sum() > 1 else ""
    if named not in ("", *VAGUE):
        return named, count
    told, stops = [], np.cumsum([prod(part.shape) for part in inputs])
    for stop, part in zip(stops, inputs, strict=True):
        of = np.s_[:, stop - prod(part.shape) : stop]
        if differs[of].any():
            error = np.broadcast_to(right.error, right.value.shape)[of]
            due = replace(right, value=right.value[of], error=error)
            by_family = {name: J[of] for name, J in found.items()}
            why = cause(family, by_family, due, differs[of], [part])
            if len(inputs) > 1 and why == TRANSPOSED:
                why = FACTOR
            told.append((f"{differs[of].sum()} of {part.name}", why))
    whys = {why for _, why in told}
    if len(whys) == 1:
        return named or whys.pop(), count
    several = [where + f", {why}" * bool(why) for where, why in told[:NAMED]]
    more = [f"{len(told) - NAMED} more inputs"] if len(told) > NAMED else []
    return "", f"{count}: {'; '.join(several + more)}"


def detached(zero: bool, forward: bool) -> str:
    """Say what autograd does not see: all it gives is zero, or a forward pass errs alike."""
    if zero:
        return f"{DETACHED}: zero where it should not be"
    return DETACHED if forward else ""


def pattern(
    wrong: Array,  # J as a matrix, or a vector
    right: Array,
    differs: Mask,  # by more than the tolerance
    error: Array | float = 0.0,  # how far `right` may be off
    inputs: Inputs = (),
) -> str:
    """Name the mistake that turns `right` into `wrong`, or give an empty string.

    Example:
        >>> right = np.array([[1.0, 2.0], [3.0, 4.0]])
        >>> pattern(right.T, right, right.T != right)
        'transposed'
        >>> pattern(2 * right, right, right > 0)
        'the factor 2'
        >>> grad = np.array([1.0, 2.0, 3.0, 4.0])
        >>> x = Input("x", (2, 2))
        >>> pattern(grad[[0, 2, 1, 3]], grad, grad[[0, 2, 1, 3]] != grad, inputs=[x])
        'the gradient of x is transposed'
    """
    slack = 1e-6 * np.abs(right) + 4 * np.asarray(error)

    def like(other: Array) -> bool:
        return bool((np.abs(wrong - other) <= slack).all())

    if not np.isfinite(wrong).all() or not np.isfinite(right).all():
        return ""
    if (wrong[differs] == 0).all():
        return ZERO
    if any(part.pairs for part in inputs):
        signs = conjugation(inputs)
        if like(right * signs):
            return CONJUGATE
        if right.ndim == 2 and like(alternating(len(right))[:, None] * right * signs):
            return NOT_CONJUGATED
    if like(np.where(differs, -right, right)):
        return OPPOSITE
    if right.ndim == 2:
        square = right.shape[0] == right.shape[1]
        if square and like(right.T) and (np.abs(right - right.T) > slack).any():
            return TRANSPOSED
        if len(wrong) > 1 and (wrong == wrong[0]).all():
            return NOT_OF_V
    if turned := _turned(wrong, right, differs, slack, inputs):
        return turned
    return (
        _factor(wrong[differs], right[differs], bool((right[~differs] == 0).all()))
        or _swapped(wrong, right)
        or _rounded(wrong[differs], right[differs])
        or (TOO_MANY if (right[differs] == 0).all() else "")
        or (MISSING if (wrong[differs] == 0).any() and right[differs].all() else "")
    )


def _turned(wrong: Array, right: Array, differs: Mask, slack: Array, inputs: Inputs) -> str:
    """Say which gradients were laid down transposed, where that explains everything."""
    if not inputs or any(part.pairs for part in inputs):
        return ""
    stops = np.cumsum([prod(part.shape) for part in inputs])[:-1]
    whole = (wrong, right, differs, slack)
    parts = zip(*(np.split(one, stops, axis=-1) for one in whole), inputs, strict=True)
    names = []
    for mine, other, apart, near, (name, shape, _) in parts:
        if not apart.any():
            continue
        if len(shape) != 2 or shape[0] != shape[1]:
            return ""
        turned = other.reshape(-1, *shape).swapaxes(1, 2).reshape(other.shape)
        if (np.abs(mine - turned) > near).any():
            return ""
        names.append(name)
    return these_transposed(names)


def these_transposed(names: Sequence[str]) -> str:
    """Say which gradients were laid down transposed."""
    return f"the gradient of {' and of '.join(names)} is transposed"


def turns(inputs: Inputs) -> Iterator[tuple[list[str], NDArray[np.int_]]]:
    """Yield square inputs, each alone and all, with where each element of `x` is then."""
    sizes = [prod(part.shape) for part in inputs]
    starts = np.cumsum([0, *sizes])
    shapes = [() if part.pairs else part.shape for part in inputs]
    square = [i for i, s in enumerate(shapes) if len(s) == 2 and s[0] == s[1] > 1]
    chosen = [[i] for i in square] + ([square] if len(square) > 1 else [])
    for these in chosen:
        there = np.arange(starts[-1])
        for i in these:
            part = there[starts[i] : starts[i + 1]]
            part[:] = part.reshape(inputs[i][1]).T.ravel()
        yield [inputs[i][0] for i in these], there


def conjugation(inputs: Inputs) -> Array:
    """Return what turns each element of x into that of its conjugate: -1 for imaginary parts.

    Example:
        >>> conjugation([Input("x[0]", (2, 2), pairs=True), Input("x[1]", (1,))]).tolist()
        [1.0, -1.0, 1.0, -1.0, 1.0]
    """
    parts = ((prod(part.shape), part.pairs) for part in inputs)
    return np.concatenate([alternating(size) if pairs else np.ones(size) for size, pairs in parts])


def alternating(size: int) -> Array:
    """Return the same for `y`, if that is complex as a whole; no other is likely to fit."""
    return np.resize([1.0, -1.0], size)


def _factor(wrong: Array, right: Array, everywhere: bool) -> str:
    if (right == 0).any() or (wrong.size == 1 and not everywhere):
        return ""
    ratio = wrong / right
    middle = float(np.median(ratio))
    if not 0 < abs(middle - 1) < 1e100 or np.ptp(ratio) > 0.01 * abs(middle - 1):
        return ""
    return factor(middle) + ("" if everywhere else " in these entries")


def factor(by: float) -> str:
    """Write a factor with as many digits as it takes to tell it from 1."""
    digits = min(17, max(3, 2 - int(np.floor(np.log10(abs(by - 1))))))
    return f"the factor {by:.{digits}g}"


def _swapped(wrong: Array, right: Array) -> str:
    if right.ndim != 2 or max(right.shape) > 64:
        return ""
    for axis, name in ((0, "y"), (1, "x")):
        for a, b in combinations(range(right.shape[axis]), 2):
            order = list(range(right.shape[axis]))
            order[a], order[b] = b, a
            if np.allclose(np.take(right, order, axis), wrong, rtol=1e-6, atol=0):
                return f"two elements of {name} swapped"
    return ""


def _rounded(wrong: Array, right: Array) -> str:
    apart = np.abs(wrong - right)
    if not (apart <= 2e-6 * np.abs(right)).all():
        return ""
    # what float32 rounds is mostly off by more; near a zero, a part of an entry may be more
    if np.median(apart / np.abs(right)) <= GOOD_DIGITS:
        return " ".join(few_digits(wrong, right))
    return SINGLE if wrong.size > 1 else ""
