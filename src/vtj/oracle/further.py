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
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves, shaped_like
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, raises, same_up_to_rounding
from vtj.oracle.rounding import negligible_slopes
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array, Witness, distance, unnamed
from vtj.oracle.witnesses import first_line
from vtj.report import Row

INPUTS = Behavior(
    "each input alone",
    "another gradient where this input alone requires grad (ctx.needs_input_grad)",
)
CONSTANT = Behavior(
    "data constant",
    "another gradient where the data alone requires no grad (ctx.needs_input_grad)",
)
OUTPUTS = Behavior("each output alone", "another gradient where each output is used alone")
GAPS = Behavior("v not contiguous", "the backward is another where v is not contiguous")
EXPANDED = Behavior(
    "v expanded",
    "the backward is another where v is expanded, as y.sum().backward() hands it on",
)
ZEROS = Behavior(
    "v with zeros",
    "the backward is another where elements of v are zero, as where a part of y is used alone",
)
ANOTHER_CALL = Behavior(
    "another call between",
    "another gradient where f is called elsewhere before backward (what it saved is not in ctx)",
)


# what a further pass through a run left, or the error that it raised; None where it is not asked
Further: TypeAlias = Array | str | None
# from each output alone, with gaps in `v`, with an expanded `v` and with the same one contiguous,
# with zeros in `v`, and behind other calls
Ways: TypeAlias = tuple[Further, Further, tuple[Further, Further], Further, Further]
NOT_ASKED: Ways = (None, None, (None, None), None, None)
CONTIGUOUS = "begin backward with v = v.contiguous()"


def judge_further(
    trial: Trial,
    v: Array,
    right: Witness,
    *,
    inputs: bool = True,
    seen: Ways | None = None,
) -> Iterator[Judged]:
    """Judge what backward leaves in all these ways, beside what the same `v` left first.

    Where there are several inputs, each costs a call of `f`, but not without `inputs`. Where a
    custom Function has three or more, the data as a constant costs one too: two are each alone then
    already.
    """
    if inputs and len(trial.parts) > 1 and np.isfinite(right.value).all():
        yield from judge_inputs(trial, v, right)
    outputs, gaps, expanded_v, zeros, behind = seen or (
        outputs_alone(trial, v),
        spread(trial, v),
        expanded(trial),
        with_zeros(trial, v),
        behind_another_call(trial, v),
    )
    if seen and not trial.looked_into:
        outputs = outputs_alone(trial, v)
    if isinstance(outputs, str):
        yield raises(OUTPUTS.name, outputs)
    elif outputs is not None and np.isfinite(right.value).all():
        yield same_up_to_rounding(trial, OUTPUTS, v, outputs, right, times=len(trial.y))
    of_gaps = list(_layout(trial, GAPS, CONTIGUOUS, v, gaps, right))
    yield from of_gaps
    if not any(one.finding for one in of_gaps):  # it reads the memory in order, and does there too
        yield from _expanded(trial, *expanded_v)
    yield from _zeros(trial, v, zeros, right)
    advice = "call backward before f is called again"
    yield from _layout(trial, ANOTHER_CALL, advice, v, behind, right)


def _layout(
    trial: Trial, behavior: Behavior, advice: str, v: Array, grad: Further, right: Witness
) -> Iterator[Judged]:
    if isinstance(grad, str):  # what raises deceives nobody
        yield Judged(
            Row(behavior.name, BACKWARD.name, "note", note=f"{advice}, or it raises {grad}")
        )
    elif grad is not None:
        yield same_up_to_rounding(trial, behavior, v, grad, right)


def _expanded(trial: Trial, came: Further, right: Further) -> Iterator[Judged]:
    """Judge an expanded `v`, that of the commonest call: a backward that raises there is wrong."""
    if isinstance(came, str):
        where = f"where v is expanded, as y.sum().backward() hands it on; {CONTIGUOUS}"
        yield raises(EXPANDED.name, came, where)
    elif came is not None and not isinstance(right, str | None):
        ones = unnamed(right, 0.0, abs(right))
        judged = same_up_to_rounding(trial, EXPANDED, np.ones(trial.size[0]), came, ones)
        if judged.finding:
            told = f"{judged.finding.text}; {CONTIGUOUS}"
            judged = replace(judged, finding=replace(judged.finding, text=told))
        yield judged


def _zeros(trial: Trial, v: Array, came: Further, right: Witness) -> Iterator[Judged]:
    """Judge a `v` with zeros, where it fails: a drawn one has none."""
    if isinstance(came, str):
        yield raises(ZEROS.name, came, "where elements of v are zero")
    elif came is not None:
        judged = same_up_to_rounding(trial, ZEROS, v, came, right, times=2)
        if judged.finding:
            yield judged


