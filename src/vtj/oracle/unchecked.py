"""Leaves that `f` reaches and `x` does not hold: nobody looked at their gradients."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from vtj.calling.state import Kept, Leaf
from vtj.oracle.findings import Finding
from vtj.oracle.trial import Trial
from vtj.report import Row

NAMED = 3  # leaves written out; a network has hundreds


def unchecked(trial: Trial, kept: Kept, question: str) -> tuple[list[Row], list[Finding]]:
    """Return a row that names these leaves, and a finding per module: how to check them."""
    leaves = kept.reached(trial.others)
    if not leaves:
        return [], []
    row = Row("not checked", "", "note", note=_listed(leaves))
    return [row], [Finding(text, "undecided") for text in _findings(trial, leaves, question)]


def _findings(trial: Trial, leaves: Sequence[Leaf], question: str) -> Iterator[str]:
    for module, group in groupby(leaves, key=lambda leaf: leaf.module):
        told = f"not checked, since x does not hold them: {_listed(list(group))}"
        if module:
            yield f"{told}; to check them too: {_call(trial, module, question)}"
        else:
            yield f"{told}; make them arguments of f and parts of x, or detach() constants"


def _call(trial: Trial, module: str, question: str) -> str:
    """Return a call that checks the parameters of a module too, to be pasted as it is."""
    start, names = f"vtj.{question}(lambda", f"dict({module}.named_parameters())"
    call = f"torch.func.functional_call({module}, dict(zip({names},"
    if not trial.x_tuple:
        return f"{start} x, *p: {call} p)), x), (x, *{module}.parameters()))"
    n = len(trial.parts)
    return f"{start} *x: {call} x[{n}:])), x[:{n}]), (*x, *{module}.parameters()))"


def _listed(leaves: Sequence[Leaf]) -> str:
    told = [f"{leaf.name or 'a tensor'} {tuple(leaf.tensor.shape)}" for leaf in leaves[:NAMED]]
    more = [f"{len(leaves) - NAMED} more"] if len(leaves) > NAMED else []
    return ", ".join(told + more)
