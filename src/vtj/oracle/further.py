"""A further backward pass through a run whose graph stands, to compare with the first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, same_up_to_rounding
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line
from vtj.report import Row


@dataclass(frozen=True)
class Further:
    """What such a pass left, or the error that it raised."""

    v: Array  # the gradient argument as a vector
    grad: Array | str


def further(
    trial: Trial, run: ForwardRun, v: Array, weights: Sequence[Tensor], *, retain_graph: bool
) -> Further | None:
    """Run backward with these weights, which hold `v`; None where it takes no `inputs`."""
    try:
        grads = waiting.grad(
            as_tuple(run.y), run.leaves, weights, retain_graph=retain_graph, allow_unused=True
        )
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return None
        return Further(v, first_line(error))
    return Further(v, trial.gradient(grads))


def judge_further(
    trial: Trial, behavior: Behavior, advice: str, seen: Further | None, grad: Array, size: Array
) -> Iterator[Judged]:
    """Judge it beside the `grad` that the same `v` left first; what raises deceives nobody."""
    if seen is None:
        return
    if isinstance(seen.grad, str):
        note = f"{advice}, or it raises {seen.grad}"
        yield Judged(Row(behavior.name, BACKWARD.name, "note", note=note))
        return
    yield same_up_to_rounding(trial, behavior, seen.v, seen.grad, grad, size)
