"""Expressions as TeX and as text: one table of what an author would write."""

from typing import Any

import numpy as np
import pytest
import sympy
from mathematics.temml import render

from vtj.engines.symbolic.kinks import Clamped, Largest, Magnitude, Relu, Sigmoid, Smallest
from vtj.show.equations import laid_out
from vtj.show.notation import Plain, Tex

a, b, c = sympy.symbols("x_1 x_2 x_{12}", real=True)
BIAS = sympy.Symbol(r"\mathit{bias}_{12}", real=True)
SYMBOLS = [a, b, c, BIAS]
EXP = sympy.exp

WRITTEN: list[tuple[Any, str, str]] = [
    (6 * a, "6x_1", "6x₁"),
    (sympy.Integer(0), "0", "0"),
    (sympy.Integer(-3), "-3", "−3"),
    (a**2 + 2 * b**3, "x_1^2 + 2x_2^3", "x₁² + 2x₂³"),
    (b**2 + a * b + a**2, "x_1^2 + x_1x_2 + x_2^2", "x₁² + x₁x₂ + x₂²"),
    (c**2 * a, "x_1x_{12}^2", "x₁x₁₂²"),
    (1 - a, "1 - x_1", "1 − x₁"),
    (b - a, "x_2 - x_1", "x₂ − x₁"),
    (-a - b, "-x_1 - x_2", "−x₁ − x₂"),
    (-(a + b) / 2, r"-\frac{x_1 + x_2}{2}", "−(x₁ + x₂)/2"),
    (a / 2 + b / 2, r"\frac{x_1 + x_2}{2}", "(x₁ + x₂)/2"),
    (3 * a / 2 + 3 * b / 2, r"\frac{3(x_1 + x_2)}{2}", "3(x₁ + x₂)/2"),
    ((a - b) / 2, r"\frac{x_1 - x_2}{2}", "(x₁ − x₂)/2"),
    (sympy.Mul(-1, a + b, evaluate=False), "-(x_1 + x_2)", "−(x₁ + x₂)"),
    (sympy.Mul(-2, a + b, evaluate=False), "-2(x_1 + x_2)", "−2(x₁ + x₂)"),
    (a + b * (-a / 2 - c / 2), r"x_1 - \frac{x_2(x_1 + x_{12})}{2}", "x₁ − x₂(x₁ + x₁₂)/2"),
    (a - b * (-a / 2 - c / 2), r"x_1 + \frac{x_2(x_1 + x_{12})}{2}", "x₁ + x₂(x₁ + x₁₂)/2"),
    (a - sympy.Rational(3, 2), r"x_1 - \frac{3}{2}", "x₁ − 3/2"),
    (a / 10, "0.1x_1", "0.1x₁"),
    (a / 3125, r"\frac{x_1}{3125}", "x₁/3125"),
    (a / 20000, r"\frac{x_1}{20000}", "x₁/20000"),
    (a / 10000, "0.0001x_1", "0.0001x₁"),
    (sympy.Rational(1, 10), "0.1", "0.1"),
    (sympy.Rational(-1, 3), r"-\frac{1}{3}", "−1/3"),
    (a**2 / 3, r"\frac{x_1^2}{3}", "x₁²/3"),
    (sympy.Float(0.123456) * a, "0.1235x_1", "0.1235x₁"),
    (sympy.Float(1.00000001) * a, "x_1", "x₁"),
    (sympy.Float(1.5e-7), r"1.5 \cdot 10^{-7}", "1.5e-07"),
    (1 / a, r"\frac{1}{x_1}", "1/x₁"),
    (2 / (a * b), r"\frac{2}{x_1x_2}", "2/(x₁x₂)"),
    (a / (1 + b), r"\frac{x_1}{x_2 + 1}", "x₁/(x₂ + 1)"),
    (a**10, "x_1^{10}", "x₁¹⁰"),
    (2**a, "2^{x_1}", "2^x₁"),
    (3 * 2**a, r"3 \cdot 2^{x_1}", "3·2^x₁"),
    (-2 * 2**a, r"-2 \cdot 2^{x_1}", "−2·2^x₁"),
    (a**b * c, "x_1^{x_2}x_{12}", "x₁^x₂·x₁₂"),
    (a**b * (b + 1), "x_1^{x_2}(x_2 + 1)", "x₁^x₂·(x₂ + 1)"),
    (a ** (b + 1) * c, "x_1^{x_2 + 1}x_{12}", "x₁^(x₂ + 1)x₁₂"),
    (a ** sympy.Rational(3, 2), r"x_1^{\frac{3}{2}}", "x₁^(3/2)"),
    ((a + b) ** 2, "(x_1 + x_2)^2", "(x₁ + x₂)²"),
    (((a + b) / 2) ** 2, r"\left(\frac{x_1 + x_2}{2}\right)^2", "((x₁ + x₂)/2)²"),
    (sympy.sqrt(a), r"\sqrt{x_1}", "√x₁"),
    (sympy.sqrt(a) * b, r"\sqrt{x_1}x_2", "√x₁·x₂"),
    (sympy.cbrt(a) * b, r"\sqrt[3]{x_1}x_2", "∛x₁·x₂"),
    (sympy.sqrt(2) * a, r"\sqrt{2}x_1", "√2·x₁"),
    (sympy.sqrt(a + 1) * b, r"x_2\sqrt{x_1 + 1}", "x₂√(x₁ + 1)"),
    (sympy.sin(sympy.sqrt(a)), r"\sin\left(\sqrt{x_1}\right)", "sin(√x₁)"),
    (sympy.sqrt(a**2 + b**2), r"\sqrt{x_1^2 + x_2^2}", "√(x₁² + x₂²)"),
    (sympy.cbrt(a), r"\sqrt[3]{x_1}", "∛x₁"),
    (a / sympy.sqrt(b), r"\frac{x_1}{\sqrt{x_2}}", "x₁/√x₂"),
    (
        EXP(a) / (EXP(a) + EXP(b)),
        r"\frac{e^{x_1}}{e^{x_1} + e^{x_2}}",
        "exp(x₁)/(exp(x₁) + exp(x₂))",
    ),
    (EXP(-a), "e^{-x_1}", "exp(−x₁)"),
    (EXP(a) + 1 / a, r"e^{x_1} + \frac{1}{x_1}", "exp(x₁) + 1/x₁"),
    (sympy.E, "e", "e"),
    (sympy.pi * a, r"\pi x_1", "πx₁"),
    (sympy.pi * b + a + sympy.E, r"x_1 + \pi x_2 + e", "x₁ + πx₂ + e"),
    (sympy.sqrt(2) * b + a, r"x_1 + \sqrt{2}x_2", "x₁ + √2·x₂"),
    (sympy.E * sympy.pi, r"e\pi", "eπ"),
    (1 - sympy.tanh(a) ** 2, r"1 - \tanh^2(x_1)", "1 − tanh²(x₁)"),
    (sympy.log(a) * b, r"x_2\log(x_1)", "x₂·log(x₁)"),
    (2 * sympy.sin(a), r"2\sin(x_1)", "2sin(x₁)"),
    (EXP(a) * sympy.sin(a) ** 2, r"e^{x_1}\sin^2(x_1)", "exp(x₁)·sin²(x₁)"),
    (sympy.sin(a) * sympy.cos(a), r"\cos(x_1)\sin(x_1)", "cos(x₁)·sin(x₁)"),
    (sympy.sin(a) * sympy.cos(b), r"\sin(x_1)\cos(x_2)", "sin(x₁)·cos(x₂)"),
    (EXP(c) * (a + b), r"e^{x_{12}}(x_1 + x_2)", "exp(x₁₂)(x₁ + x₂)"),
    (sympy.acos(a), r"\arccos(x_1)", "acos(x₁)"),
    (sympy.erf(a / 2), r"\operatorname{erf}\left(\frac{x_1}{2}\right)", "erf(x₁/2)"),
    (sympy.atan2(a, b), r"\operatorname{atan2}(x_1, x_2)", "atan2(x₁, x₂)"),
    (Sigmoid(a) * (1 - Sigmoid(a)), r"\sigma(x_1)(1 - \sigma(x_1))", "σ(x₁)(1 − σ(x₁))"),
    (Sigmoid(a) ** 2, r"\sigma(x_1)^2", "σ(x₁)²"),
    (Relu(a), r"\max(0, x_1)", "max(0, x₁)"),
    (Magnitude(a), r"\lvert x_1 \rvert", "|x₁|"),
    (sympy.Abs(a - b), r"\lvert x_1 - x_2 \rvert", "|x₁ − x₂|"),
    (Largest(b, a), r"\max(x_2, x_1)", "max(x₂, x₁)"),
    (Smallest(a, b), r"\min(x_1, x_2)", "min(x₁, x₂)"),
    (Clamped(a, 0, 1), r"\operatorname{clamp}(x_1, 0, 1)", "clamp(x₁, 0, 1)"),
    (Clamped(a, 0, sympy.oo), r"\max(x_1, 0)", "max(x₁, 0)"),
    (Clamped(a, -sympy.oo, 1), r"\min(x_1, 1)", "min(x₁, 1)"),
    (sympy.oo, r"\infty", "∞"),
    (-sympy.oo, r"-\infty", "−∞"),
    (sympy.Gt(a - 1, 0), "x_1 > 1", "x₁ > 1"),
    (sympy.Lt(0, a), "x_1 > 0", "x₁ > 0"),
    (sympy.Ge(a, b), r"x_1 \ge x_2", "x₁ ≥ x₂"),
    (sympy.Le(2 * a + 1, 0), r"2x_1 \le -1", "2x₁ ≤ −1"),
    (sympy.Ne(a, 0), r"x_1 \ne 0", "x₁ ≠ 0"),
    (BIAS, r"\mathit{bias}_{12}", "bias₁₂"),
]


