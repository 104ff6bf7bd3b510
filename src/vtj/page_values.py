"""A value that a page's own cells computed, beside the value it should be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtj.oracle.blocks import as_array
from vtj.oracle.naming import element, numbers
from vtj.report import Report, Row, Verdict

PAGE = "the page"


def beside(
    what: str, came: Any, expected: dict[str, Any], relative: float
) -> tuple[Row, str | None]:
    """Compare a value of the page with what others say it is, relative to the largest entry.

    Args:
        what: How the value is called, say ``"x.grad"``.
        came: What the page computed: a tensor, an array or a number.
        expected: What others say, by name; the first of them decides.
        relative: How far apart two values may lie, in units of the largest entry's magnitude.

    Returns:
        The row, and the finding that names entry and values when they differ.

    Raises:
        ValueError: When the page's value has another shape; it names both.

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
    row = Row(f"{what}, {PAGE}", PAGE, "differs" if worst > 1 else "agrees", worst)
    return row, _finding(what, mine, others, int(apart.argmax())) if worst > 1 else None


def _finding(
    what: str, mine: NDArray[np.float64], others: dict[str, NDArray[np.float64]], at: int
) -> str:
    values = [float(array.flat[at]) for array in (mine, *others.values())]
    written = numbers(values, (values[0], values[1]))
    told = zip((PAGE, *others), written, strict=True)
    said = ", ".join(f"{name} {value}" for name, value in told)
    return f"{element(what, [mine.shape], False, at)}: {said}: {PAGE} is wrong"


def with_rows(title: str, compared: list[tuple[Row, str | None]]) -> Report:
    """Make a report of compared values: correct when none differs.

    Args:
        title: What was asked.
        compared: What `beside` gave for each value.

    Example:
        >>> with_rows("one value", [beside("y", 2.0, {"f": 2.0}, 1e-6)]).verdict
        'correct'
    """
    findings = tuple(finding for _, finding in compared if finding)
    verdict: Verdict = "wrong" if findings else "correct"
    return Report(
        title, tuple(row for row, _ in compared), verdict, PAGE if findings else None, findings
    )
