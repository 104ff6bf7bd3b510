"""What is said of a gradient that may be taken only once."""

from vtj.oracle.trial import Trial
from vtj.report import Report, Row

RAISED = (
    "RuntimeError: trying to differentiate twice a function that was marked with "
    "@once_differentiable"
)


def taken_once(trial: Trial) -> Report:
    """Give the report on a `y` that comes from a backward marked ``@once_differentiable``.

    ``y.backward()`` raises there. With `inputs=` torch gives zeros instead, which are no answer.

    Args:
        trial: What `try_out` gave.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.once_differentiable.html

    Example:
        >>> import torch
        >>> from vtj.oracle.trial import try_out
        >>> taken_once(try_out(torch.sin, torch.ones(2))).culprit
        'backward'
    """
    return Report(
        title=f"J {trial.shape}",
        rows=(Row("x.grad", "backward", "fails", note=RAISED),),
        verdict="wrong",
        culprit="backward",
        findings=(f"x.grad: backward raises {RAISED}",),
    )
