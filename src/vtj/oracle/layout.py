"""A `v` whose elements do not lie side by side: is it read by its strides?

``y.sum().backward()`` and ``y.T.backward(v)`` hand such a gradient to what made `y`. A kernel that
takes it for contiguous reads other numbers, and says nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves, shaped_like
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, same_up_to_rounding
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line
from vtj.report import Row

GAPS = Behavior("v not contiguous", "the backward is another where v is not contiguous")


@dataclass(frozen=True)
class Spread:
    """What a backward pass left whose gradient argument has gaps, or the error that it raised."""

    v: Array  # the gradient argument as a vector
    grad: Array | str


def with_gaps(part: Tensor) -> Tensor:
    """Return the same numbers, column by column, each followed in memory by one that is not theirs.

    A kernel that goes through as much memory as a contiguous `v` has stays within it.
    """
    columns = part.permute(*reversed(range(part.ndim)))
    return torch.stack([columns, -3 * columns], -1)[..., 0].permute(*reversed(range(part.ndim)))


def spread(trial: Trial, v: Array, run: ForwardRun | None = None) -> Spread | None:
    """Run backward through a run, whose graph stays, or a new one; None where that is not asked.

    A custom Function's alone is asked for: torch's own operators go by strides.
    """
    if not trial.custom or not all(trial.connected) or all(y.numel() < 2 for y in trial.y):
        return None
    if run is None:
        leaves = fresh_leaves(trial.x)
        run = ForwardRun(leaves, trial.f(*leaves))
    weights = [with_gaps(part) for part in shaped_like(v, trial.y)]
    try:
        grads = waiting.grad(
            as_tuple(run.y), run.leaves, weights, retain_graph=True, allow_unused=True
        )
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return None
        return Spread(v, first_line(error))
    return Spread(v, trial.gradient(grads))


def judge_layout(trial: Trial, seen: Spread | None, grad: Array, size: Array) -> Iterator[Judged]:
    """Judge it beside the `grad` that the same `v` left where it is contiguous."""
    if seen is None:
        return
    if isinstance(seen.grad, str):  # which deceives nobody
        note = f"begin backward with v = v.contiguous(), or it raises {seen.grad}"
        yield Judged(Row(GAPS.name, BACKWARD.name, "note", note=note))
        return
    yield same_up_to_rounding(trial, GAPS, seen.v, seen.grad, grad, size)
