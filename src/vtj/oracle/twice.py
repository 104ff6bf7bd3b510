"""Whether a backward that is right can be differentiated itself, or gives a wrong one silently."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
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

# Parts of the size of x, the finest first: the slope must be the same over two of them over which y
# moves. Without the first the right double backward of x**2 + 1e-18 sin(1e9 x) (in tests/) would be
# called wrong; what is in float32 stands still there, and without the last a sine cut from x (in
# tests/) is not told.
STEPS = (FINER[1], CLOSE, 16 * CLOSE)
# Of the slope of y, which is known: with 1 a step over which y stands still would count, and a sine
# cut from x that is in float32 inside (in tests/) would not be told.
MOVES = 0.25
OR_MARK = "or mark it @once_differentiable (check(order=2) says which entry)"
THROUGH_X = (
    "silently wrong: along one direction {} by double backward, {} by {}; "
    f"compute backward from saved inputs and outputs alone, by differentiable operations, {OR_MARK}"
)
THROUGH_V = (
    "silently wrong in its part through v, the gradient argument: along one direction {} by double "
    "backward, {} by {}; compute backward with v itself, by differentiable "
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

    def slopes(self, step: float) -> Array:
        """Return both derivatives by one central difference."""
        slopes: Array = (self.at(step) - self.at(-step)) / (2 * step)
        return slopes

    def row(self, part: int, due: float, who: str) -> Row:
        """Return the row on one of both: what it is by double backward, and what others say."""
        pair = self.by_graph[part], due
        note = (THROUGH_X, THROUGH_V)[part].format(*numbers(pair, pair), who)
        return Row("double backward", BACKWARD.name, "note", note=note)

    def rows(self, reach: float) -> Iterator[Row]:
        """Yield a row for each part in which double backward says something else, for sure.

        `reach` is the step that moves no element of `x` by more than its size.
        """
        step = min((abs(one) for one in self.moved), default=CLOSE * reach)
        slopes = self.slopes(step)
        # a right backward is linear in v: along v its derivative is itself. By differences alone,
        # a fast sine (in tests/) would cost the calls below
        due = np.array([slopes[0], self.grad @ self.u])
        gaps = abs(due - self.by_graph)
        off = gaps > VISIBLE * np.maximum(abs(due), abs(self.by_graph))
        if not off.any():
            return
        sides = dict(islice(self._sides(reach), 2))
        if len(sides) < 2:
            return
        # with the size of x.grad alone, of which hardly more than rounding is left where a softmax
        # is all but one, 1 of 8 right ones (in tests/) was told
        size = max(abs(self.at(0.0)[0]), abs(self.v) @ abs(self.trial.y_vector))
        eps = self.trial.eps
        # what is inside is rounded as float32 is, if not more: without it 13 of 60 right ones of a
        # logsumexp of 10 x (in tests/) would be told
        if STEPS[0] not in sides:
            eps = max(eps, torch.finfo(torch.float32).eps)
        rounding = eps * size / (min(sides) * reach)
        errors = abs(np.vstack([slopes, *sides.values()]) - due).max(axis=0) + rounding
        for k in map(int, np.flatnonzero(off & (errors <= gaps / SAFETY))):
            yield self.row(k, slopes[k], ("differences of x.grad", "differences of y")[k])

    def _sides(self, reach: float) -> Iterator[tuple[float, Array]]:
        """Yield each part over which y moves as its slope says, and the slopes on both sides."""
        here, slope = self.at(0.0), self.grad @ self.u
        for part in STEPS:
            steps = np.array([[part * reach], [-part * reach]])
            slopes = (np.array([self.at(step) for step in steps.flat]) - here) / steps
            if (abs(slopes[:, 1] - slope) <= MOVES * abs(slope)).all():
                yield part, slopes


def twice(trial: Trial, run: ForwardRun, v: Array, u: Array) -> Twice | None:
    """Differentiate a backward pass through a run, whose graph stays; None where it refuses that.

    One that raises is not silent.
    """
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
