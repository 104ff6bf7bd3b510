"""Formulas as a page prints them, and what keeps a wrong one from being printed."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from mathml.temml import render
from torch import Tensor

from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.show import formula

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0, 100.0])


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


def test_the_running_example() -> None:
    shown = formula(three_outputs, X, V)
    assert shown.y.tex == (r"y = \begin{bmatrix} 3x_1^2 \\ x_1^2 + 2x_2^3 \\ 10x_2 \end{bmatrix}")
    assert shown.J.tex == (r"J = \begin{bmatrix} 6x_1 & 0 \\ 2x_1 & 6x_2^2 \\ 0 & 10 \end{bmatrix}")
    assert shown.product is not None
    assert shown.product.tex == (
        r"v^\top \cdot J = \begin{bmatrix} 1 & 10 & 100 \end{bmatrix}"
        r"\begin{bmatrix} 6 & 0 \\ 2 & 24 \\ 0 & 10 \end{bmatrix}"
        r" = \begin{bmatrix} 26 & 1240 \end{bmatrix}"
    )
    assert shown.tex == (
        r"\begin{aligned} "
        + r" \\[4pt] ".join(
            part.tex.replace(" = ", " &= ", 1) for part in (shown.y, shown.J, shown.product)
        )
        + r" \end{aligned}"
    )
    assert str(shown) == (
        "y = [3x₁², x₁² + 2x₂³, 10x₂]\n"
        "J = [6x₁     0]\n"
        "    [2x₁  6x₂²]\n"
        "    [  0    10]\n"
        "vᵀ·J = [26, 1240]"
    )
    assert repr(shown) == str(shown)


def test_gives_the_sympy_objects_too() -> None:
    symbolic = formula(three_outputs, X).symbolic
    x1, x2 = symbolic.x[0]
    assert symbolic.y[0].tolist() == [3 * x1**2, x1**2 + 2 * x2**3, 10 * x2]
    assert symbolic.J[0][0].tolist() == [[6 * x1, 0], [2 * x1, 6 * x2**2], [0, 10]]


def test_shows_itself_as_display_mathematics() -> None:
    shown = formula(three_outputs, X)
    assert shown._repr_latex_() == f"$${shown.tex}$$"
    assert shown.J._repr_latex_() == f"$${shown.J.tex}$$"
    assert shown.product is None


@pytest.mark.parametrize("f", [three_outputs, torch.relu, lambda x: x.expand(1, 1, 2)])
def test_what_is_printed_can_be_shown(f: Any) -> None:
    shown = formula(f, X, torch.ones_like(f(X)))
    for tex in (shown.tex, shown.partials.tex):
        assert "<math" in render(tex, display=True)


def test_says_what_the_entries_of_J_stand_for() -> None:  # noqa: N802 - J is the term
    partials = formula(three_outputs, X).partials
    assert partials.tex.startswith(
        r"J = \begin{bmatrix} \frac{\partial y_1}{\partial x_1} & \frac{\partial y_1}{\partial x_2}"
    )
    assert str(partials).splitlines()[2] == "    [∂y₃/∂x₁  ∂y₃/∂x₂]"


def test_numbers_without_dimensions() -> None:
    shown = formula(lambda x: x**2, torch.tensor(1.0), torch.tensor(100.0))
    assert shown.tex == (
        r"\begin{aligned} y &= x^2 \\[4pt] J &= 2x \\[4pt] "
        r"v^\top \cdot J &= 100 \cdot 2 = 200 \end{aligned}"
    )


def test_one_output_of_several_inputs() -> None:
    shown = formula(sum, X, torch.tensor(100.0))
    assert shown.J.tex == r"J = \begin{bmatrix} 1 & 1 \end{bmatrix}"
    assert shown.product is not None
    assert shown.product.tex.endswith(
        r"100\begin{bmatrix} 1 & 1 \end{bmatrix} = \begin{bmatrix} 100 & 100 \end{bmatrix}"
    )


def test_one_input_makes_a_column() -> None:
    shown = formula(lambda x: x.expand(2), torch.tensor(1.0), torch.ones(2))
    assert shown.J.tex == r"J = \begin{bmatrix} 1 \\ 1 \end{bmatrix}"
    assert shown.product is not None
    assert shown.product.tex.endswith(r"\begin{bmatrix} 1 \\ 1 \end{bmatrix} = 2")


def test_matrices_are_laid_out_in_two_dimensions() -> None:
    v = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    shown = formula(lambda x: x @ torch.ones(3, 4, dtype=x.dtype), torch.ones(2, 3), v)
    assert shown.J.tex.startswith(
        r"\frac{\partial (y_{11}, \dots, y_{24})}{\partial (x_{11}, \dots, x_{23})} = "
    )
    assert shown.product is not None
    assert shown.product.tex.endswith(
        r"= \begin{bmatrix} 10 & 10 & 10 & 26 & 26 & 26 \end{bmatrix} = "
        r"\begin{bmatrix} 10 & 10 & 10 \\ 26 & 26 & 26 \end{bmatrix} \text{ in the shape of } x"
    )
    assert str(shown.product) == "vᵀ·J = [10  10  10]\n       [26  26  26]"
    assert str(shown.J).startswith("∂(y₁₁, …, y₂₄)/∂(x₁₁, …, x₂₃) = [1  1  1  0  0  0]\n")


def test_more_dimensions_are_flattened() -> None:
    shown = formula(lambda x: 2 * x, torch.ones(1, 1, 2), torch.ones(1, 1, 2))
    assert shown.y.tex.startswith(r"\operatorname{vec} y = ")
    assert str(shown.y) == "y = [2x₁₁₁, 2x₁₁₂]"
    assert shown.product is not None
    assert str(shown.product) == "vᵀ·J = [2, 2]"


def test_several_inputs_and_outputs_get_an_equation_each() -> None:
    x = (torch.tensor(2.0), torch.tensor(3.0))
    shown = formula(lambda a, b: (a * b, a + b), x, (torch.tensor(1.0), torch.tensor(10.0)))
    assert str(shown) == (
        "y⁽¹⁾ = ab\n"
        "y⁽²⁾ = a + b\n"
        "∂y⁽¹⁾/∂a = b\n"
        "∂y⁽¹⁾/∂b = a\n"
        "∂y⁽²⁾/∂a = 1\n"
        "∂y⁽²⁾/∂b = 1\n"
        "(vᵀ·J) for a = 13\n"
        "(vᵀ·J) for b = 12"
    )
    assert r"\left(v^\top \cdot J\right)_{a} &= 13" in shown.tex


def test_says_where_it_holds() -> None:
    shown = formula(torch.relu, torch.tensor([1.0, -2.0]))
    assert shown.tex.endswith(r"&\text{where } x_1 > 0,\ x_2 < 0 \end{aligned}")
    assert str(shown).endswith("where x₁ > 0, x₂ < 0")
    assert r"\text{where }" in shown.J.tex
    many = formula(lambda x: torch.relu(x).sum(), torch.ones(9))
    assert str(many).endswith("x₈ > 0, …")
    assert many.tex.endswith(r"x_8 > 0,\ \dots \end{aligned}")


def test_the_parameters_of_a_module() -> None:
    net = torch.nn.Linear(2, 1)
    weight, bias = (p.detach() for p in net.parameters())

    def f(w: Tensor, b: Tensor) -> Any:
        return torch.func.functional_call(net, {"weight": w, "bias": b}, X.to(w.dtype))

    assert str(formula(f, (weight, bias)).y) == "y = [w₁₁ + 2w₁₂ + b₁]"


def test_a_forward_that_takes_float64_with_a_backward_that_does_not() -> None:
    shown = formula(lambda x: F.huber_loss(x, torch.zeros(2)), X, torch.tensor(1.0))
    assert str(shown.product) == "vᵀ·J = [0.5, 0.5]"


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x**2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 3 * grads[0]


class OnlyOnce(torch.autograd.Function):
    """Right for one-hot weights, wrong for the others."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0] ** 2


