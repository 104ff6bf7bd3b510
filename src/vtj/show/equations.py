"""Equations that show themselves as mathematics in a notebook and as text in a terminal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Equation:
    """One equation: the TeX on both sides of the equals sign, and its text for a terminal."""

    left: str
    right: str
    text: str


@dataclass(frozen=True)
class Lines:
    """At least one equation, beneath each other, with a note on where they hold.

    The note is TeX of the conditions, `note_text` the same for a terminal; both may be empty.

    Example:
        >>> lines = Lines((Equation("y", "x^2", "y = x²"),))
        >>> lines.tex
        'y = x^2'
        >>> lines
        y = x²
    """

    equations: tuple[Equation, ...]
    note: str = ""
    note_text: str = ""

    @property
    def tex(self) -> str:
        """The equations as TeX, without delimiters; aligned at = when there are several."""
        rows = [f"{e.left} &= {e.right}" for e in self.equations]
        rows += [rf"&\text{{where }} {self.note}"] * bool(self.note)
        if len(rows) == 1:
            return rows[0].replace("&= ", "= ", 1)
        return r"\begin{aligned} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$${self.tex}$$"

    def __str__(self) -> str:
        note = [f"where {self.note_text}"] * bool(self.note)
        return "\n".join([*(equation.text for equation in self.equations), *note])

    __repr__ = __str__


def assigned(name: str, cells: Array, write: Callable[[Any], str]) -> str:
    """Write ``name = `` and an array: a number, a list, or rows beneath each other."""
    head = f"{name} = "
    if cells.ndim == 0:
        return head + write(cells[()])
    if cells.ndim == 1:
        return f"{head}[{', '.join(map(write, cells))}]"
    rows = [[write(cell) for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
    return head + f"\n{' ' * len(head)}".join(f"[{line}]" for line in lines)


def matrix(cells: Array, write: Callable[[Any], str]) -> str:
    """Write an array of up to two dimensions as TeX: a number, a row, or rows."""
    if cells.ndim == 0:
        return write(cells[()])
    rows = [" & ".join(map(write, row)) for row in np.atleast_2d(cells)]
    gap = r" \\[4pt] " if any(r"\frac" in row for row in rows) else r" \\ "
    return rf"\begin{{bmatrix}} {gap.join(rows)} \end{{bmatrix}}"


def laid_out(entries: Array, outputs: int) -> Array:
    """Lay J out in two dimensions, rows for y and columns for x; leave vectors and numbers.

    `outputs` is the number of dimensions of y, the first of J.
    """
    if entries.ndim > 2:
        return entries.reshape(int(np.prod(entries.shape[:outputs])), -1)
    return entries.reshape(-1, 1) if entries.ndim == outputs == 1 else entries


def flat(values: Array) -> Array:
    """Return what has more than two dimensions as a vector; leave vectors and matrices."""
    return values if values.ndim < 3 else values.reshape(-1)
