"""What y.backward(gradient=v) leaves in x.grad, and independent ways to check it."""

from vtj.certifying import certify
from vtj.checking import check
from vtj.comparing import compare
from vtj.contraction import contract
from vtj.engines import ENGINES, jacobian
from vtj.engines.not_symbolic import NotSymbolic, UnknownOperation
from vtj.example import Example
from vtj.outcome import Outcome, backward, vjp
from vtj.refusal import Refusal
from vtj.report import JacobianMismatch, Report, Row
from vtj.sequence import Call, Sequence
from vtj.show.explaining import Explanation, explain
from vtj.show.formulas import Formula, formula

__all__ = [
    "ENGINES",
    "Call",
    "Example",
    "Explanation",
    "Formula",
    "JacobianMismatch",
    "NotSymbolic",
    "Outcome",
    "Refusal",
    "Report",
    "Row",
    "Sequence",
    "UnknownOperation",
    "backward",
    "certify",
    "check",
    "compare",
    "contract",
    "explain",
    "formula",
    "jacobian",
    "vjp",
]
