"""A backward behind another call of `f`: does it still know its own forward pass?

What a Function keeps on a module or in a global instead of its ctx is that of the latest call. A
network that is run on two inputs before one backward then gets a wrong gradient, without a word.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves, shaped_like
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, same_up_to_rounding
from vtj.oracle.findings import Finding
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line
from vtj.report import Row

ANOTHER_CALL = Behavior(
    "another call between",
    "another gradient where f is called elsewhere before backward (what it saved is not in ctx)",
)


@dataclass(frozen=True)
class Behind:
    """What a backward pass left behind another call of `f`, or the error that it raised."""

    v: Array  # the gradient argument as a vector
    grad: Array | str


def behind_another_call(trial: Trial, v: Array) -> Behind | None:
    """Run `f` at `x`, then elsewhere, then backward through the first; None where not asked.

    A custom Function's alone is asked for: torch's own operators save what they need.
    """
    if not trial.custom or not all(trial.connected):
        return None
    leaves = fresh_leaves(trial.x)
    run = ForwardRun(leaves, trial.f(*leaves))
    trial.run(trial.x_vector + trial.direction())
    return behind_other_calls(trial, run, v)


def behind_other_calls(trial: Trial, run: ForwardRun, v: Array) -> Behind | None:
    """Run backward through a run, whose graph stands, when `f` was called elsewhere since."""
    if not trial.custom or not all(trial.connected):
        return None
    weights = shaped_like(v, trial.y)
    try:
        grads = waiting.grad(as_tuple(run.y), run.leaves, weights, allow_unused=True)
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return None
        return Behind(v, first_line(error))
    return Behind(v, trial.gradient(grads))


def judge_between(trial: Trial, seen: Behind | None, grad: Array, size: Array) -> Iterator[Judged]:
    """Judge it beside the `grad` that the same `v` left before the other call."""
    if seen is None:
        return
    if isinstance(seen.grad, str):
        note = f"{seen.grad}: where f is called elsewhere before backward"
        row = Row(ANOTHER_CALL.name, BACKWARD.name, "fails", note=note)
        told = Finding(f"x.grad: backward raises {note}", "wrong", BACKWARD.culprit)
        yield Judged(row, told)
        return
    yield same_up_to_rounding(trial, ANOTHER_CALL, seen.v, seen.grad, grad, size)
