"""The equations of a formula: how each shape of x and y is laid out, as TeX and as text."""

from typing import Any

import pytest
import torch

from vtj.show import formula

X = torch.tensor([1.0, 2.0])
SQUARE = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def bmatrix(*rows: str) -> str:
    gap = r" \\[4pt] " if any(r"\frac" in row for row in rows) else r" \\ "
    return rf"\begin{{bmatrix}} {gap.join(rows)} \end{{bmatrix}}"


def slope(top: str, bottom: str) -> str:
    return rf"\frac{{\partial {top}}}{{\partial {bottom}}}"


def aligned(*equations: str) -> str:
    rows = r" \\[4pt] ".join(equation.replace(" = ", " &= ", 1) for equation in equations)
    return rf"\begin{{aligned}} {rows} \end{{aligned}}"


def test_a_row_stays_a_row() -> None:
    shown = formula(lambda x: 2 * x, torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 10.0]]))
    assert shown.y.tex == "y = " + bmatrix("2x_{11} & 2x_{12}")
    assert str(shown.y) == "y = [2x₁₁  2x₁₂]"
    left = slope("(y_{11}, y_{12})", "(x_{11}, x_{12})")
    assert shown.J.tex == f"{left} = " + bmatrix("2 & 0", "0 & 2")
    assert str(shown.J).splitlines() == [
        "∂(y₁₁, y₁₂)/∂(x₁₁, x₁₂) = [2  0]",
        "                          [0  2]",
    ]
    assert shown.product is not None
    assert shown.product.tex == r"v^\top \cdot J = " + " = ".join(
        [bmatrix("1 & 10") + bmatrix("2 & 0", "0 & 2"), bmatrix("2 & 20")]
    )
    assert str(shown.product) == "vᵀ·J = [2  20]"


def test_a_column_comes_back_in_its_shape() -> None:
    shown = formula(lambda x: 2 * x, torch.tensor([[1.0], [2.0]]), torch.tensor([[1.0], [10.0]]))
    assert shown.y.tex == "y = " + bmatrix("2x_{11}", "2x_{21}")
    assert shown.product is not None
    assert shown.product.tex == r"v^\top \cdot J = " + " = ".join(
        [
            bmatrix("1 & 10") + bmatrix("2 & 0", "0 & 2"),
            bmatrix("2 & 20"),
            bmatrix("2", "20") + r" \text{ in the shape of } x",
        ]
    )


def test_one_number_of_a_matrix_has_a_matrix_of_slopes() -> None:
    shown = formula(lambda x: (x * x).sum(), SQUARE, torch.tensor(10.0))
    assert shown.J.tex == "J = " + bmatrix("2x_{11} & 2x_{12}", "2x_{21} & 2x_{22}")
    assert str(shown.J) == "J = [2x₁₁  2x₁₂]\n    [2x₂₁  2x₂₂]"
    assert shown.partials.tex == "J = " + bmatrix(
        f"{slope('y', 'x_{11}')} & {slope('y', 'x_{12}')}",
        f"{slope('y', 'x_{21}')} & {slope('y', 'x_{22}')}",
    )
    assert str(shown.partials) == "J = [∂y/∂x₁₁  ∂y/∂x₁₂]\n    [∂y/∂x₂₁  ∂y/∂x₂₂]"
    assert shown.product is not None
    assert shown.product.tex == r"v^\top \cdot J = " + " = ".join(
        ["10" + bmatrix("2 & 4", "6 & 8"), bmatrix("20 & 40", "60 & 80")]
    )


@pytest.mark.parametrize(
    ("count", "below", "plainly"),
    [
        (1, "x_1", "x₁"),
        (2, "(x_1, x_2)", "(x₁, x₂)"),
        (3, "(x_1, x_2, x_3)", "(x₁, x₂, x₃)"),
        (4, r"(x_1, \dots, x_4)", "(x₁, …, x₄)"),
        (5, r"(x_1, \dots, x_5)", "(x₁, …, x₅)"),
    ],
)
def test_up_to_three_elements_are_listed(count: int, below: str, plainly: str) -> None:
    shown = formula(lambda x: x.sum().reshape(1, 1), torch.ones(count))
    ones = ["1"] * count
    assert shown.J.tex == f"{slope('y_{11}', below)} = " + bmatrix(" & ".join(ones))
    assert str(shown.J) == f"∂y₁₁/∂{plainly} = [{'  '.join(ones)}]"
    slopes = " & ".join(slope("y_{11}", f"x_{n}") for n in range(1, count + 1))
    assert shown.partials.tex == f"{slope('y_{11}', below)} = " + bmatrix(slopes)


