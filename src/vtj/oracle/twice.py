"""Whether a backward that is right can be differentiated itself, or gives a wrong one silently."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, graph_of, shaped_like
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
WHAT_TO_DO = (
    "silently wrong: along one direction {} by double backward, {} by differences of x.grad; "
    "compute backward from saved inputs and outputs alone, by differentiable operations, or mark "
    "it @once_differentiable (check(order=2) says which entry)"
)


@dataclass(frozen=True)
class Twice:
    """The derivative of ⟨x.grad, u⟩ along `u`: by double backward, and from runs beside `x`."""

    trial: Trial
    v: Array
    u: Array
    grad: Array  # x.grad under ``create_graph=True``
    by_graph: float
    moved: dict[float, float] = field(default_factory=dict)  # ⟨x.grad, u⟩ by the step along `u`

    def see(self, step: float, leaves: tuple[Tensor, ...], y: Any) -> None:
        """Run backward through the graph of a run of `f` at that step."""
        outcome = finished(leaves, y, self.trial.x, self.trial.weights(self.v))
        self.moved[step] = float(self.trial.gradient(outcome.grad) @ self.u)

    def at(self, step: float) -> float:
        """Return ⟨x.grad, u⟩ there."""
        if step not in self.moved:
            parts = as_tuple(self.trial.at(self.trial.x_vector + step * self.u))
            leaves = tuple(part.detach().requires_grad_() for part in parts)
            self.see(step, leaves, self.trial.f(*leaves))
        return self.moved[step]

    def rows(self, reach: float) -> Iterator[Row]:
        """Yield a row where double backward says something else than differences, for sure.

        `reach` is the step that moves no element of `x` by more than its size.
        """
        step = min((abs(one) for one in self.moved), default=CLOSE * reach)
        slope = (self.at(step) - self.at(-step)) / (2 * step)
        if abs(slope - self.by_graph) <= VISIBLE * max(abs(slope), abs(self.by_graph)):
            return
        here = self.at(0.0)
        steps = [part * reach for part in STEPS]
        rounding = self.trial.eps * abs(here) / min(steps)
        sides = [(self.at(sign * one) - here) / (sign * one) for one in steps for sign in (1, -1)]
        if max(abs(one - slope) for one in sides) + rounding > abs(slope - self.by_graph) / SAFETY:
            return
        told = numbers([self.by_graph, slope], (self.by_graph, slope))
        yield Row("double backward", BACKWARD.name, "note", note=WHAT_TO_DO.format(*told))


def twice(trial: Trial, run: ForwardRun, v: Array, u: Array) -> Twice | None:
    """Differentiate a backward pass through a run, whose graph stays; None where that is not asked.

    A custom Function's alone is asked for. One that raises is not silent.
    """
    if not trial.looked_into:
        return None
    weights = tuple(part.requires_grad_() for part in shaped_like(v, trial.y))
    try:
        grads = waiting.grad(
            as_tuple(run.y), run.leaves, weights, create_graph=True, materialize_grads=True
        )
        if any(node.name() == ONCE_DIFFERENTIABLE for node in graph_of(grads)):
            return None
        towards = zip(grads, as_tuple(trial.at(u)), strict=True)
        seen = [(grad, part) for grad, part in towards if grad.requires_grad]
        second = waiting.grad(
            [grad for grad, _ in seen],
            run.leaves,
            [part for _, part in seen],
            retain_graph=True,
            materialize_grads=True,
        )
    except Exception:
        return None
    return Twice(trial, v, u, trial.gradient(grads), float(trial.gradient(second) @ u))
