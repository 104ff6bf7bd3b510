"""The one rule by which two numbers agree: relative to the entry, with no absolute part."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vtj.engines.numeric import SAFETY

RELATIVE: Mapping[torch.dtype, float] = MappingProxyType(
    {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 1e-1}
)
"""How far two exact derivatives may lie apart, relative to the entry, per working dtype.

With ten times as much a sine would be correct whose backward is off by a part of 5e-12, 5e-5, 0.05
or 0.5 (in tests/). A tenth decides nothing: what a right function loses beyond that is measured.
"""

MOST_ROUNDING = 100
"""Times the relative tolerance: more is a mistake, not rounding. Without it `certify` would call a
sine correct whose backward is off by a random 1e-6, another at every call."""

MOST_PART = 0.1  # with 1 a sine in float16 would be undecided whose backward takes v|v| for v

VISIBLE = 1e-3
"""A part of the largest slope or gradient: *correct* must not miss an error as large as that.

In float32 a TransformerEncoderLayer(16, 2, 32) has gradients of about 1, and only an error of 60
would show.
"""

TINY = float(np.finfo(np.float64).tiny)  # in place of 0, to divide by


def most_rounding(relative: float) -> float:
    """Return the largest part of a value that may be rounding."""
    return min(MOST_ROUNDING * relative, MOST_PART)


def tolerance(size: Any, relative: float, error: Any = 0.0) -> NDArray[np.float64]:
    """Return the largest difference at which two values still agree, entry by entry.

    `size` is the magnitude of what is compared: for a sum, the sum of the magnitudes.
    """
    allowed = relative * np.asarray(size, dtype=np.float64)
    margin = np.asarray(error, dtype=np.float64)
    return allowed + SAFETY * margin if margin.any() else allowed


def excess(a: Any, b: Any, allowed: Any) -> NDArray[np.float64]:
    """Return ``|a - b|`` in units of what is allowed: at most 1 where they agree.

    Two values that are equal, or both infinite alike, or both nan, are 0 apart.
    """
    first, second, limit = (np.asarray(part, dtype=np.float64) for part in (a, b, allowed))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = np.abs(first - second)
        ratio /= limit + TINY
    if not np.isnan(ratio.max(initial=0)):
        return ratio
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    return np.where(same, 0.0, np.where(np.isnan(ratio), np.inf, ratio))