def test_more_dimensions_are_written_as_one_column() -> None:
    x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    shown = formula(lambda x: x * x, x, torch.ones(1, 2, 2))
    assert shown.y.tex == r"\operatorname{vec} y = " + bmatrix(
        "x_{111}^2", "x_{112}^2", "x_{121}^2", "x_{122}^2"
    )
    assert str(shown.y) == "y = [x₁₁₁², x₁₁₂², x₁₂₁², x₁₂₂²]"
    left = slope(r"(y_{111}, \dots, y_{122})", r"(x_{111}, \dots, x_{122})")
    assert shown.J.tex == f"{left} = " + bmatrix(
        "2x_{111} & 0 & 0 & 0",
        "0 & 2x_{112} & 0 & 0",
        "0 & 0 & 2x_{121} & 0",
        "0 & 0 & 0 & 2x_{122}",
    )
    assert str(shown.partials).splitlines()[0] == (
        "∂(y₁₁₁, …, y₁₂₂)/∂(x₁₁₁, …, x₁₂₂) = [∂y₁₁₁/∂x₁₁₁  ∂y₁₁₁/∂x₁₁₂  ∂y₁₁₁/∂x₁₂₁  ∂y₁₁₁/∂x₁₂₂]"
    )
    assert shown.product is not None
    assert shown.product.tex == r"v^\top \cdot J = " + " = ".join(
        [
            bmatrix("1 & 1 & 1 & 1")
            + bmatrix("2 & 0 & 0 & 0", "0 & 4 & 0 & 0", "0 & 0 & 6 & 0", "0 & 0 & 0 & 8"),
            bmatrix("2 & 4 & 6 & 8"),
        ]
    )
    assert str(shown.product) == "vᵀ·J = [2, 4, 6, 8]"


def test_an_equation_for_each_output_and_input() -> None:
    weights = (torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 10.0]]))
    shown = formula(lambda a, b: (a * b, (a + b).reshape(1, 2)), (X, X), weights)
    assert shown.y.tex == aligned(
        "y^{(1)} = " + bmatrix("a_1b_1", "a_2b_2"),
        "y^{(2)} = " + bmatrix("a_1 + b_1 & a_2 + b_2"),
    )
    assert str(shown.y) == "y⁽¹⁾ = [a₁b₁, a₂b₂]\ny⁽²⁾ = [a₁ + b₁  a₂ + b₂]"
    second = "(y^{(2)}_{11}, y^{(2)}_{12})"
    lefts = [
        slope("y^{(1)}", "a"),
        slope("y^{(1)}", "b"),
        slope(second, "(a_1, a_2)"),
        slope(second, "(b_1, b_2)"),
    ]
    one = bmatrix("1 & 0", "0 & 1")
    rights = [bmatrix("b_1 & 0", "0 & b_2"), bmatrix("a_1 & 0", "0 & a_2"), one, one]
    assert shown.J.tex == aligned(*map(" = ".join, zip(lefts, rights, strict=True)))
    assert str(shown.J) == (
        "∂y⁽¹⁾/∂a = [b₁   0]\n"
        "           [ 0  b₂]\n"
        "∂y⁽¹⁾/∂b = [a₁   0]\n"
        "           [ 0  a₂]\n"
        "∂(y⁽²⁾₁₁, y⁽²⁾₁₂)/∂(a₁, a₂) = [1  0]\n"
        "                              [0  1]\n"
        "∂(y⁽²⁾₁₁, y⁽²⁾₁₂)/∂(b₁, b₂) = [1  0]\n"
        "                              [0  1]"
    )
    assert str(shown.partials).startswith(
        "∂y⁽¹⁾/∂a = [∂y⁽¹⁾₁/∂a₁  ∂y⁽¹⁾₁/∂a₂]\n           [∂y⁽¹⁾₂/∂a₁  ∂y⁽¹⁾₂/∂a₂]\n"
    )
    first = [rf"{slope('y^{(1)}_' + i, 'a_1')} & {slope('y^{(1)}_' + i, 'a_2')}" for i in "12"]
    assert f"{lefts[0]} &= {bmatrix(*first)}" in shown.partials.tex
    assert shown.product is not None
    assert shown.product.tex == aligned(
        r"\left(v^\top \cdot J\right)_{a} = " + bmatrix("2 & 14"),
        r"\left(v^\top \cdot J\right)_{b} = " + bmatrix("2 & 14"),
    )
    assert str(shown.product) == "(vᵀ·J) for a = [2, 14]\n(vᵀ·J) for b = [2, 14]"


@pytest.mark.parametrize(
    ("f", "x", "v", "J", "product"),
    [
        (
            lambda x: (x * x, x.sum()), X, (X, torch.tensor(2.0)),
            "∂y⁽¹⁾/∂x = [2x₁    0]\n           [  0  2x₂]\n∂y⁽²⁾/∂x = [1, 1]",
            "(vᵀ·J) for x = [4, 10]",
        ),
        (
            lambda a, b: a * b.sum(), (torch.tensor(2.0), SQUARE), torch.tensor(2.0),
            "∂y/∂a = b₁₁ + b₁₂ + b₂₁ + b₂₂\n∂y/∂b = [a  a]\n        [a  a]",
            "(vᵀ·J) for a = 20\n(vᵀ·J) for b = [4  4]\n               [4  4]",
        ),
    ],
    ids=["two outputs", "two inputs"],
)  # fmt: skip
def test_several_of_one_kind(f: Any, x: Any, v: Any, J: str, product: str) -> None:  # noqa: N803
    shown = formula(f, x, v)
    assert str(shown.J) == J
    assert str(shown.product) == product


def test_up_to_eight_conditions_are_written_out() -> None:
    eight = formula(lambda x: torch.relu(x).sum(), torch.ones(8)).J
    assert eight.note == r",\ ".join(f"x_{n} > 0" for n in range(1, 9))
    assert eight.note_text == ", ".join(f"x{n} > 0" for n in "₁₂₃₄₅₆₇₈")
    nine = formula(lambda x: torch.relu(x).sum(), torch.ones(9)).J
    assert nine.note == eight.note + r",\ \dots"
    assert nine.note_text == eight.note_text + ", …"
