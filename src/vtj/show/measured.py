"""What a figure shows: y, J, v and x.grad of one function, confirmed before they are drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtj.calling import without_trace
from vtj.calling.tensors import Function, as_array
from vtj.checking import check
from vtj.engines import jacobian
from vtj.outcome import Outcome, backward
from vtj.report import Report

LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """The values of one function of one tensor; `grad` is what backward left in x.grad."""

    x: Array
    y: Array
    v: Array
    J: Array
    grad: Array


def measure(f: Function, x: Any, v: Any = None) -> Measured:
    """Run `f` and backward at `x`, once `vtj.check` has found x.grad correct.

    It raises what backward raises, and a TypeError when `x` or `y` is a tuple.
    """
    with without_trace(f) as (same, _):
        outcome = backward(same, x, v)
        if outcome.error is not None:
            raise outcome.error
        if isinstance(x, tuple) or isinstance(outcome.y, tuple):
            raise TypeError("x and y must be one tensor each to be drawn, not a tuple")
        require_confirmed(check(same, x, v))
        return read(same, x, v, outcome)


def read(f: Function, x: Any, v: Any, outcome: Outcome) -> Measured:
    """Return the values of a backward that `f` took, confirmed or not."""
    y = as_array(outcome.y)
    weights = np.ones(y.shape) if v is None else as_array(v)
    grad = np.zeros(tuple(x.shape)) if outcome.grad is None else as_array(outcome.grad)
    return Measured(as_array(x), y, weights, as_array(jacobian(f, x)), grad)


def confirmed(report: Report) -> bool:
    """Return whether x.grad is right: parameters that `x` does not hold are not drawn."""
    return bool(report) or (report.evidence is not None and report.evidence.of_x == "correct")


def require_confirmed(report: Report) -> None:
    """Raise `JacobianMismatch` unless x.grad is right."""
    if not confirmed(report):
        report.raise_for_mismatch()


def number(value: Any, eps: float = float(np.finfo(np.float32).eps)) -> str:
    """Write a whole number in full, and another with six digits, or with four and a sign.

    `eps` is the precision of what computed it: as in what torch prints, 0.1 is not rounded.

    Example:
        >>> number(-0.5), number(5705182.0), number(1 / 3), number(float("-inf")), number(-0.0)
        ('−0.5', '5705182', '≈0.3333', '−inf', '0')
    """
    value = float(value) or 0.0
    if not np.isfinite(value):
        text = str(value)
    elif value.is_integer():
        text = f"{value:.0f}"
    elif abs(float(f"{value:.6g}") - value) <= eps * abs(value):
        text = np.format_float_positional(float(f"{value:.6g}"), trim="-")
    else:
        text = f"≈{np.format_float_positional(float(f'{value:.4g}'), trim='-')}"
    return text.replace("-", "−")


def names(letter: str, shape: tuple[int, ...]) -> list[str]:
    """Name the elements of a tensor, counting from 1.

    Example:
        >>> names("x", (2,)), names("y", (1, 2)), names("y", ())
        (['x₁', 'x₂'], ['y₁₁', 'y₁₂'], ['y'])
    """
    comma = "," if max(shape, default=0) > 9 else ""
    counted = [comma.join(str(i + 1) for i in index) for index in np.ndindex(*shape)]
    return [letter + digits.translate(LOW) for digits in counted]
