from typing import Any

import pytest
import sympy

from vtj.engines.symbolic.kinks import (
    Clamped,
    Kinked,
    Largest,
    Magnitude,
    Relu,
    Sigmoid,
    Slope,
    Smallest,
)

A, B, C = sympy.symbols("a b c", real=True)
THIRD, HALF = sympy.Rational(1, 3), sympy.Rational(1, 2)
ABOVE, BELOW = sympy.Gt, sympy.Lt


@pytest.mark.parametrize(
    ("function", "values", "slopes", "piece"),
    [
        (Relu(A), [2.0], [1], [A > 0]),
        (Relu(A), [0.5], [1], [A > 0]),
        (Relu(A), [0.0], [0], [sympy.Eq(A, 0)]),
        (Relu(A), [-2.0], [0], [A < 0]),
        (Magnitude(A), [0.5], [1], [A > 0]),
        (Magnitude(A), [0.0], [0], [sympy.Eq(A, 0)]),
        (Magnitude(A), [-0.5], [-1], [A < 0]),
        (Largest(A, B), [1.0, 2.0], [0, 1], [B > A]),
        (Largest(A, B), [2.0, 2.0], [HALF, HALF], [sympy.Eq(A, B)]),
        (Largest(A, B, C), [3.0, 3.0, 3.0], [THIRD] * 3, [sympy.Eq(A, B), sympy.Eq(A, C)]),
        (Largest(A, B, C), [0.0, 3.0, 3.0], [0, HALF, HALF], [B > A, sympy.Eq(B, C)]),
        (Smallest(A, B), [1.0, 2.0], [1, 0], [A < B]),
        (Smallest(A, B, C), [3.0, 0.0, 0.0], [0, HALF, HALF], [B < A, sympy.Eq(B, C)]),
        (Clamped(A, B, C), [2.0, 1.0, 3.0], [1, 0, 0], [A > B, A < C]),
        (Clamped(A, B, C), [1.0, 1.0, 3.0], [1, 0, 0], [sympy.Eq(A, B), A < C]),
        (Clamped(A, B, C), [3.0, 1.0, 3.0], [1, 0, 0], [A > B, sympy.Eq(A, C)]),
        (Clamped(A, B, C), [0.0, 1.0, 3.0], [0, 1, 0], [A < B, A < C]),
        (Clamped(A, B, C), [4.0, 1.0, 3.0], [0, 0, 1], [A > B, A > C]),
        (Clamped(A, -sympy.oo, 1), [0.0, -float("inf"), 1.0], [1, 0, 0], [A < 1]),
        (Clamped(A, 1, sympy.oo), [0.0, 1.0, float("inf")], [0, 1, 0], [A < 1]),
    ],
)
def test_a_kink_has_a_slope_and_a_piece_at_every_point(
    function: Any, values: list[float], slopes: list[Any], piece: list[Any]
) -> None:
    assert function.slopes(values) == slopes
    assert all(isinstance(slope, sympy.Rational) for slope in function.slopes(values))
    assert function.piece(values) == piece


def test_the_slope_is_left_open_until_there_is_a_point() -> None:
    function: Kinked = Largest(A, B**2)
    assert function.fdiff() == Slope(function, sympy.Integer(1))
    assert sympy.diff(function, B) == 2 * B * Slope(function, sympy.Integer(2))


def test_the_slope_of_a_sigmoid_is_written_with_it() -> None:
    assert Sigmoid(A).fdiff() == Sigmoid(A) * (1 - Sigmoid(A))
    assert sympy.diff(Sigmoid(3 * A), A) == 3 * Sigmoid(3 * A) * (1 - Sigmoid(3 * A))
