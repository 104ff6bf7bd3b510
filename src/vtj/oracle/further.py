"""The same `v`, with backward asked in another way: does it leave the same in `x.grad`?

A Function that mistakes ``ctx.needs_input_grad``, or the gradient of an output that nobody uses, is
right as long as everything is asked for. A kernel that takes a `v` for contiguous reads other
numbers where it is not, as in ``y.sum().backward()`` and ``y.T.backward(v)``. And what a Function
keeps on a module or in a global instead of its ctx is that of the latest call: a network that is
run on two inputs before one backward then gets a wrong gradient. None of these says a word.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves, shaped_like
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, raises, same_up_to_rounding
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array, Witness, distance, unnamed
from vtj.oracle.witnesses import first_line
from vtj.report import Row

INPUTS = Behavior(
    "each input alone",
    "another gradient where this input alone requires grad (ctx.needs_input_grad)",
)
OUTPUTS = Behavior("each output alone", "another gradient where each output is used alone")
GAPS = Behavior("v not contiguous", "the backward is another where v is not contiguous")
ANOTHER_CALL = Behavior(
    "another call between",
    "another gradient where f is called elsewhere before backward (what it saved is not in ctx)",
)


# what a further pass through a run left, or the error that it raised; None where it is not asked
Further: TypeAlias = Array | str | None


def judge_further(
    trial: Trial,
    v: Array,
    right: Witness,
    *,
    inputs: bool = True,
    seen: tuple[Further, Further] | None = None,  # with gaps, and behind other calls
) -> Iterator[Judged]:
    """Judge what backward leaves in all these ways, beside what the same `v` left first.

    Where there are several inputs or outputs, each costs a pass; without `inputs`, each output.
    """
    yield from judge_alone(trial, v, right, inputs=inputs)
    gaps, behind = seen or (spread(trial, v), behind_another_call(trial, v))
    for behavior, advice, grad in (
        (GAPS, "begin backward with v = v.contiguous()", gaps),
        (ANOTHER_CALL, "call backward before f is called again", behind),
    ):
        if isinstance(grad, str):  # what raises deceives nobody
            note = f"{advice}, or it raises {grad}"
            yield Judged(Row(behavior.name, BACKWARD.name, "note", note=note))
        elif grad is not None:
            yield same_up_to_rounding(trial, behavior, v, grad, right)


def spread(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further:
    """Run backward through a run, whose graph stays, or a new one, where `v` has gaps.

    They are numbers that are not its own: column by column, each element is followed by one. A
    kernel that goes through as much memory as a contiguous `v` has stays within it.
    """
    if not trial.looked_into or all(y.numel() < 2 for y in trial.y):
        return None
    weights = []
    for part in shaped_like(v, trial.y):
        reverse = tuple(reversed(range(part.ndim)))  # empty beside a loss, which has no dimension
        columns = part.permute(reverse)
        apart = torch.stack([columns, -3 * columns], -1)[..., 0]
        weights.append(apart.permute(reverse))
    return _further(trial, run or _new_run(trial), weights, retain_graph=True)


def behind_another_call(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further:
    """Run backward through a run, whose graph stands, when `f` was called elsewhere since.

    Without a run, `f` is run at `x`, then elsewhere.
    """
    if not trial.looked_into:
        return None
    if run is None:
        run = _new_run(trial)
        trial.run(trial.x_vector + trial.direction())
    return _further(trial, run, shaped_like(v, trial.y), retain_graph=False)


def _new_run(trial: Trial) -> ForwardRun:
    leaves = fresh_leaves(trial.x)
    return ForwardRun(leaves, trial.f(*leaves))


def _further(
    trial: Trial, run: ForwardRun, weights: Sequence[Tensor], *, retain_graph: bool
) -> Further:
    """Run backward with these weights; None where it takes no `inputs`."""
    try:
        grads = waiting.grad(
            as_tuple(run.y), run.leaves, weights, retain_graph=retain_graph, allow_unused=True
        )
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return None
        return first_line(error)
    return trial.gradient(grads)


def judge_alone(trial: Trial, v: Array, right: Witness, *, inputs: bool) -> Iterator[Judged]:
    """Judge backward for each input and for each output alone."""
    asked: list[tuple[Behavior, Callable[[Trial, Array], Array]]] = []
    if inputs and len(trial.parts) > 1:
        asked.append((INPUTS, _inputs_alone))
    if sum(trial.connected) > 1:
        asked.append((OUTPUTS, outputs_alone))
    for behavior, alone in asked if asked and np.isfinite(right.value).all() else ():
        try:
            came = alone(trial, v)
        except _Raised as raised:
            yield raises(behavior.name, raised.error, raised.where)
        except Exception as error:  # f needs them all, as one that differentiates inside
            yield Judged(Row(behavior.name, "", "not applicable", note=first_line(error)))
        else:
            yield same_up_to_rounding(trial, behavior, v, came, right, times=len(trial.y))


def right_alone(
    trial: Trial, v: Array, right: Witness, columns: slice | list[int] = slice(None)
) -> bool:
    """Return whether backward gives what is right where each output is used alone."""
    if sum(trial.connected) > 1:
        with suppress(Exception):  # it is no more than a closer look
            came = unnamed(outputs_alone(trial, v)[columns])
            return bool((distance(came, right, trial.relative) <= 1).all())
    return False


@dataclass(frozen=True)
class _Raised(Exception):  # noqa: N818 - no reader sees it
    """Backward raised, for what was asked alone."""

    where: str
    error: Exception


def _inputs_alone(trial: Trial, v: Array) -> Array:
    total = np.zeros(trial.size[1])
    for k, (name, *_) in enumerate(trial.inputs):
        leaves = [part.detach().clone() for part in trial.parts]
        leaves[k].requires_grad_()
        told = f"where {name} alone requires grad"
        total += _gradient(trial, leaves, v, range(len(trial.y)), told)
    return total


def outputs_alone(trial: Trial, v: Array) -> Array:
    """Return the sum of what a backward from each output leaves where the others are not used."""
    total = np.zeros(trial.size[1])
    for j in np.flatnonzero(trial.connected).tolist():
        told = f"where {trial.y_names[j]} alone is used"
        total += _gradient(trial, fresh_leaves(trial.x), v, [j], told)
    return total


def _gradient(
    trial: Trial, leaves: Sequence[Tensor], v: Array, outputs: Sequence[int], told: str
) -> Array:
    """Return what a backward from these outputs leaves, zeros where a leaf requires no grad."""
    inputs = [leaf for leaf in leaves if leaf.requires_grad]  # f may change that
    with warnings.catch_warnings():
        # of checkpoints with nothing to do, which nobody asked for
        warnings.simplefilter("ignore")
        y, weights = as_tuple(trial.f(*leaves), "y"), shaped_like(v, trial.y)
        seen = [i for i in outputs if y[i].requires_grad]
        if seen:
            try:
                waiting.backward([y[i] for i in seen], [weights[i] for i in seen], inputs=inputs)
            except Exception as error:
                if "use_reentrant=True" in str(error):  # it refuses inputs=
                    raise
                raise _Raised(told, error) from error
    return trial.gradient(tuple(leaf.grad for leaf in leaves))
