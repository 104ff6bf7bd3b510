"""What the cells of the post by examples print today, from code of ours.

Every function runs one example and returns its printed lines, labelled as the post labels them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, tensor

from vtj_site.outcomes.trials import Tried, attempt, backward

DECADES = (1.0, 10.0, 100.0, 1000.0)
POINT = [1.0, 2.0]
SUM = np.array([[1, 1]])
"""J of the sum, derived by hand."""


def line(label: str, value: object) -> str:
    """Return what print(label + ":", value) prints."""
    return f"{label}: {value!s}"


def block(label: str, array: np.ndarray) -> list[str]:
    """Return what a label, printed on its own line, and an array under it print."""
    return [f"{label}:", *str(array).splitlines()]


def product(v: np.ndarray, jacobian: np.ndarray, label: str = "J") -> list[str]:
    """Return the lines of v and of its product with J."""
    return [line("vᵀ", v), line(f"vᵀ・{label}", v @ jacobian)]


def square(x: Tensor) -> Tensor:
    """Return y = x²."""
    return x**2


def total(x: Tensor) -> Tensor:
    """Return y = x₁ + x₂, added one by one as Python's sum does."""
    return x[0] + x[1]


def three_squares(x: Tensor) -> Tensor:
    """Return y = 3x², entry by entry."""
    return 3 * x**2


def three_outputs(x: Tensor) -> Tensor:
    """Return y = (3x₁², x₁² + 2x₂³, 10x₂), written into an empty tensor."""
    y = torch.empty(3)
    y[0] = 3 * x[0] ** 2
    y[1] = x[0] ** 2 + 2 * x[1] ** 3
    y[2] = 10 * x[1]
    return y


def in_torch(f: Callable[[Tensor], Tensor], point: object, *v: object) -> list[str]:
    """Return the lines of x, y and of x.grad (or of what backward raised)."""
    x = tensor(point, requires_grad=True)
    y = f(x)
    tried = attempt(lambda: backward(y, *(tensor(entry) for entry in v)))
    last = str(tried) if tried.raised else line("x.grad", x.grad)
    return [line("x", x), line("y", y), last]


def one_by_one(f: Callable[[Tensor], Tensor], point: object) -> list[str]:
    """Return x.grad after each of four backwards with 1, 10, 100, 1000."""
    x = tensor(point, requires_grad=True)
    y = f(x)
    lines = []
    for v in DECADES:
        y.backward(tensor(v), retain_graph=True)  # type: ignore[no-untyped-call]
        lines.append(line("x.grad", x.grad))
    return lines


def loop_without_indentation() -> Tried:
    """Compile a loop of ours as the page prints it."""
    return attempt(lambda: compile("for v in (1.0, 10.0):\nprint(v)", "<loop>", "exec"))


def repeated(jacobian: np.ndarray) -> list[str]:
    """Return the lines of J, of J repeated four times and of v · the repeated J."""
    rows = np.repeat(jacobian, len(DECADES), axis=0)
    v = np.array([DECADES])
    return [line("J", jacobian), *block("J_broadcast", rows), *product(v, rows, "J_broadcast")]


def scalar_jacobian() -> np.ndarray:
    """Return J of x² at 1 as the post builds it: from a 0-d float32 array."""
    x = tensor(1.0).numpy()
    return np.array([[2 * x]])


def three_squares_jacobian() -> np.ndarray:
    """Return J of `three_squares` at `POINT`, derived by hand."""
    x = np.array(POINT, np.float32)
    return np.array([[6 * x[0], 0], [0, 6 * x[1]]])


def three_outputs_jacobian() -> np.ndarray:
    """Return J of `three_outputs` at `POINT`, derived by hand."""
    x = np.array(POINT, np.float32)
    return np.array([[6 * x[0], 0], [2 * x[0], 6 * x[1] ** 2], [0, 10]])


@cache
def transcript(example: str) -> tuple[str, ...]:
    """Return every line that one example prints: torch first, then numpy."""
    return tuple(EXAMPLES[example]())


def both(f: Callable[[Tensor], Tensor], point: object, jacobian: np.ndarray, *v: Any) -> list[str]:
    """Return the lines of torch, then those of J and of v · J in numpy; v is 1 where it is omitted.

    The post prints a J of one number beside its label, any other one below it.
    """
    shown = [line("J", jacobian)] if jacobian.size == 1 else block("J", jacobian)
    return [*in_torch(f, point, *v), *shown, *product(np.atleast_2d(v[0] if v else 1), jacobian)]


def squares(*v: float) -> list[str]:
    """Return the lines of the example with two squares."""
    return both(three_squares, POINT, three_squares_jacobian(), [*v])


def sum_100() -> list[str]:
    """Return the lines of the sum weighted by 100, where the post prints no y."""
    return [said for said in both(total, POINT, SUM, 100.0) if not said.startswith("y:")]


EXAMPLES: dict[str, Callable[[], list[str]]] = {
    "scalar": lambda: both(square, 1.0, scalar_jacobian()),
    "scalar, v = 100": lambda: both(square, 1.0, scalar_jacobian(), 100.0),
    "sum": lambda: both(total, POINT, SUM),
    "sum, v = 100": sum_100,
    "squares, v = [1, 1]": lambda: squares(1.0, 1.0),
    "squares, v = [1, 10]": lambda: squares(1.0, 10.0),
    "three outputs": lambda: both(
        three_outputs, POINT, three_outputs_jacobian(), [1.0, 10.0, 100.0]
    ),
    "vector v for x²": lambda: in_torch(square, 1.0, DECADES),
    "four backwards of x²": lambda: one_by_one(square, 1.0),
    "J of x² repeated": lambda: repeated(scalar_jacobian()),
    "vector v for a sum": lambda: in_torch(total, POINT, DECADES),
    "four backwards of a sum": lambda: one_by_one(total, POINT),
    "J of a sum repeated": lambda: repeated(SUM),
}
