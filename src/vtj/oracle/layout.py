"""A `v` whose elements do not lie side by side: is it read by its strides?

``y.sum().backward()`` and ``y.T.backward(v)`` hand such a gradient to what made `y`. A kernel that
takes it for contiguous reads other numbers, and says nothing.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from vtj.calling.tensors import fresh_leaves, shaped_like
from vtj.oracle.behavior import Behavior, Judged
from vtj.oracle.further import Further, further, judge_further
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array

GAPS = Behavior("v not contiguous", "the backward is another where v is not contiguous")


def with_gaps(part: Tensor) -> Tensor:
    """Return the same numbers, column by column, each followed in memory by one that is not theirs.

    A kernel that goes through as much memory as a contiguous `v` has stays within it.
    """
    columns = part.permute(*reversed(range(part.ndim)))
    return torch.stack([columns, -3 * columns], -1)[..., 0].permute(*reversed(range(part.ndim)))


def spread(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further | None:
    """Run backward through a run, whose graph stays, or a new one; None where that is not asked."""
    if not trial.looked_into or all(y.numel() < 2 for y in trial.y):
        return None
    if run is None:
        leaves = fresh_leaves(trial.x)
        run = ForwardRun(leaves, trial.f(*leaves))
    weights = [with_gaps(part) for part in shaped_like(v, trial.y)]
    return further(trial, run, v, weights, retain_graph=True)


def judge_layout(trial: Trial, seen: Further | None, grad: Array, size: Array) -> Iterator[Judged]:
    """Judge it beside the `grad` that the same `v` left where it is contiguous."""
    return judge_further(trial, GAPS, "begin backward with v = v.contiguous()", seen, grad, size)
