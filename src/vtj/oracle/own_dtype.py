"""What a custom Function leaves in `x.grad` in the dtype that `x` came in, where J is of another.

The verdict is about float64. In float32 the same backward may overflow, or take another way.
"""

from collections.abc import Iterator

import numpy as np
import torch

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves, shaped_like
from vtj.engines import BACKWARD
from vtj.oracle.rounding import negligible_slopes
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line
from vtj.report import Row

# Units in the last place by which the whole gradient of an input may be off and no row says so: a
# right tanh of running sums in float16 (in tests/) would have a row with 1.
UNITS = 16
WHAT_TO_DO = "reference=f compares f with itself in float64"


def in_own_dtype(trial: Trial, v: Array, right: Array) -> Iterator[Row]:
    """Yield a row where one gradient of `v` is far from what was right, in the dtype `x` came in.

    It costs a call of `f`, of a custom Function alone: torch's own operators are right there.
    """
    if not trial.looked_into or trial.came_in == tuple(part.dtype for part in trial.parts):
        return
    coarsest = max(trial.came_in, key=lambda dtype: torch.finfo(dtype).eps)
    told = _told(trial, v, right, max(VISIBLE, UNITS * torch.finfo(coarsest).eps))
    if told:
        name = str(coarsest).removeprefix("torch.")
        yield Row(f"x.grad in {name}", BACKWARD.name, "note", note=f"{told}; {WHAT_TO_DO}")


def _told(trial: Trial, v: Array, right: Array, visible: float) -> str:
    parts = zip(trial.parts, trial.came_in, strict=True)
    leaves = fresh_leaves(tuple(part.to(dtype) for part, dtype in parts))
    try:
        y = as_tuple(trial.f(*leaves), "y")
        reached, weights = trial.reached_parts(y), trial.reached_parts(shaped_like(v, y))
        grads = waiting.grad(reached, leaves, weights, allow_unused=True)
    except Exception as error:
        return f"raises {first_line(error)}"
    came, finite = trial.gradient(grads), np.isfinite(right)
    if count := int((~np.isfinite(came) & finite).sum()):
        return f"nan or infinite at {count} of {came.size} elements, in float64 at none of these"
    stops = np.cumsum([part.numel() for part in trial.parts])[:-1]
    seen = (np.where(finite, one, 0.0) for one in (came - right, right))
    both = zip(trial.x_names("x.grad"), *(np.split(one, stops) for one in seen), strict=True)
    # of a zero rounding alone is left: else a shift before a right layer norm (in tests/) is told
    zero = negligible_slopes(trial, abs(v) @ abs(trial.y_vector))
    for name, apart, due in both:
        size, off = float(np.linalg.norm(due)), float(np.linalg.norm(apart))
        if off > visible * size and (abs(due) > zero).any():
            return f"{name} is off by {off / size:.2g} of its size in float64"
    return ""