ANOTHER = (
    "reverse mode gives another J than the formulas: the backward of f does not belong to its "
    "forward, or a .detach() or no_grad cuts it; vtj.check says which"
)


@pytest.mark.parametrize("f", [Square.apply, lambda x: x * x.detach()], ids=["wrong", "detached"])
def test_is_withheld_where_reverse_mode_contradicts_it(f: Any) -> None:
    with pytest.raises(NotSymbolic) as raised:
        formula(f, X)
    assert str(raised.value) == ANOTHER


@pytest.mark.parametrize("first", [lambda a: 1 / a, torch.sqrt, torch.log])
def test_an_infinite_value_does_not_hide_a_wrong_one(first: Any) -> None:
    zero, one = torch.tensor(0.0), torch.tensor(1.0)
    assert str(formula(lambda a, b: (first(a), b**2), (zero, one)).y).endswith("y⁽²⁾ = b²")
    with pytest.raises(NotSymbolic) as raised:
        formula(lambda a, b: (first(a), Square.apply(b)), (zero, one))
    assert str(raised.value) == ANOTHER


def test_is_withheld_where_backward_contradicts_it() -> None:
    formula(OnlyOnce.apply, X)
    with pytest.raises(NotSymbolic) as raised:
        formula(OnlyOnce.apply, X, torch.tensor([1.0, 10.0]))
    assert str(raised.value) == "backward(v) leaves another x.grad than vᵀ·J of the formulas"


