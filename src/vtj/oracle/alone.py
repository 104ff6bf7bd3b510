"""Each input alone, each output alone: what backward does where it is asked for less.

A Function that mistakes ``ctx.needs_input_grad``, or the gradient of an output that nobody uses,
is right as long as everything is asked for.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, dense
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, same_up_to_rounding
from vtj.oracle.findings import Finding
from vtj.oracle.patterns import NOT_LINEAR
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Witness, distance, unnamed
from vtj.oracle.witnesses import first_line
from vtj.report import Row

INPUTS = Behavior(
    "each input alone",
    "another gradient where this input alone requires grad (ctx.needs_input_grad)",
)
OUTPUTS = Behavior("each output alone", "another gradient where each output is used alone")
TOGETHER = "right where each output is used alone, wrong where several are"


def beyond_jacobian(trial: Trial, v: Array, right: Witness) -> str:
    """Name the mistake of a backward that gives J row by row, and not `right`, which is vᵀ·J."""
    if sum(trial.connected) > 1:
        with suppress(Exception):  # it is no more than a closer look
            came = unnamed(outputs_alone(trial, v))
            if (distance(came, right, trial.relative) <= 1).all():
                return TOGETHER
    return NOT_LINEAR


@dataclass(frozen=True)
class _Raised(Exception):  # noqa: N818 - no reader sees it
    """Backward raised, for what was asked alone."""

    where: str
    error: Exception


def judge_alone(
    trial: Trial, v: Array, grad: Array, size: Array, *, inputs: bool = True
) -> Iterator[Judged]:
    """Judge backward for each input and for each output alone, beside the `grad` for all.

    It takes one pass for each, where there are several; without `inputs`, for each output.
    """
    if not np.isfinite(grad).all():
        return
    if inputs and len(trial.parts) > 1:
        yield _judged(trial, INPUTS, _inputs_alone, (v, grad, size))
    if sum(trial.connected) > 1:
        yield _judged(trial, OUTPUTS, outputs_alone, (v, grad, size))


def _judged(
    trial: Trial,
    behavior: Behavior,
    alone: Callable[[Trial, Array], Array],
    of_all: tuple[Array, Array, Array],
) -> Judged:
    v, grad, size = of_all
    try:
        came = alone(trial, v)
    except _Raised as raised:
        note = f"{first_line(raised.error)}: {raised.where}"
        row = Row(behavior.name, BACKWARD.name, "fails", note=note)
        return Judged(row, Finding(f"x.grad: backward raises {note}", "wrong", BACKWARD.culprit))
    except Exception as error:  # f needs them all, as one that differentiates inside
        return Judged(Row(behavior.name, "", "not applicable", note=first_line(error)))
    return same_up_to_rounding(trial, behavior, v, came, grad, size, times=len(trial.y))


def _inputs_alone(trial: Trial, v: Array) -> Array:
    found = []
    for k, name in enumerate(name for name, _ in trial.inputs):
        leaves = [part.detach().clone() for part in trial.parts]
        leaves[k].requires_grad_()
        told = f"where {name} alone requires grad"
        found.append(_gradient(trial, leaves, v, range(len(trial.y)), [k], told)[k])
    return trial.gradient(tuple(found))


def outputs_alone(trial: Trial, v: Array) -> Array:
    """Return the sum of what a backward from each output leaves where the others are not used."""
    everything = range(len(trial.parts))
    total = np.zeros(trial.size[1])
    for j in np.flatnonzero(trial.connected).tolist():
        leaves = [part.detach().clone().requires_grad_() for part in trial.parts]
        told = f"where {trial.y_names[j]} alone is used"
        total += trial.gradient(tuple(_gradient(trial, leaves, v, [j], everything, told)))
    return total


def _gradient(
    trial: Trial,
    leaves: Sequence[Tensor],
    v: Array,
    outputs: Sequence[int],
    inputs: Sequence[int],
    told: str,
) -> list[Tensor | None]:
    with warnings.catch_warnings():
        # of checkpoints with nothing to do, which nobody asked for
        warnings.simplefilter("ignore")
        y, weights = as_tuple(trial.f(*leaves), "y"), as_tuple(trial.weights(v))
        seen = [i for i in outputs if y[i].requires_grad]
        if seen:
            try:
                waiting.backward(
                    [y[i] for i in seen],
                    [weights[i] for i in seen],
                    inputs=[leaves[i] for i in inputs],
                )
            except Exception as error:
                if "use_reentrant=True" in str(error):  # it refuses inputs=
                    raise
                raise _Raised(told, error) from error
    return [None if leaf.grad is None else dense(leaf.grad) for leaf in leaves]
