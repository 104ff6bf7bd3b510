"""Put further values into a report: what a page, a log or a colleague computed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch

from vtj.calling.complex_numbers import array_of_pairs
from vtj.oracle.findings import said
from vtj.oracle.judging import Evidence
from vtj.oracle.patterns import pattern
from vtj.oracle.tolerance import RELATIVE
from vtj.oracle.voting import Array, Witness, distance, vote
from vtj.report import Report, Row

FLOATS = {2: torch.float16, 4: torch.float32}  # by their bytes


@dataclass(frozen=True)
class _Claim:
    """One given value: the argument it came as, how rows and elements are named, what it is."""

    argument: str
    what: str
    value: Array
    relative: float
    others: tuple[Witness, ...]
    name: Callable[[int], str]


def compare(
    report: Report,
    who: str,
    *,
    y: Any = None,
    grad: Any = None,
    jacobian: Any = None,
    product: Any = None,
) -> Report:
    """Return the report with what somebody else computed beside what `check` found.

    Args:
        report: What `check` gave.
        who: The name the values go under, in rows and findings and as culprit.
        y: What `who` says `f(x)` is.
        grad: What `who` says `x.grad` is after ``y.backward(v)``.
        jacobian: What `who` says J is, of shape ``(*y.shape, *x.shape)``.
        product: What `who` says vᵀ·J is.

    Returns:
        The report with a row more per value; its verdict is ``wrong`` when one of them differs.

    Raises:
        TypeError: When a value holds no real numbers, or `report` is none.
        ValueError: When a value has another shape, naming both, or the report is `certify`'s, which
            has no values to compare with.

    Example:
        >>> from vtj.checking import check
        >>> report = check(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
        >>> compare(report, "the page", grad=np.array([6.0, 121.0])).findings
        ('x.grad[1]: the page 121, backward 120, forward 120, numeric 120: the page is wrong',)
    """
    if not isinstance(report, Report):
        raise TypeError(f"report is {type(report).__name__}; expected one of check's")
    evidence = report.evidence
    if not isinstance(evidence, Evidence):
        raise ValueError(
            "this report holds no values to compare with: it is certify's (check hands on to it "
            "where J is large) or beside a plain function; expected another one of check's, or "
            "give J to certify itself"
        )
    rows, findings = [], []
    given = {"y": y, "grad": grad, "jacobian": jacobian, "product": product}
    for claim in _claims(evidence, given):
        mine = Witness(claim.what, who, claim.value)
        agreed = vote([*claim.others, mine], claim.relative).agreed
        apart = distance(mine, agreed, claim.relative)
        worst = float(apart.max(initial=0))
        rows.append(Row(claim.what, who, "differs" if worst > 1 else "agrees", worst))
        if worst > 1:
            at = int(np.argmax(apart))
            named = _named(claim, agreed, apart > 1, evidence)
            told = f"{claim.name(at)}: {said([mine, *claim.others], at)}: {who} is wrong"
            findings.append(told + (f" ({named})" if named else ""))
    return replace(
        report,
        rows=(*report.rows, *rows),
        verdict="wrong" if findings else report.verdict,
        culprit=report.culprit or (who if findings else None),
        findings=(*report.findings, *findings),
    )


def _claims(evidence: Evidence, given: Mapping[str, Any]) -> Iterator[_Claim]:
    trial = evidence.trial
    for argument, what, others, name in (
        ("y", "y", (Witness("f", "f", trial.y_vector),), trial.y_name),
        ("grad", "x.grad", evidence.grad, partial(trial.x_name, "x.grad")),
        ("jacobian", "J", evidence.jacobian, trial.entry_name),
        ("product", "vᵀ·J", evidence.grad, partial(trial.x_name, "(vᵀ·J)")),
    ):
        one = given[argument]
        if one is None:
            continue
        if argument == "jacobian":
            value = trial.matrix(one)
        elif argument == "y":
            value = _vector(what, one, trial.y_shapes, trial.y_tuple)
        else:
            value = _vector(what, one, trial.x_shapes, trial.x_tuple)
        relative = max(_relative(one), trial.relative)
        yield _Claim(argument, what, value, relative, others, name)


def _named(claim: _Claim, agreed: Witness, differs: Any, evidence: Evidence) -> str:
    if claim.argument in ("grad", "product") and not any(evidence.trial.x_pairs):
        J = next(iter(evidence.jacobian)).value  # noqa: N806 - J is the term
        if J.shape[0] == J.shape[1] and np.allclose(J @ evidence.v, claim.value, rtol=1e-6, atol=0):
            return "J·v in place of vᵀ·J"
    inputs = evidence.trial.inputs if claim.argument != "y" else ()
    named = pattern(claim.value, agreed.value, differs, agreed.error, inputs)
    whole = named.removeprefix("the factor ")
    if claim.argument == "grad" and whole.isdigit():
        return f"{named}: was .grad not cleared?"
    return named


def _relative(given: Any) -> float:
    """Return the tolerance of the least precise dtype among the given arrays."""
    if isinstance(given, (tuple, list)):
        return max((_relative(part) for part in given), default=0.0)
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        return RELATIVE[FLOATS.get(given.dtype.itemsize, torch.float64)]
    return RELATIVE.get(given.dtype, 0.0) if isinstance(given, torch.Tensor) else 0.0


def _vector(what: str, given: Any, shapes: list[tuple[int, ...]], is_tuple: bool) -> Array:
    if is_tuple and not isinstance(given, (tuple, list)):
        raise ValueError(f"{what} is {type(given).__name__}; expected a tuple of {len(shapes)}")
    arrays = [array_of_pairs(part, what) for part in (given if is_tuple else (given,))]
    came = [array.shape for array in arrays]
    if came != shapes:
        a, b = (came, shapes) if is_tuple else (came[0], shapes[0])
        raise ValueError(f"{what} has shape {a}; expected {b}")
    return np.concatenate([array.ravel() for array in arrays])
