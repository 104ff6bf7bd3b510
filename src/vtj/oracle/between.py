"""A backward behind another call of `f`: does it still know its own forward pass?

What a Function keeps on a module or in a global instead of its ctx is that of the latest call. A
network that is run on two inputs before one backward then gets a wrong gradient, without a word.
"""

from collections.abc import Iterator

from vtj.calling.tensors import fresh_leaves, shaped_like
from vtj.oracle.behavior import Behavior, Judged
from vtj.oracle.further import Further, further, judge_further
from vtj.oracle.trial import ForwardRun, Trial
from vtj.oracle.voting import Array

ANOTHER_CALL = Behavior(
    "another call between",
    "another gradient where f is called elsewhere before backward (what it saved is not in ctx)",
)


def behind_another_call(trial: Trial, v: Array) -> Further | None:
    """Run `f` at `x`, then elsewhere, then backward through the first; None where not asked."""
    if not trial.looked_into:
        return None
    leaves = fresh_leaves(trial.x)
    run = ForwardRun(leaves, trial.f(*leaves))
    trial.run(trial.x_vector + trial.direction())
    return behind_other_calls(trial, run, v)


def behind_other_calls(trial: Trial, run: ForwardRun, v: Array) -> Further | None:
    """Run backward through a run, whose graph stands, when `f` was called elsewhere since."""
    if not trial.looked_into:
        return None
    return further(trial, run, v, shaped_like(v, trial.y), retain_graph=False)


def judge_between(trial: Trial, seen: Further | None, grad: Array, size: Array) -> Iterator[Judged]:
    """Judge it beside the `grad` that the same `v` left before the other call."""
    advice = "call backward before f is called again"
    return judge_further(trial, ANOTHER_CALL, advice, seen, grad, size)
