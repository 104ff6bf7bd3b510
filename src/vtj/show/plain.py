"""Expressions as text for a terminal: ``6x₁``, ``x₁² + 2x₂³``."""

import re
from collections.abc import Sequence
from typing import Any

from vtj.show.writing import FACTOR, PRODUCT, Writer

LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
HIGH = str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")
NAMES = {"Largest": "max", "Sigmoid": "σ", "Smallest": "min"}
RELATIONS = {">": ">", "<": "<", ">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}


class Plain(Writer):
    """Writes text with Unicode subscripts and superscripts."""

    POWERED = frozenset(["cos", "cosh", "sin", "sinh", "tan", "tanh"])
    ABOVE = PRODUCT
    BELOW = FACTOR

    def _parentheses(self, text: str) -> str:
        return f"({text})"

    def _sign(self, sign: str) -> str:
        return "−" if sign == "-" else sign

    def join(self, factors: Sequence[str]) -> str:
        """Write a product, with a dot only where it would be misread without."""
        text = factors[0]
        for factor in factors[1:]:
            word = re.match(r"[a-z]{2}", factor) and not text.isdigit()
            open_end = re.search(r"[\^√∛]\w+$", text)
            text += ("·" if word or open_end or factor[0].isdigit() else "") + factor
        return text

    def _fraction(self, top: str, bottom: str) -> str:
        return f"{top}/{bottom}"

    def _raised(self, base: str, exponent: str) -> str:
        if exponent.isdecimal():
            return base + exponent.translate(HIGH)
        return f"{base}^{exponent}" if exponent.isalnum() else f"{base}^({exponent})"

    def _root(self, radicand: str, degree: int) -> str:
        inside = radicand if re.fullmatch(r"\w+", radicand) else f"({radicand})"
        return ("√" if degree == 2 else "∛") + inside

    def _exponential(self, exponent: str) -> str:
        return f"exp({exponent})"

    def _magnitude(self, inside: str) -> str:
        return f"|{inside}|"

    def _call(self, name: str, arguments: Sequence[str], exponent: str = "") -> str:
        head = NAMES.get(name, name)
        return f"{self._raised(head, exponent) if exponent else head}({', '.join(arguments)})"

    def _relation_sign(self, operator: str) -> str:
        return RELATIONS[operator]

    def _decimal(self, digits: str) -> str:
        return digits

    def _word(self, text: str) -> str:
        return text

    def atom(self, e: Any) -> str:
        """Write a name given as TeX, or a constant."""
        name = {"oo": "∞", "E": "e", "pi": "π"}.get(str(e), str(e))
        name = name.replace(r"\dots", "…")
        name = re.sub(r"\^\{(\(\d+\))\}", lambda found: found[1].translate(HIGH), name)
        name = re.sub(r"\\math\w+\{(\w+)\}", r"\1", name)
        return re.sub(r"_\{?([\d,]+)\}?", lambda found: found[1].translate(LOW), name)