def with_zeros(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further:
    """Return what two halves of `v` leave together, each with zeros in place of the other.

    The first half is the front of `y`, whose rows are then zero as a whole at its end.
    """
    if not trial.looked_into or v.size < 2:
        return None
    run, total = run or _new_run(trial), np.zeros(trial.size[1])
    front = np.arange(v.size) < v.size // 2
    for kept in (front, ~front):
        came = _further(trial, run, shaped_like(np.where(kept, v, 0.0), trial.y))
        if came is None or isinstance(came, str):
            return came
        total += came
    return total


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
    return _further(trial, run or _new_run(trial), weights)


def expanded(trial: Trial, run: ForwardRun | None = None) -> tuple[Further, Further]:
    """Return what a `v` of ones leaves that is one number in memory, and a contiguous one.

    Behind that number there are others, so that a kernel that takes it for contiguous stays within
    its memory, and reads something else.
    """
    if not trial.looked_into or all(y.numel() < 2 for y in trial.y):
        return None, None
    ones = shaped_like(np.ones(trial.size[0]), trial.y)
    weights = []
    for part in ones:
        flat = part.reshape(-1)
        memory = torch.cat([flat[:1], -3 * flat[1:]])
        weights.append(memory[0].expand(part.shape) if part.numel() > 1 else part)
    run = run or _new_run(trial)
    right, came = _further(trial, run, ones), _further(trial, run, weights)
    if isinstance(right, str | None):
        return None, None
    # of softmax(x) both are what rounding leaves of zero, on some processors another
    alike = trial.earned * abs(right) + negligible_slopes(trial, abs(trial.y_vector).sum())
    if not isinstance(came, str | None) and not (abs(came - right) <= alike).all():
        # another pass may have spoiled what was saved
        came = _further(trial, _new_run(trial), weights)
    return came, right


def behind_another_call(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further:
    """Run backward through a run, whose graph stands, when `f` was called elsewhere since.

    Without a run, `f` is run at `x`, then elsewhere.
    """
    if not trial.looked_into:
        return None
    if run is None:
        run = _new_run(trial)
        trial.run(trial.x_vector + trial.direction())
    trial.put_in(run.leaves)  # the parameters of a module are not others in the call between
    return _through(trial, run, shaped_like(v, trial.y))


def _new_run(trial: Trial) -> ForwardRun:
    leaves = fresh_leaves(trial.x)
    return ForwardRun(leaves, trial.f(*leaves))


def _further(
    trial: Trial,
    run: ForwardRun,
    weights: Sequence[Tensor],
    outputs: Sequence[int] | None = None,
) -> Further:
    """Run backward through a run, or a new one where that raises: a graph may be good for one."""
    came = _through(trial, run, weights, outputs)
    return _through(trial, _new_run(trial), weights, outputs) if isinstance(came, str) else came


def _through(
    trial: Trial,
    run: ForwardRun,
    weights: Sequence[Tensor],
    outputs: Sequence[int] | None = None,  # all to which autograd sees a way, if omitted
) -> Further:
    """Run backward with these weights; None where it takes no `inputs`."""
    y = as_tuple(run.y)
    seen = [i for i, one in enumerate(y) if one.requires_grad] if outputs is None else outputs
    begins, v = [y[i] for i in seen], [weights[i] for i in seen]
    try:
        grads = waiting.grad(begins, run.leaves, v, retain_graph=True, allow_unused=True)
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return None
        return first_line(error)
    return trial.gradient(grads)


def judge_inputs(trial: Trial, v: Array, right: Witness) -> Iterator[Judged]:
    """Judge backward for each input alone."""
    asked: list[tuple[Behavior, Callable[[Trial, Array], Array]]] = [(INPUTS, _inputs_alone)]
    if trial.custom and 0 < (data := _data(trial)) < len(trial.parts) - 1:
        names = [part.name for part in trial.inputs[:data]]
        told = f"where {' and '.join(names)} alone require{'s' * (data == 1)} no grad"
        held = replace(CONSTANT, complaint=f"another gradient {told} (ctx.needs_input_grad)")
        asked.append((held, partial(_others, right=right.value, data=data, told=told)))
    for behavior, alone in asked:
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
    with suppress(Exception):  # it is no more than a closer look
        came = outputs_alone(trial, v)
        if not isinstance(came, str | None):
            return bool((distance(unnamed(came[columns]), right, trial.relative) <= 1).all())
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
        total += _gradient(trial, leaves, v, told)
    return total


def _data(trial: Trial) -> int:
    """Return how many inputs come first that training takes for constants.

    Of a module that is all but its parameters: a layer of a network that is called on the data has
    an `x` that requires no grad, and trains its weight and its bias together.
    """
    return len(trial.parts) - trial.parameters if trial.parameters else 1


def _others(trial: Trial, v: Array, *, right: Array, data: int, told: str) -> Array:
    """Return what is left in all inputs but the data, which is constant, beside what was right."""
    leaves = [part.detach().clone() for part in trial.parts]
    for leaf in leaves[data:]:
        leaf.requires_grad_()
    first = sum(part.numel() for part in trial.parts[:data])
    came = _gradient(trial, leaves, v, told)
    return np.concatenate([right[:first], came[first:]])


def outputs_alone(trial: Trial, v: Array, run: ForwardRun | None = None) -> Further:
    """Return the sum of what a backward from each output leaves where the others are not used."""
    if sum(trial.connected) < 2:
        return None
    run, total = run or _new_run(trial), np.zeros(trial.size[1])
    weights = shaped_like(v, trial.y)
    for j in np.flatnonzero(trial.connected).tolist():
        came = _further(trial, run, weights, [j])
        if came is None or isinstance(came, str):
            return came and f"{came}: where {trial.y_names[j]} alone is used"
        total += came
    return total


def _gradient(trial: Trial, leaves: Sequence[Tensor], v: Array, told: str) -> Array:
    """Return what a backward leaves, zeros where a leaf requires no grad."""
    inputs = [leaf for leaf in leaves if leaf.requires_grad]  # f may change that
    with warnings.catch_warnings():
        # of checkpoints with nothing to do, which nobody asked for
        warnings.simplefilter("ignore")
        y, weights = as_tuple(trial.f(*leaves), "y"), shaped_like(v, trial.y)
        seen = [i for i, one in enumerate(y) if one.requires_grad]
        if seen:
            try:
                waiting.backward([y[i] for i in seen], [weights[i] for i in seen], inputs=inputs)
            except Exception as error:
                if "use_reentrant=True" in str(error):  # it refuses inputs=
                    raise
                raise _Raised(told, error) from error
    return trial.gradient(tuple(leaf.grad for leaf in leaves))
