import math

import numpy as np
import pytest
import sympy

from vtj.engines.symbolic.kinks import Clamped, Largest, Magnitude, Relu, Sigmoid, Smallest
from vtj.engines.symbolic.numbers import agreeing, close, evaluate

A, B = sympy.symbols("a b", real=True)
EPS = 2.0**-30
"""Its power 2/3 is 2**-20, and 64 times it is 2**-24."""


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (A, 2.0),
        (A - 3 * B, 3.5),
        (sympy.Integer(7), 7.0),
        (A / (B + sympy.Rational(1, 2)), math.inf),
        (sympy.exp(1000 * A), math.inf),
        (sympy.sqrt(B), math.nan),
        (sympy.erf(B), math.erf(-0.5)),
        (Clamped(A, B, 1), 1.0),
        (Clamped(B, 0, A), 0.0),
        (Largest(B, A), 2.0),
        (Smallest(A, B), -0.5),
        (Magnitude(B), 0.5),
        (Relu(B), 0.0),
        (Relu(A), 2.0),
        (Sigmoid(B), 1 / (1 + math.exp(0.5))),
    ],
)
def test_a_formula_has_its_value_at_a_point(formula: sympy.Expr, value: float) -> None:
    given = evaluate(np.array([[formula]], dtype=object), {A: 2.0, B: -0.5})
    assert (given.shape, given.dtype) == ((1, 1), np.float64)
    np.testing.assert_allclose(given, [[value]], rtol=1e-15)


def test_values_stand_where_their_formulas_do() -> None:
    formulas = np.array([[A, B, 0], [A + B, A * B, 1]], dtype=object)
    assert evaluate(formulas, {A: 2.0, B: 5.0}).tolist() == [[2, 5, 0], [7, 10, 1]]
    assert evaluate(np.array(A, dtype=object), {A: 2.0}).shape == ()
    assert evaluate(np.empty((0, 2), dtype=object), {A: 2.0}).shape == (0, 2)


@pytest.mark.parametrize(
    ("a", "b", "size", "agrees"),
    [
        (1.0, 1 + 2.0**-20, 0.0, True),
        (1.0, 1 + 1.06 * 2.0**-20, 0.0, True),
        (1.0, 1 + 1.07 * 2.0**-20, 0.0, False),
        (-1.0, -1 - 1.06 * 2.0**-20, 0.0, True),
        (-1.0, -1 - 1.07 * 2.0**-20, 0.0, False),
        (-1.0, 1.0, 0.0, False),
        (0.0, 2.0**-24, 1.0, True),
        (0.0, 1.01 * 2.0**-24, 1.0, False),
        (0.0, 1.99 * 2.0**-24, 2.0, True),
        (0.0, 2.0**-30, 2.0**-10, False),
        (0.0, 0.0, 0.0, True),
        (math.inf, math.inf, 0.0, True),
        (math.inf, -math.inf, 0.0, False),
        (math.inf, 1.0, 0.0, False),
        (1.0, math.inf, 0.0, False),
        (math.nan, math.nan, 0.0, True),
        (math.nan, 1.0, 0.0, False),
        (1.0, math.nan, 0.0, False),
    ],
)
def test_a_pair_agrees_up_to_rounding(a: float, b: float, size: float, agrees: bool) -> None:
    pair = np.array([a]), np.array([b])
    assert agreeing(*pair, EPS, size).tolist() == [agrees]
    assert close(*pair, EPS, size) is agrees


@pytest.mark.parametrize(
    ("other", "agrees"), [(4.0, True), (0.5, False), (math.inf, False), (math.nan, False)]
)
def test_terms_as_large_as_the_largest_finite_value_may_have_canceled(
    other: float, agrees: bool
) -> None:
    a, b = np.array([0.0, other]), np.array([2.0**-24, other])
    assert agreeing(a, b, EPS, 0.0).tolist() == [agrees, True]
    assert close(a, b, EPS, 0.0) is agrees


def test_a_difference_as_large_as_the_rounding_agrees() -> None:
    zero, eight = np.array([0.0]), np.array([8.0])
    assert agreeing(zero, eight, 2.0**-9, 63.0)  # 8 / 64 + 63 / 8 is 8
    assert not agreeing(zero, eight, 2.0**-9, 62.0)
