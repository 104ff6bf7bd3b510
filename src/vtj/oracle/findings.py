"""One line a person can act on, who is at fault, and what it means for the verdict.

An entry is written ``dy[1,2]/dx[0,1]``, a number with the digits that tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from vtj.calling.complex_numbers import PARTS
from vtj.engines import BACKWARD, FAMILIES, FORWARD, NUMERIC, Family
from vtj.oracle.tolerance import most_rounding
from vtj.oracle.voting import Array, Mask, Witness
from vtj.report import Report, Row, Verdict

GOOD_DIGITS = 1e-8  # relative: torch's digamma is good to nine digits only, and not wrong
# Of an entry: differences alone accuse nobody of less. Else the bias-GELU that Megatron publishes,
# one of whose constants has ten digits, would be wrong (in tests/); with 1e-8 a square would be
# correct whose backward has the factor 1 + 1e-8.
FEW_DIGITS = 1e-9
BESIDE = "compare it with a plain function (reference=)"
FORWARD_ERRS = "torch's own forward formula is wrong"
MEANT = "if that is meant, say so (surrogate=f)"
KINK = "; f has a kink at x: move x off it"
SPLIT_VOTE = f"nobody to decide between them; {BESIDE}"
LAST_DIGITS = (
    "a formula is good to these digits only, or a very small path is detached; "
    f"{BESIDE}, or allow that (relative=)"
)


# Units in the last place of what a custom Function computes in, of an entry: differences alone
# accuse nobody of less. With 1/16 of it a right sine in bfloat16 (in tests/) would be wrong.
INSIDE = 4


@dataclass(frozen=True)
class Finding:
    """What is wrong or cannot be decided."""

    text: str
    verdict: Literal["wrong", "undecided"] = "wrong"
    culprit: str | None = None  # who is at fault, when that is known
    row: Row | None = None  # what is said in its place where all else is off by last digits alone


def element(
    names: Sequence[str],
    shapes: Sequence[tuple[int, ...]],
    flat: int,
    pairs: Sequence[bool] = (),  # which parts stand for complex numbers
) -> str:
    """Name the element at position `flat` of all elements, part after part.

    Example:
        >>> element(["y"], [(2, 3)], 5), element(["x[0]", "x[1]"], [(2,), (2, 2)], 3)
        ('y[1,2]', 'x[1][0,1]')
        >>> element(["y"], [(3, 2)], 5, [True])
        'y[2].imag'
    """
    part = 0
    while flat >= (size := int(np.prod(shapes[part]))):
        flat -= size
        part += 1
    index, ending = [int(i) for i in np.unravel_index(flat, shapes[part])], ""
    if part < len(pairs) and pairs[part]:
        ending = PARTS[index.pop()]
    return names[part] + (f"[{','.join(map(str, index))}]" if index else "") + ending


def numbers(values: Sequence[float], apart: tuple[float, float]) -> list[str]:
    """Write the values with as many digits (6 to 17) as it takes to tell two of them apart."""
    one, other = apart
    tell = (digits for digits in range(6, 18) if f"{one:.{digits}g}" != f"{other:.{digits}g}")
    digits = next(tell, 6)
    return [f"{value:.{digits}g}" for value in values]


def accusation(told: str, conclusion: str, culprit: str | None, *remarks: str) -> Finding:
    """Return the finding that somebody is at fault, with the remarks that are not empty."""
    remark = ", ".join(part for part in remarks if part)
    return Finding(f"{told}: {conclusion}" + (f" ({remark})" if remark else ""), "wrong", culprit)


def overall(findings: Sequence[Finding]) -> tuple[Verdict, str | None]:
    """Return the verdict and the culprit that follow from all findings."""
    wrong = [finding for finding in findings if finding.verdict == "wrong"]
    if wrong:
        return "wrong", next((one.culprit for one in wrong if one.culprit), None)
    return ("undecided" if findings else "correct"), None


def concluded(
    title: str, rows: Sequence[Row], found: Sequence[Finding], evidence: Any = None
) -> Report:
    """Return the report that follows from all findings, each said once."""
    verdict, culprit = overall(found)
    told = tuple(dict.fromkeys(one.text for one in found))
    return Report(title, tuple(rows), verdict, culprit, told, evidence)


def said(witnesses: Sequence[Witness], at: int) -> str:
    """Return what each family says of one entry, in the order of `FAMILIES`."""
    order = {name: place for place, name in enumerate(FAMILIES)}
    quoted = sorted(witnesses, key=lambda one: order.get(one.family, -1))
    spoken = [(one.family, float(one.value.reshape(-1)[at])) for one in quoted]
    spoken = [(name, value) for name, value in spoken if name != NUMERIC.name or value == value]
    if not spoken:
        return "differences too rough to tell"
    first = spoken[0][1]
    apart = max((value for _, value in spoken), key=lambda value: abs(value - first))
    written = numbers([value for _, value in spoken], (first, apart))
    return ", ".join(f"{name} {text}" for (name, _), text in zip(spoken, written, strict=True))


def culprits(against: Mapping[str, Mask], reached: Mask) -> list[tuple[Family, Mask]]:
    """Return per family, as who is at fault, which entries speak against it.

    Where backward and forward err together, or the differences alone contradict, it is `f`:
    autograd sees something else than what `f` computes. So it is where backward sees no way at all,
    as under `no_grad`, which a forward pass does not heed. `reached` is where autograd sees a way.
    """
    none = np.zeros_like(next(iter(against.values())))
    backward, forward, numeric = (
        against.get(family.name, none) for family in (BACKWARD, FORWARD, NUMERIC)
    )
    both = backward & (forward | ~reached)
    of_autograd = {
        BACKWARD: backward & ~both,
        FORWARD: forward & ~backward,
        NUMERIC: numeric | both,
    }
    return [
        (family, of_autograd.get(family, against.get(name, none)))
        for name, family in FAMILIES.items()
    ]


def differs_in_last_digits(exact: Array, numeric: Array, relative: float) -> bool:
    """Return whether exact values and differences part in digits that no detached path spares."""
    small = max(GOOD_DIGITS, most_rounding(relative))
    return bool((abs(exact - numeric) <= small * abs(numeric)).all())


def may_round(told: str, dtype: torch.dtype) -> Finding:
    """Return the finding that what somebody would be accused of may be rounding in this dtype."""
    name = str(dtype).removeprefix("torch.")
    return Finding(f"{told}: so much may be rounding in {name}, inside f; {BESIDE}", "undecided")


def few_digits(accused: Array, right: Array) -> tuple[str, str]:
    """Say by what part of themselves entries are off at most, and what allows that.

    Example:
        >>> few_digits(np.array([1 + 3e-9, 2.0]), np.array([1.0, 2.0]))
        ('off by 3e-09 of itself at most: a constant with few digits?', 'relative=1e-8 allows that')
    """
    part = float((abs(accused - right) / abs(right)).max())
    told = f"off by {part:.2g} of itself at most: a constant with few digits?"
    return told, f"relative=1e{int(np.ceil(np.log10(part)))} allows that"


def last_digits(which: str, accused: Array, right: Array) -> Row | None:
    """Return the row of a backward that differences alone contradict, by less than they may."""
    if not (abs(accused - right) <= FEW_DIGITS * abs(right)).all():
        return None
    told, _ = few_digits(accused, right)
    return Row("last digits", BACKWARD.name, "note", note=f"{which} is {told}")


def cancelled(chosen: float, slope: float, reach: float) -> str:
    """Return what is said where kinks inside `f` meet, so that torch's choice is not the slope."""
    ends = [slope - reach, slope + reach]
    low, high = (f"{0 if abs(end) < 1e-6 * reach else end:.6g}" for end in ends)
    mine, here = numbers([chosen, slope], (chosen, slope))
    there = f"is {here}" if low == high else f"goes from {low} to {high}"
    return f"torch chose {mine} where the slope {there}: kinks inside f meet; move x off them"