@pytest.mark.parametrize(("e", "tex", "plain"), WRITTEN, ids=[str(e) for e, _, _ in WRITTEN])
def test_is_written_as_an_author_would(e: Any, tex: str, plain: str) -> None:
    assert Tex(SYMBOLS).write(e) == tex
    assert Plain(SYMBOLS).write(e) == plain


@pytest.mark.parametrize(
    ("value", "tex", "plain"),
    [
        (1240.0, "1240", "1240"),
        (-0.5, "-0.5", "−0.5"),
        (0.333333333, "0.333333", "0.333333"),
        (2.5e-10, r"2.5 \cdot 10^{-10}", "2.5e-10"),
        (float("nan"), r"\text{nan}", "nan"),
        (float("-inf"), r"\text{-inf}", "-inf"),
    ],
)
def test_values_are_written_with_six_digits(value: float, tex: str, plain: str) -> None:
    assert Tex([]).numeral(value) == tex
    assert Plain([]).numeral(value) == plain


@pytest.mark.parametrize(
    ("y", "x", "shape"),
    [
        ((), (), ()),
        ((), (2,), (2,)),
        ((3,), (), (3, 1)),
        ((2, 3), (), (2, 3)),
        ((), (2, 3, 4), (1, 24)),
        ((2, 4), (2, 3), (8, 6)),
        ((2, 3, 4), (), (24, 1)),
    ],
)
def test_J_has_a_row_for_every_element_of_y(  # noqa: N802 - J is the term
    y: tuple[int, ...], x: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    entries = np.arange(np.prod(y + x, dtype=int)).reshape(y + x)
    found = laid_out(entries, len(y))
    assert found.shape == shape
    assert found.ravel().tolist() == entries.ravel().tolist()


@pytest.mark.parametrize("tex", [Tex(SYMBOLS).write(e) for e, _, _ in WRITTEN])
def test_what_is_written_can_be_shown(tex: str) -> None:
    assert "<math" in render(tex, display=True)
    assert not any(word in tex for word in (r"\color", r"\underbrace", r"\overbrace"))
