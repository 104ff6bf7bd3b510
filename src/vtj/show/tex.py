"""Expressions and arrays as TeX that Temml and MathJax both render."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtj.show.writing import Writer

NAMES = {
    "Largest": r"\max",
    "Sigmoid": r"\sigma",
    "Smallest": r"\min",
    "acos": r"\arccos",
    "asin": r"\arcsin",
    "atan": r"\arctan",
    "clamp": r"\operatorname{clamp}",
}
KNOWN = frozenset(["cos", "cosh", "exp", "log", "max", "min", "sin", "sinh", "tan", "tanh"])
RELATIONS = {">": ">", "<": "<", ">=": r"\ge", "<=": r"\le", "==": "=", "!=": r"\ne"}


class Tex(Writer):
    """Writes TeX: ``6x_1``, ``x_1^2 + 2x_2^3``, with no more braces than it needs."""

    POWERED = frozenset(["cos", "cosh", "sin", "sinh", "tan", "tanh"])

    def _parentheses(self, text: str) -> str:
        tall = any(mark in text for mark in (r"\frac", r"\sqrt"))
        return rf"\left({text}\right)" if tall else f"({text})"

    def _sign(self, sign: str) -> str:
        return sign

    def join(self, factors: Sequence[str]) -> str:
        """Write a product, with a dot only where two numbers meet."""
        text = factors[0]
        for factor in factors[1:]:
            dot = r" \cdot " if factor[0].isdigit() else ""
            gap = " " if re.search(r"\\[a-z]+$", text) and factor[0].isalpha() else ""
            text += dot + gap + factor
        return text

    def _fraction(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def _raised(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}" if len(exponent) == 1 else f"{base}^{{{exponent}}}"

    def _root(self, radicand: str, degree: int) -> str:
        return rf"\sqrt{{{radicand}}}" if degree == 2 else rf"\sqrt[{degree}]{{{radicand}}}"

    def _exponential(self, exponent: str) -> str:
        return self._raised("e", exponent)

    def _magnitude(self, inside: str) -> str:
        return rf"\lvert {inside} \rvert"

    def _call(self, name: str, arguments: Sequence[str], exponent: str = "") -> str:
        known = "\\" + name if name in KNOWN else rf"\operatorname{{{name}}}"
        head = NAMES.get(name, known)
        return (self._raised(head, exponent) if exponent else head) + self._parentheses(
            ", ".join(arguments)
        )

    def _relation_sign(self, operator: str) -> str:
        return RELATIONS[operator]

    def _decimal(self, digits: str) -> str:
        mantissa, _, exponent = digits.partition("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def _word(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def atom(self, e: Any) -> str:
        """Write a symbol, whose name is its TeX, or a constant."""
        return {"oo": r"\infty", "E": "e", "pi": r"\pi"}.get(str(e), str(e))


def matrix(cells: NDArray[Any], write: Callable[[Any], str]) -> str:
    r"""Write an array of up to two dimensions: a number, a row, or rows.

    Example:
        >>> print(matrix(np.array([[6, 0], [2, 24]]), str))
        \begin{bmatrix} 6 & 0 \\ 2 & 24 \end{bmatrix}
    """
    if cells.ndim == 0:
        return write(cells[()])
    rows = [" & ".join(map(write, row)) for row in np.atleast_2d(cells)]
    gap = r" \\[4pt] " if any(r"\frac" in row for row in rows) else r" \\ "
    return rf"\begin{{bmatrix}} {gap.join(rows)} \end{{bmatrix}}"
