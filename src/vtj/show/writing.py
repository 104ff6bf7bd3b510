"""SymPy expressions written down as an author would: order, signs and fractions, in one place."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from vtj.engines.symbolic.kinks import Clamped, Magnitude, Relu

SUM, PRODUCT, FACTOR, BASE = range(4)
"""How tightly the place of an expression binds; what binds less tightly gets parentheses."""


class Writer(ABC):
    """Writes expressions; a subclass knows the notation.

    Terms stand in the order of their symbols, higher powers first, constants last, and never with a
    leading minus where a positive term can lead.

    Args:
        symbols: The symbols in the order of the elements of x.
    """

    def __init__(self, symbols: Sequence[Any]) -> None:
        self.rank = {symbol: position for position, symbol in enumerate(symbols)}

    def write(self, e: Any, place: int = SUM) -> str:
        """Write an expression, in parentheses where its place asks for them."""
        text, binds = self._written(sympy.sympify(e))
        return self._parentheses(text) if binds < place else text

    def numeral(self, value: float) -> str:
        """Write a value with up to six digits."""
        if not np.isfinite(value):
            return self._word(str(float(value)))
        digits = self._decimal(f"{abs(value):.6g}")
        return (self._sign("-") if value < 0 else "") + digits

    def _written(self, e: Any) -> tuple[str, int]:
        if e.is_Add:
            return self._sum(e)
        if e.is_number and (e.is_Rational or e.is_Float or e.is_infinite):
            return self._number(e)
        if e.is_Mul or _below(e):
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        if isinstance(e, sympy.exp):
            return self._exponential(self.write(e.args[0])), FACTOR
        if isinstance(e, sympy.Rel):
            return self._relation(e), SUM
        if isinstance(e, Relu):
            return self._call("max", ["0", self.write(e.args[0])]), BASE
        if isinstance(e, Magnitude | sympy.Abs):
            return self._magnitude(self.write(e.args[0])), BASE
        if isinstance(e, Clamped):
            return self._clamped(*e.args), BASE
        if e.is_Function:
            return self._call(e.func.__name__, [self.write(arg) for arg in e.args]), BASE
        return self.atom(e), BASE

    def _sum(self, e: Any) -> tuple[str, int]:
        if _shared(e)[0] != 1:
            return self._product(e)
        terms = sorted(e.args, key=self._term_key)
        lead = next((i for i, t in enumerate(terms) if not _negative(t)), 0)
        terms.insert(0, terms.pop(lead))
        text = self.write(terms[0])
        for term in terms[1:]:
            sign, size = ("-", -term) if _negative(term) else ("+", term)
            text += f" {self._sign(sign)} {self.write(size)}"
        return text, SUM

    def _product(self, e: Any) -> tuple[str, int]:
        coefficient, factors = _factored(e)
        if coefficient.is_negative:
            positive = sympy.Mul(-coefficient, *factors, evaluate=False)
            return self._sign("-") + self.write(positive), SUM
        above = [f for f in factors if not _below(f)]
        below = [1 / f for f in factors if _below(f)]
        if coefficient.is_Rational and (below or not _reads_decimal(coefficient)):
            above = [sympy.Integer(coefficient.p)] * (coefficient.p != 1 or not above) + above
            below = [sympy.Integer(coefficient.q)] * (coefficient.q != 1) + below
        elif f"{float(coefficient):.4g}" != "1":
            above = [coefficient, *above]
        if not below:
            return self._side(above, PRODUCT), PRODUCT
        return self._fraction(self._side(above, self.ABOVE), self._side(below, self.BELOW)), PRODUCT

    def _side(self, factors: list[Any], place: int) -> str:
        if len(factors) == 1:
            return self.write(factors[0], place)
        return (
            self._factors(factors)
            if place <= PRODUCT
            else self._parentheses(self._factors(factors))
        )

    def _factors(self, factors: list[Any]) -> str:
        ordered = sorted(factors, key=self._factor_key)
        return self.join([self.write(factor, FACTOR) for factor in ordered])

    def _power(self, base: Any, exponent: Any) -> tuple[str, int]:
        if exponent.is_Rational and exponent.p == 1 and exponent.q in (2, 3):
            return self._root(self.write(base), exponent.q), BASE
        if base.is_Function and exponent.is_Integer and base.func.__name__ in self.POWERED:
            arguments = [self.write(arg) for arg in base.args]
            return self._call(base.func.__name__, arguments, self.write(exponent)), FACTOR
        return self._raised(self.write(base, BASE), self.write(exponent)), FACTOR

    def _clamped(self, value: Any, low: Any, high: Any) -> str:
        if high == sympy.oo:
            return self._call("max", [self.write(value), self.write(low)])
        if low == -sympy.oo:
            return self._call("min", [self.write(value), self.write(high)])
        return self._call("clamp", [self.write(arg) for arg in (value, low, high)])

    def _relation(self, e: Any) -> str:
        e = e.reversed if e.lhs.is_number else e
        shift, left = e.lhs.as_coeff_Add()
        return f"{self.write(left)} {self._relation_sign(e.rel_op)} {self.write(e.rhs - shift)}"

    def _number(self, e: Any) -> tuple[str, int]:
        if e.is_extended_negative:
            text, _ = self._number(-e)
            return self._sign("-") + text, SUM
        if e.is_infinite:
            return self.atom(e), BASE
        if e.is_Integer:
            return str(e), BASE
        if e.is_Rational and not _reads_decimal(e):
            return self._fraction(str(e.p), str(e.q)), PRODUCT
        return self._decimal(f"{float(e):.4g}"), FACTOR

    def _term_key(self, term: Any) -> Any:
        factors = [f for f in sympy.Mul.make_args(term) if f.free_symbols]
        return not factors, [key[1:] for key in sorted(map(self._factor_key, factors))]

    def _factor_key(self, factor: Any) -> Any:
        base, exponent = factor.as_base_exp()
        first = min((self.rank[s] for s in factor.free_symbols), default=0)
        kind = 0 if base.is_Symbol else -1 if factor.is_number else 2 if base.is_Add else 1
        degree = -float(exponent) if exponent.is_number and kind == 0 else 0.0
        return kind, first, degree, str(factor)

    POWERED: frozenset[str] = frozenset()
    """Functions whose integer powers are written at the name."""

    ABOVE = BELOW = SUM
    """The places above and below a fraction's line."""

    @abstractmethod
    def _parentheses(self, text: str) -> str:
        """Write parentheses."""

    @abstractmethod
    def _sign(self, sign: str) -> str:
        """Write + or -."""

    @abstractmethod
    def join(self, factors: Sequence[str]) -> str:
        """Write a product."""

    @abstractmethod
    def _fraction(self, top: str, bottom: str) -> str:
        """Write a fraction."""

    @abstractmethod
    def _raised(self, base: str, exponent: str) -> str:
        """Write a power."""

    @abstractmethod
    def _root(self, radicand: str, degree: int) -> str:
        """Write a root."""

    @abstractmethod
    def _exponential(self, exponent: str) -> str:
        """Write e to a power."""

    @abstractmethod
    def _magnitude(self, inside: str) -> str:
        """Write an absolute value."""

    @abstractmethod
    def _call(self, name: str, arguments: Sequence[str], exponent: str = "") -> str:
        """Write a function by its SymPy name."""

    @abstractmethod
    def _relation_sign(self, operator: str) -> str:
        """Write a relation."""

    @abstractmethod
    def _decimal(self, digits: str) -> str:
        """Write a decimal number."""

    @abstractmethod
    def _word(self, text: str) -> str:
        """Write a word, such as nan."""

    @abstractmethod
    def atom(self, e: Any) -> str:
        """Write a symbol or a constant."""


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
    """Say whether a number is better read as 0.1 than as a fraction."""
    return not number.is_Rational or (number.q % 5 == 0 and 10**4 % number.q == 0)