def test_rounding_next_to_what_is_large_does_not_contradict() -> None:
    for x in torch.tensor([2.2, 3.3, 12.1]):  # x.grad or J is rounded to zero at one, not another
        shown = formula(lambda x: 1e6 * x / x, x, torch.tensor(1.0))
        assert str(shown) == "y = 1000000\nJ = 0\nvᵀ·J = 0"
    large = torch.tensor([1e6, 1e6])
    shown = formula(lambda x: torch.stack([0.1 * x, -0.3 * x / 3]), torch.tensor(3.0), large)
    at_three = float(str(shown.product).removeprefix("vᵀ·J = ").replace("−", "-"))
    assert abs(at_three) < 1e-10  # the last bits of two products of 1e5, as the processor adds them


@pytest.mark.parametrize(
    ("f", "x", "v", "error", "message"),
    [
        (three_outputs, X, torch.ones(4), ValueError, "v has shape (4,); expected y's, (3,)"),
        (
            lambda a, b: (a * b, a + b),
            (X, X),
            (V, X),
            ValueError,
            "v has shape ((3,), (2,)); expected y's, ((2,), (2,))",
        ),
        (
            three_outputs,
            X,
            [1.0],
            TypeError,
            "v is list; expected a torch.Tensor or a tuple of them",
        ),
        (
            lambda x: x,
            torch.ones(0),
            None,
            NotSymbolic,
            "x or y has no elements: there is nothing to write down",
        ),
    ],
)
def test_says_what_came_and_what_was_expected(
    f: Any, x: Any, v: Any, error: Any, message: str
) -> None:
    with pytest.raises(error) as raised:
        formula(f, x, v)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("f", "x", "error", "match"),
    [
        (lambda x: x, torch.ones(65), NotSymbolic, "J has 1 x 65 entries"),
        (lambda x: torch.fft.fft(x).abs(), X, UnknownOperation, "aten._fft_r2c.default"),
        (lambda x: x, X * 1j, TypeError, "complex"),
    ],
)
def test_what_cannot_be_written_down(f: Any, x: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        formula(f, x)


def test_random_functions_are_written_as_one_draw() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    shown = formula(lambda x: F.dropout(x, 0.5), torch.ones(8))
    assert set(str(shown.y)[5:-1].split(", ")) <= {"0", *(f"2x{i}" for i in "₁₂₃₄₅₆₇₈")}
    assert torch.equal(torch.get_rng_state(), before)
