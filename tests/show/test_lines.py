"""Equations beneath each other."""

from vtj.show import Equation, Lines

ONE = Equation("y", "x^2", "y = x²")


def test_one_equation_stands_alone() -> None:
    assert Lines((ONE,)).tex == "y = x^2"
    assert Lines((ONE,))._repr_latex_() == "$$y = x^2$$"


def test_several_are_aligned_and_a_note_stands_beneath() -> None:
    lines = Lines((ONE, ONE), "x > 0", "x > 0")
    assert lines.tex == (
        r"\begin{aligned} y &= x^2 \\[4pt] y &= x^2 \\[4pt] &\text{where } x > 0 \end{aligned}"
    )
    assert repr(lines) == str(lines) == "y = x²\ny = x²\nwhere x > 0"
