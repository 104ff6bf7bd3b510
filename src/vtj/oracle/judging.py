"""From what was said and seen to a report."""

from collections.abc import Sequence
from dataclasses import dataclass

from vtj.calling.state import Kept
from vtj.calling.tensors import values
from vtj.oracle.behavior import Observed
from vtj.oracle.findings import Finding, overall
from vtj.oracle.on_backward import Judged, judge_backward, judge_f
from vtj.oracle.on_jacobian import findings, rows
from vtj.oracle.trial import Trial
from vtj.oracle.unchecked import unchecked
from vtj.oracle.voting import Array, Vote, Witness, one_per_family, product
from vtj.oracle.witnesses import Heard, gradient
from vtj.report import Report


@dataclass(frozen=True)
class Evidence:
    """The values behind a report, for `vtj.compare`.

    Attributes:
        trial: `f` as it was run.
        y: What `f` gave.
        grad: What `x.grad` was, and vᵀ·J by each other family.
        jacobian: J as a matrix, by each family.
        v: The gradient argument as a vector.
    """

    trial: Trial
    y: tuple[Witness, ...]
    grad: tuple[Witness, ...]
    jacobian: tuple[Witness, ...]
    v: Array


def judge(trial: Trial, heard: Heard, seen: Observed, result: Vote, kept: Kept) -> Report:
    """Give the report on one function at one point.

    Args:
        trial: What `try_out` gave.
        heard: What was said of J.
        seen: What the backward passes did.
        result: What the families agree on.
        kept: Which buffers `f` changed.
    """
    speakers = list(one_per_family(heard.witnesses).values())
    of_f = list(judge_f(trial, (seen.first, seen.again, seen.signed), kept))
    of_backward = list(judge_backward(trial, seen, result, speakers))
    found = [one.finding for one in of_f if one.finding]
    if not any(one.culprit for one in found):
        found += _unruly(of_backward)
        raised = of_backward[0].row.result == "fails"
        of_jacobian = findings(trial, heard, result)
        found += [one for one in of_jacobian if not raised or one.verdict == "wrong"]
    if not any(one.culprit in ("f", "backward") for one in found):
        found += [one.finding for one in of_backward if one.finding][:1]
    not_checked, open_questions = unchecked(trial, kept, "check")
    found += open_questions
    x_grad, *behavior = of_backward
    verdict, culprit = overall(found)
    dtype = str(trial.dtype).removeprefix("torch.")
    others = [product(one, seen.weights) for one in speakers if one.family != "backward"]
    mine = [Witness("x.grad", "backward", gradient(trial, seen.first.grad))]
    return Report(
        title=f"J {trial.shape} in {dtype}, {len(speakers)} families",
        rows=(
            x_grad.row,
            *rows(trial, heard, result),
            *(one.row for one in behavior),
            *(one.row for one in of_f),
            *not_checked,
        ),
        verdict=verdict,
        culprit=culprit,
        findings=tuple(one.text for one in found),
        evidence=Evidence(
            trial=trial,
            y=(Witness("f", "f", values(trial.y)),),
            grad=tuple(mine + others),
            jacobian=tuple(speakers),
            v=seen.weights,
        ),
    )


def _unruly(of_backward: Sequence[Judged]) -> list[Finding]:
    """Give what explains all other findings on the backward: it does not repeat, it writes to v."""
    first = ("backward repeatable", "v unchanged")
    return [one.finding for one in of_backward if one.finding and one.row.what in first]
