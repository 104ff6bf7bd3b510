"""A value, most often one that a page's own cells computed, beside the value it should be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtj.calling.tensors import as_array
from vtj.oracle.findings import element, numbers
from vtj.report import Report, Row, Verdict

PAGE = "the page"


def beside(
    what: str, came: Any, expected: dict[str, Any], relative: float, who: str = PAGE
) -> tuple[Row, str | None]:
    """Return how the value of `who` compares with what others say: a row, and a finding or None.

    The first of `expected` decides; `relative` is in units of the largest entry's magnitude.

    Example:
        >>> row, finding = beside("x.grad", [1.0, 3.0], {"by hand": [1.0, 2.0]}, 1e-6)
        >>> finding
        'x.grad[1]: the page 3, by hand 2: the page is wrong'
    """
    mine = as_array(came)
    others = {name: as_array(value) for name, value in expected.items()}
    truth = next(iter(others.values()))
    if mine.shape != truth.shape:
        raise ValueError(f"{what} has shape {mine.shape}; expected {truth.shape}")
    size = max(abs(truth).max(initial=0), abs(mine).max(initial=0), np.finfo(np.float64).tiny)
    apart = np.nan_to_num(abs(mine - truth) / (relative * size), nan=np.inf)
    worst = float(apart.max(initial=0))
    row = Row(f"{what}, {who}", who, "differs" if worst > 1 else "agrees", worst)
    return row, _finding(what, {who: mine, **others}, int(apart.argmax())) if worst > 1 else None


def _finding(what: str, told: dict[str, NDArray[np.float64]], at: int) -> str:
    who, first = next(iter(told.items()))
    values = [float(array.flat[at]) for array in told.values()]
    written = numbers(values, (values[0], values[1]))
    said = ", ".join(f"{name} {value}" for name, value in zip(told, written, strict=True))
    return f"{element([what], [first.shape], at)}: {said}: {who} is wrong"


def with_rows(title: str, compared: list[tuple[Row, str | None]]) -> Report:
    """Make a report of what `beside` gave: correct when nothing differs, else of whose is first."""
    findings = tuple(finding for _, finding in compared if finding)
    culprit = next((row.family for row, finding in compared if finding), None)
    verdict: Verdict = "wrong" if findings else "correct"
    return Report(title, tuple(row for row, _ in compared), verdict, culprit, findings)
