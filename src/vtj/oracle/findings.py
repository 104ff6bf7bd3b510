"""One line a person can act on, and what it means for the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vtj.oracle.naming import numbers
from vtj.oracle.voting import Witness
from vtj.report import Verdict

CONCLUSIONS = {
    "jacobian": "the hand-derived J is wrong",
    "backward": "the backward is wrong",
    "forward": "the forward derivative (jvp) is wrong",
    "f": "autograd does not see all of f",
}
SPOKEN = ("by hand", "backward", "forward", "numeric", "symbolic")


@dataclass(frozen=True)
class Finding:
    """What is wrong or cannot be decided.

    Attributes:
        text: The line.
        verdict: ``"wrong"`` or ``"undecided"``.
        culprit: Who is at fault, when that is known.
    """

    text: str
    verdict: Literal["wrong", "undecided"] = "wrong"
    culprit: str | None = None


def overall(findings: Sequence[Finding]) -> tuple[Verdict, str | None]:
    """Give the verdict and the culprit that follow from all findings.

    Example:
        >>> overall([Finding("...", "undecided"), Finding("...", "wrong", "backward")])
        ('wrong', 'backward')
    """
    wrong = [finding for finding in findings if finding.verdict == "wrong"]
    if wrong:
        return "wrong", next((one.culprit for one in wrong if one.culprit), None)
    return ("undecided" if findings else "correct"), None


def said(witnesses: Sequence[Witness], at: int) -> str:
    """Give what each family says of one entry, in the order families are always told in.

    Example:
        >>> import numpy as np
        >>> said([Witness("reverse", "backward", np.array([3.0])),
        ...       Witness("by hand", "by hand", np.array([6.0]))], 0)
        'by hand 6, backward 3'
    """
    told = sorted(
        witnesses, key=lambda one: SPOKEN.index(one.family) if one.family in SPOKEN else -1
    )
    spoken = [(one.family, float(one.value.reshape(-1)[at])) for one in told]
    spoken = [(name, value) for name, value in spoken if name != "numeric" or value == value]
    if not spoken:
        return "differences too rough to tell"
    first = spoken[0][1]
    apart = max((value for _, value in spoken), key=lambda value: abs(value - first))
    written = numbers([value for _, value in spoken], (first, apart))
    return ", ".join(f"{name} {text}" for (name, _), text in zip(spoken, written, strict=True))
