"""Whether a backward that is right can be differentiated itself, or gives a wrong one silently."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, dense, graph_of, values, values_or_nan
from vtj.engines import BACKWARD
from vtj.engines.numeric import CLOSE, SAFETY
from vtj.oracle.differences import FINER
from vtj.oracle.findings import numbers
from vtj.oracle.tolerance import VISIBLE
from vtj.oracle.trial import ONCE_DIFFERENTIABLE, ForwardRun, Trial
from vtj.oracle.voting import Array
from vtj.outcome import finished
from vtj.report import Row

# Parts of the size of x over which the slope must be the same: without the second the right double
# backward of sin(1e9 x) would be called wrong (in tests/).
STEPS = (CLOSE, FINER[1])
# Over the second what is in float32 stands still, and a sine cut from x (in tests/) is not told.
WIDER = (16 * CLOSE, CLOSE)
OR_MARK = "or mark it @once_differentiable (check(order=2) says which entry)"
THROUGH_X = (
    "silently wrong: along one direction {} by double backward, {} by differences of x.grad; "
    f"compute backward from saved inputs and outputs alone, by differentiable operations, {OR_MARK}"
)
THROUGH_V = (
    "silently wrong in its part through v, the gradient argument: along one direction {} by double "
    "backward, {} by differences of y; compute backward with v itself, by differentiable "
    f"operations (no detach(), .data or no_grad() around it), {OR_MARK}"
)


@dataclass(frozen=True)
class Twice:
    """The derivatives of ⟨x.grad, u⟩ by x along `u`, and by v along `v`.

    They come by double backward, and from runs beside `x`: that by v is ⟨v, J·u⟩.
    """

    trial: Trial
    v: Array
    u: Array
    grad: Array  # x.grad under ``create_graph=True``
    by_graph: Array  # both, by double backward
    # ⟨x.grad, u⟩ and ⟨v, y⟩ by the step along `u`
    moved: dict[float, Array] = field(default_factory=dict)

    def see(self, step: float, leaves: tuple[Tensor, ...], y: Any) -> None:
        """Run backward through the graph of a run of `f` at that step."""
        of_y = self.v @ values_or_nan(y, self.v.size)  # before backward, which may write into y
        seen, weights = self.trial.reached_parts(y), self.trial.weights(self.v)
        outcome = finished(leaves, seen, self.trial.x, self.trial.reached_parts(weights))
        self.moved[step] = np.array([self.trial.gradient(outcome.grad) @ self.u, of_y])

    def at(self, step: float) -> Array:
        """Return ⟨x.grad, u⟩ and ⟨v, y⟩ there."""
        if step not in self.moved:
            parts = as_tuple(self.trial.at(self.trial.x_vector + step * self.u))
            leaves = tuple(part.detach().requires_grad_() for part in parts)
            self.see(step, leaves, self.trial.f(*leaves))
        return self.moved[step]

    def rows(self, reach: float) -> Iterator[Row]:
        """Yield a row for each part in which double backward says something else, for sure.

        `reach` is the step that moves no element of `x` by more than its size.
        """
        step = min((abs(one) for one in self.moved), default=CLOSE * reach)
        slopes = (self.at(step) - self.at(-step)) / (2 * step)
        # a right backward is linear in v: along v its derivative is itself. By differences alone,
        # a fast sine (in tests/) would cost the calls below
        due = np.array([slopes[0], self.grad @ self.u])
        gaps = abs(due - self.by_graph)
        off = gaps > VISIBLE * np.maximum(abs(due), abs(self.by_graph))
        if not off.any():
            return
        here = self.at(0.0)
        parts = STEPS if self.trial.dtype == torch.float64 else WIDER
        steps = [part * reach for part in parts]
        # with the size of x.grad alone, of which hardly more than rounding is left where a softmax
        # is all but one, 1 of 8 right ones (in tests/) was told
        size = max(abs(here[0]), abs(self.v) @ abs(self.trial.y_vector))
        rounding = self.trial.eps * size / min(steps)
        sides = [(self.at(sign * one) - here) / (sign * one) for one in steps for sign in (1, -1)]
        errors = abs(np.array([slopes, *sides]) - due).max(axis=0) + rounding
        for k in np.flatnonzero(off & (errors <= gaps / SAFETY)):
            told = numbers([self.by_graph[k], slopes[k]], (self.by_graph[k], slopes[k]))
            note = (THROUGH_X, THROUGH_V)[k].format(*told)
            yield Row("double backward", BACKWARD.name, "note", note=note)


def twice(trial: Trial, run: ForwardRun, v: Array, u: Array) -> Twice | None:
    """Differentiate a backward pass through a run, whose graph stays; None where that is not asked.

    A custom Function's alone is asked for. One that raises is not silent.
    """
    if not trial.looked_into:
        return None
    v = np.where(trial.reached, v, 0.0)
    given = as_tuple(trial.reached_parts(trial.weights(v)))
    weights = tuple(part.requires_grad_() for part in given)
    y = as_tuple(trial.reached_parts(run.y))
    try:
        grads = waiting.grad(y, run.leaves, weights, create_graph=True, materialize_grads=True)
        if any(node.name() == ONCE_DIFFERENTIABLE for node in graph_of(grads)):
            return None
        towards = zip(grads, as_tuple(trial.at(u)), strict=True)
        seen = [(grad, part) for grad, part in towards if grad.requires_grad]
        second = waiting.grad(
            [grad for grad, _ in seen],
            (*run.leaves, *weights),
            [part for _, part in seen],
            retain_graph=True,
            materialize_grads=True,
        )
    except Exception:
        return None
    by_x, by_v = second[: len(run.leaves)], second[len(run.leaves) :]
    through_v = values(tuple(map(dense, by_v))) @ v[trial.reached]
    by_graph = np.array([trial.gradient(by_x) @ u, through_v])
    return Twice(trial, v, u, trial.gradient(grads), by_graph)
