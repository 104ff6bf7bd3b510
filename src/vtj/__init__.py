"""What y.backward(gradient=v) leaves in x.grad, and independent ways to check it."""

from typing import TYPE_CHECKING

from vtj import release as release  # before all else: it says which torch is too old

# isort: split

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal
from vtj.cases.sequence import Call, Sequence
from vtj.certifying import certify
from vtj.checking import check
from vtj.comparing import compare
from vtj.contraction import contract
from vtj.engines import ENGINES, jacobian
from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.outcome import Outcome, backward, vjp
from vtj.report import JacobianMismatch, Report, Row

if TYPE_CHECKING:
    from vtj.show import Explanation, Formula, explain, formula

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


def __getattr__(name: str) -> object:
    # What shows results is imported when it is asked for: it takes as long as all the rest.
    if name in ("Explanation", "Formula", "explain", "formula"):
        from vtj import show

        return getattr(show, name)
    raise AttributeError(f"module 'vtj' has no attribute {name!r}")
