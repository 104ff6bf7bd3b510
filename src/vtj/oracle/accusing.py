"""Who is at fault, as one finding, unless it is last digits or roundings by which entries are off.

`check` asks for all entries in which a family is outvoted, `certify` for the one that it has found.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vtj.engines import BACKWARD, FORWARD, NUMERIC, Family
from vtj.oracle.findings import (
    FORWARD_ERRS,
    LAST_DIGITS,
    MEANT,
    Finding,
    accusation,
    differs_in_last_digits,
    may_round,
)
from vtj.oracle.patterns import DETACHED
from vtj.oracle.rounding import rounded_inside
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Witness


def accused(
    trial: Trial,
    told: str,  # the entry, and what everybody says of it
    family: Family,
    mine: Witness,  # what it says of these entries; of a path that is cut, what backward says
    right: Witness,
    remarks: Callable[[], tuple[str, str]],  # which mistake it is, and in how many entries
) -> Finding:
    """Return the finding that a family errs, or that so much is no mistake."""
    of_autograd = family in (NUMERIC, FORWARD)
    if of_autograd and differs_in_last_digits(mine.value, right.value, trial.earned):
        return Finding(f"{told}: {LAST_DIGITS}", "undecided")
    if family == FORWARD and not trial.custom:
        return Finding(f"{told}: {FORWARD_ERRS}, and differences are too rough", "undecided")
    if family == BACKWARD and rounded_inside(
        trial, mine.value, right.value, np.asarray(right.error)
    ):
        return may_round(told, trial.inside)
    if family.verdict == "undecided":
        return Finding(f"{told}: {family.conclusion}", "undecided")
    mistake, count = remarks()
    # a custom Function may have a jvp that errs as its backward does
    if family == NUMERIC and not trial.custom and (mistake or trial.detaches):
        found = accusation(told, family.conclusion, family.culprit, mistake or DETACHED, count)
        return replace(found, text=f"{found.text}; {MEANT}")
    return accusation(told, family.conclusion, family.culprit, mistake, count)
