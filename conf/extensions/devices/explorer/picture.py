"""What stands in the explorer's place until its script runs: torch's numbers, as two tables."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from devices.explorer.functions import Explored
from vtj.engines import jacobian
from vtj.table import as_html

Numbers = NDArray[np.float64]
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def picture(function: Explored) -> str:
    """Return the HTML of y, J and the weighted rows at the function's starting point.

    The numbers are torch's own: y and x.grad from ``backward``, J row by row.
    """
    example = function.example
    outcome = example.backward()
    slopes = _numbers(jacobian(example.f, example.x)).reshape(-1, len(function.x))
    rows = [element("y", i, function.shape) for i in range(len(slopes))]
    columns = [element("x", j, slopes.shape[1:]) for j in range(len(function.x))]
    values = [f"{row} = {short(y)}" for row, y in zip(rows, _numbers(outcome.y), strict=True)]
    weights = [
        f"{element('v', i, function.shape)} = {short(weight)} ×"
        for i, weight in enumerate(function.v)
    ]
    weighted = np.array(function.v)[:, None] * slopes
    first = as_html(["y", *columns], _rows(values, slopes), "y and J(x)")
    second = as_html(
        ["", *columns],
        _rows([*weights, "x.grad"], [*weighted, _numbers(outcome.grad)]),
        "Each row of J times its weight",
    )
    point = ", ".join(f"{x} = {short(at)}" for x, at in zip(columns, function.x, strict=True))
    return (
        f'<div class="vtj-tables"><div>{first}</div><div>{second}</div></div>'
        f'<p class="vtj-shapes"><code>y = {escape(function.code)}</code> at {point}. '
        "With JavaScript you can change all of these numbers here, and write a function of your "
        "own.</p>"
    )


def element(name: str, index: int, shape: Sequence[int]) -> str:
    """Return the name of one element of a tensor, counted from 1.

    Example:
        >>> element("x", 0, (2,)), element("y", 0, ())
        ('x₁', 'y')
    """
    return name + str(index + 1).translate(_SUBSCRIPTS) if shape else name


def short(number: float) -> str:
    """Return a number as the explorer's script writes it: whole, or with at most five digits.

    Example:
        >>> short(1240.0), short(-0.090031), short(2 / 3)
        ('1240', '−0.090031', '≈0.66667')
        >>> short(-0.0), short(5705182.0), short(0.00002)
        ('0', '5705182', '0.00002')
    """
    whole = number == int(number) and abs(number) <= 2**53  # beyond, all seem so
    rounded = float(number if whole else f"{number:.5g}") + 0.0  # no -0.0
    mark = "≈" if abs(rounded - number) > 1e-12 * abs(number) else ""
    return mark + np.format_float_positional(rounded, trim="-").replace("-", "−")


def _rows(heads: Sequence[str], rows: Iterable[Numbers]) -> list[list[str]]:
    return [[head, *map(short, row)] for head, row in zip(heads, rows, strict=True)]


def _numbers(tensor: Any) -> Numbers:
    return np.atleast_1d(tensor.double().numpy())
