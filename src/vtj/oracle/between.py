"""A backward behind another call of `f`: does it still know its own forward pass?

What a Function keeps on a module or in a global instead of its ctx is that of the latest call. A
network that is run on two inputs before one backward then gets a wrong gradient, without a word.
"""

from collections.abc import Iterator

import numpy as np

from vtj.calling import waiting
from vtj.calling.tensors import as_tuple, fresh_leaves
from vtj.engines import BACKWARD
from vtj.oracle.behavior import Behavior, Judged, same_up_to_rounding
from vtj.oracle.findings import Finding
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line
from vtj.report import Row

ANOTHER_CALL = Behavior(
    "another call between",
    "another gradient where f is called elsewhere before backward (what it saved is not in ctx)",
)


def judge_between(trial: Trial, v: Array, grad: Array, size: Array) -> Iterator[Judged]:
    """Judge backward behind a call of `f` at another point, beside the `grad` without it.

    A custom Function's alone is asked for. It takes two calls of `f`.
    """
    if not trial.custom or not np.isfinite(grad).all():
        return
    f, weights = trial.seen_by_autograd(trial.weights(v))
    leaves = fresh_leaves(trial.x)
    y = as_tuple(f(*leaves), "y")
    trial.run(trial.x_vector + trial.direction())
    try:
        grads = waiting.grad(y, leaves, weights, allow_unused=True)
    except Exception as error:
        if "use_reentrant=True" in str(error):  # it refuses to be asked for x alone
            return
        note = f"{first_line(error)}: where f is called elsewhere before backward"
        row = Row(ANOTHER_CALL.name, BACKWARD.name, "fails", note=note)
        told = Finding(f"x.grad: backward raises {note}", "wrong", BACKWARD.culprit)
        yield Judged(row, told)
        return
    yield same_up_to_rounding(trial, ANOTHER_CALL, v, trial.gradient(grads), grad, size)
