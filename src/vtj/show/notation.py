"""SymPy expressions written down as an author would, as text for a terminal and as TeX.

SymPy's own printers decide order, signs and fractions otherwise (``x_{1}^{2}``, ``- x + 1``) in the
same methods that write the marks, so nothing of them would be left.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from vtj.engines.symbolic.kinks import Clamped, Magnitude, Relu
from vtj.show.measured import LOW

SUM, PRODUCT, FACTOR, BASE = range(4)
"""How tightly the place of an expression binds; what binds less tightly gets parentheses."""

POWERED = frozenset(["cos", "cosh", "sin", "sinh", "tan", "tanh"])
"""Functions whose integer powers are written at the name: sin²(x)."""

HIGH = str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")


class Plain:
    """Writes text with Unicode subscripts and superscripts: ``6x₁``, ``x₁² + 2x₂³``.

    Terms stand in the order of their symbols, higher powers first, constants last, and never with a
    leading minus where a positive term can lead. `symbols` are in the order of the elements of x.
    """

    WORDS: Mapping[str, str] = {
        **{"Largest": "max", "Smallest": "min", "Sigmoid": "σ", "oo": "∞", "E": "e", "pi": "π"},
        **{">=": "≥", "<=": "≤", "==": "=", "!=": "≠"},
    }
    MINUS, FRACTION, MAGNITUDE, WORD = "−", "{}/{}", "|{}|", "{}"
    SLOPE = "∂{}/∂{}"
    ABOVE, BELOW = PRODUCT, FACTOR  # the places above and below a fraction's line

    def __init__(self, symbols: Sequence[Any]) -> None:
        self.rank = {symbol: position for position, symbol in enumerate(symbols)}

    def write(self, e: Any, place: int = SUM) -> str:
        """Write an expression, in parentheses where its place asks for them."""
        text, binds = self._written(sympy.sympify(e))
        return self.parentheses(text) if binds < place else text

    def numeral(self, value: float) -> str:
        """Write a value with up to six digits."""
        if not np.isfinite(value):
            return self.WORD.format(float(value))
        digits = self.decimal(f"{abs(value):.6g}")
        return (self.MINUS if value < 0 else "") + digits

    def _written(self, e: Any) -> tuple[str, int]:
        """Return the text, and how tightly it binds."""
        if e.is_Add and _shared(e)[0] == 1:
            return self._sum(e), SUM
        if e.is_number and (e.is_Rational or e.is_Float or e.is_infinite):
            return self._number(e)
        if e.is_Add or e.is_Mul or _below(e):
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        if isinstance(e, sympy.Rel):
            return self._relation(e), SUM
        if isinstance(e, Magnitude | sympy.Abs):
            return self.MAGNITUDE.format(self.write(e.args[0])), BASE
        if e.is_Function:
            name, args = _called(e)
            written = self.call(name, [self.write(arg) for arg in args])
            return written, FACTOR if name == "exp" else BASE
        return self.atom(str(e)) if e.is_Symbol else self.WORDS.get(str(e), str(e)), BASE

    def slope(self, above: str, below: str) -> str:
        """Write a partial derivative."""
        return self.SLOPE.format(self.atom(above), self.atom(below))

    def _sum(self, e: Any) -> str:
        terms = sorted(e.args, key=self._term_key)
        lead = next((i for i, t in enumerate(terms) if not _negative(t)), 0)
        terms.insert(0, terms.pop(lead))
        text = self.write(terms[0])
        for term in terms[1:]:
            sign, size = (self.MINUS, -term) if _negative(term) else ("+", term)
            text += f" {sign} {self.write(size)}"
        return text

    def _product(self, e: Any) -> tuple[str, int]:
        coefficient, factors = _factored(e)
        if coefficient.is_negative:
            positive = sympy.Mul(-coefficient, *factors, evaluate=False)
            return self.MINUS + self.write(positive), SUM
        above = [f for f in factors if not _below(f)]
        below = [1 / f for f in factors if _below(f)]
        if coefficient.is_Rational and (below or not _reads_decimal(coefficient)):
            above = [sympy.Integer(coefficient.p)] * (coefficient.p != 1 or not above) + above
            below = [sympy.Integer(coefficient.q)] * (coefficient.q != 1) + below
        elif f"{float(coefficient):.4g}" != "1":
            above = [coefficient, *above]
        if not below:
            return self._side(above, PRODUCT), PRODUCT
        sides = self._side(above, self.ABOVE), self._side(below, self.BELOW)
        return self.FRACTION.format(*sides), PRODUCT

    def _side(self, factors: list[Any], place: int) -> str:
        if len(factors) == 1:
            return self.write(factors[0], place)
        ordered = sorted(factors, key=self._factor_key)
        text = self.join([self.write(factor, FACTOR) for factor in ordered])
        return text if place <= PRODUCT else self.parentheses(text)

    def _power(self, base: Any, exponent: Any) -> tuple[str, int]:
        if exponent.is_Rational and exponent.p == 1 and exponent.q in (2, 3):
            return self.root(self.write(base), exponent.q), BASE
        if base.is_Function and exponent.is_Integer and base.func.__name__ in POWERED:
            arguments = [self.write(arg) for arg in base.args]
            return self.call(base.func.__name__, arguments, self.write(exponent)), FACTOR
        return self.raised(self.write(base, BASE), self.write(exponent)), FACTOR

    def _relation(self, e: Any) -> str:
        e = e.reversed if e.lhs.is_number else e
        shift, left = e.lhs.as_coeff_Add()
        sign = self.WORDS.get(e.rel_op, e.rel_op)
        return f"{self.write(left)} {sign} {self.write(e.rhs - shift)}"

    def _number(self, e: Any) -> tuple[str, int]:
        if e.is_extended_negative:
            return self.MINUS + self._number(-e)[0], SUM
        if e.is_infinite:
            return self.WORDS["oo"], BASE
        if e.is_Integer:
            return str(e), BASE
        if e.is_Rational and not _reads_decimal(e):
            return self.FRACTION.format(e.p, e.q), PRODUCT
        return self.decimal(f"{float(e):.4g}"), FACTOR

    def _term_key(self, term: Any) -> Any:
        factors = [f for f in sympy.Mul.make_args(term) if f.free_symbols]
        return not factors, [key[1:] for key in sorted(map(self._factor_key, factors))]

    def _factor_key(self, factor: Any) -> Any:
        base, exponent = factor.as_base_exp()
        first = min((self.rank[s] for s in factor.free_symbols), default=0)
        kind = 0 if base.is_Symbol else -1 if factor.is_number else 2 if base.is_Add else 1
        degree = -float(exponent) if exponent.is_number and kind == 0 else 0.0
        return kind, first, degree, str(factor)

    # What follows is the notation: all that TeX writes otherwise.

    def parentheses(self, text: str) -> str:
        """Write parentheses around a text."""
        return f"({text})"

    def join(self, factors: Sequence[str]) -> str:
        """Write a product, with a dot only where it would be misread without."""
        text = factors[0]
        for factor in factors[1:]:
            word = re.match(r"[a-z]{2}", factor) and not text.isdigit()
            open_end = re.search(r"[\^√∛]\w+$", text)
            text += ("·" if word or open_end or factor[0].isdigit() else "") + factor
        return text

    def raised(self, base: str, exponent: str) -> str:
        """Write a power."""
        if exponent.isdecimal():
            return base + exponent.translate(HIGH)
        return f"{base}^{exponent}" if exponent.isalnum() else f"{base}^({exponent})"

    def root(self, radicand: str, degree: int) -> str:
        """Write a square or cube root."""
        inside = radicand if re.fullmatch(r"\w+", radicand) else f"({radicand})"
        return ("√" if degree == 2 else "∛") + inside

    def call(self, name: str, arguments: Sequence[str], exponent: str = "") -> str:
        """Write a function by its SymPy name, and its power at the name."""
        head = self.WORDS.get(name, name)
        head = self.raised(head, exponent) if exponent else head
        return head + self.parentheses(", ".join(arguments))

    def decimal(self, digits: str) -> str:
        """Write a decimal number as Python does."""
        return digits

    def atom(self, name: str) -> str:
        """Write a name given as TeX."""
        name = name.replace(r"\dots", "…")
        name = re.sub(r"\^\{(\(\d+\))\}", lambda found: found[1].translate(HIGH), name)
        name = re.sub(r"\\math\w+\{(\w+)\}", r"\1", name)
        return re.sub(r"_\{?([\d,]+)\}?", lambda found: found[1].translate(LOW), name)


class Tex(Plain):
    """Writes TeX that Temml and MathJax both render: ``x_1^2 + 2x_2^3``, with few braces."""

    WORDS: Mapping[str, str] = {
        **{name: "\\" + name for name in ("cos", "cosh", "log", "max", "min")},
        **{name: "\\" + name for name in ("sin", "sinh", "tan", "tanh", "pi")},
        **{"Largest": r"\max", "Smallest": r"\min", "Sigmoid": r"\sigma"},
        **{"acos": r"\arccos", "asin": r"\arcsin", "atan": r"\arctan"},
        **{">=": r"\ge", "<=": r"\le", "==": "=", "!=": r"\ne", "oo": r"\infty", "E": "e"},
    }
    MINUS, FRACTION = "-", r"\frac{{{}}}{{{}}}"
    MAGNITUDE, WORD = r"\lvert {} \rvert", r"\text{{{}}}"
    SLOPE = r"\frac{{\partial {}}}{{\partial {}}}"
    ABOVE = BELOW = SUM

    def parentheses(self, text: str) -> str:
        """Write parentheses, as tall as what is in them."""
        tall = any(mark in text for mark in (r"\frac", r"\sqrt"))
        return rf"\left({text}\right)" if tall else f"({text})"

    def join(self, factors: Sequence[str]) -> str:
        """Write a product, with a dot only where two numbers meet."""
        text = factors[0]
        for factor in factors[1:]:
            dot = r" \cdot " if factor[0].isdigit() else ""
            gap = " " if re.search(r"\\[a-z]+$", text) and factor[0].isalpha() else ""
            text += dot + gap + factor
        return text

    def raised(self, base: str, exponent: str) -> str:
        """Write a power."""
        return f"{base}^{exponent}" if len(exponent) == 1 else f"{base}^{{{exponent}}}"

    def root(self, radicand: str, degree: int) -> str:
        """Write a square or cube root."""
        return rf"\sqrt{{{radicand}}}" if degree == 2 else rf"\sqrt[{degree}]{{{radicand}}}"

    def call(self, name: str, arguments: Sequence[str], exponent: str = "") -> str:
        """Write a function upright, also one that TeX does not know; exp as a power of e."""
        if name == "exp":
            return self.raised("e", arguments[0])
        known = name if name in self.WORDS else rf"\operatorname{{{name}}}"
        return super().call(known, arguments, exponent)

    def decimal(self, digits: str) -> str:
        """Write a decimal number, a power of ten as one."""
        mantissa, _, exponent = digits.partition("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa

    def atom(self, name: str) -> str:
        """Write a name, which is TeX."""
        return name


def _called(e: Any) -> tuple[str, Sequence[Any]]:
    """Return the name and the arguments with which an author writes a function."""
    if isinstance(e, Relu):
        return "max", (0, *e.args)
    if isinstance(e, Clamped):
        value, low, high = e.args
        if high == sympy.oo:
            return "max", (value, low)
        return ("min", (value, high)) if low == -sympy.oo else ("clamp", e.args)
    return e.func.__name__, e.args


def _negative(term: Any) -> bool:
    return bool(_factored(term)[0].is_negative)


def _below(factor: Any) -> bool:
    return bool(factor.is_Pow and factor.exp.could_extract_minus_sign())


def _factored(e: Any) -> tuple[Any, list[Any]]:
    """Part a product into its coefficient and its other factors."""
    coefficient, rest = e.as_coeff_Mul()
    factors = []
    for factor in sympy.Mul.make_args(rest):
        shared, whole = _shared(factor)
        coefficient *= shared
        factors.append(whole)
    return coefficient, factors


def _shared(e: Any) -> tuple[Any, Any]:
    """Take a fraction out of a sum where that leaves no other coefficients in it."""
    content, whole = e.primitive()
    coefficients = {term.as_coeff_Mul()[0] for term in whole.args} if content.q != 1 else set()
    if coefficients == {-1}:
        return -content, -whole
    return (content, whole) if coefficients and coefficients <= {1, -1} else (sympy.S.One, e)


def _reads_decimal(number: Any) -> bool:
    """Return whether a number is better read as 0.1 than as a fraction."""
    return not number.is_Rational or (number.q % 5 == 0 and 10**4 % number.q == 0)
