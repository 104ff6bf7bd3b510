"""Formulas as a page prints them, and what keeps a wrong one from being printed."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from mathematics.temml import render
from torch import Tensor

from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.show import formula

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0, 100.0])
SQUARE = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


def brief(tex: str) -> str:
    """Write TeX with brackets for matrices, and a line for each equation."""
    for long, short in (
        (r"\begin{bmatrix} ", "["),
        (r" \end{bmatrix}", "]"),
        (r"\begin{aligned} ", ""),
        (r" \end{aligned}", ""),
        (r"\partial ", "∂"),
        (r" \\[4pt] ", "\n"),
    ):
        tex = tex.replace(long, short)
    return tex


SHOWN: dict[str, tuple[Any, Any, Any, str, str, str]] = {
    "a vector of a vector": (
        three_outputs, X, V,
        "y = [3x₁², x₁² + 2x₂³, 10x₂]\n"
        "J = [6x₁     0]\n"
        "    [2x₁  6x₂²]\n"
        "    [  0    10]\n"
        "vᵀ·J = [26, 1240]",
        r"y &= [3x_1^2 \\ x_1^2 + 2x_2^3 \\ 10x_2]" "\n"
        r"J &= [6x_1 & 0 \\ 2x_1 & 6x_2^2 \\ 0 & 10]" "\n"
        r"v^\top \cdot J &= [1 & 10 & 100][6 & 0 \\ 2 & 24 \\ 0 & 10] = [26 & 1240]",
        "J = [∂y₁/∂x₁  ∂y₁/∂x₂]",
    ),
    "a number of a number": (
        lambda x: x**2, torch.tensor(1.0), torch.tensor(100.0),
        "y = x²\n"
        "J = 2x\n"
        "vᵀ·J = 200",
        "y &= x^2\n"
        "J &= 2x\n"
        r"v^\top \cdot J &= 100 \cdot 2 = 200",
        "J = ∂y/∂x",
    ),
    "a number of a vector": (
        sum, X, torch.tensor(100.0),
        "y = x₁ + x₂\n"
        "J = [1, 1]\n"
        "vᵀ·J = [100, 100]",
        "y &= x_1 + x_2\n"
        "J &= [1 & 1]\n"
        r"v^\top \cdot J &= 100[1 & 1] = [100 & 100]",
        "J = [∂y/∂x₁, ∂y/∂x₂]",
    ),
    "a vector of a number": (
        lambda x: x.expand(2), torch.tensor(1.0), torch.ones(2),
        "y = [x, x]\n"
        "J = [1]\n"
        "    [1]\n"
        "vᵀ·J = 2",
        r"y &= [x \\ x]" "\n"
        r"J &= [1 \\ 1]" "\n"
        r"v^\top \cdot J &= [1 & 1][1 \\ 1] = 2",
        "J = [∂y₁/∂x]",
    ),
    "a row of a row": (
        lambda x: 2 * x, X[None], torch.tensor([[1.0, 10.0]]),
        "y = [2x₁₁  2x₁₂]\n"
        "∂(y₁₁, y₁₂)/∂(x₁₁, x₁₂) = [2  0]\n"
        "                          [0  2]\n"
        "vᵀ·J = [2  20]",
        "y &= [2x_{11} & 2x_{12}]\n"
        r"\frac{∂(y_{11}, y_{12})}{∂(x_{11}, x_{12})} &= [2 & 0 \\ 0 & 2]" "\n"
        r"v^\top \cdot J &= [1 & 10][2 & 0 \\ 0 & 2] = [2 & 20]",
        "∂(y₁₁, y₁₂)/∂(x₁₁, x₁₂) = [∂y₁₁/∂x₁₁  ∂y₁₁/∂x₁₂]",
    ),
    "a column of a column": (
        lambda x: 2 * x, X[:, None], torch.tensor([[1.0], [10.0]]),
        "y = [2x₁₁]\n"
        "    [2x₂₁]\n"
        "∂(y₁₁, y₂₁)/∂(x₁₁, x₂₁) = [2  0]\n"
        "                          [0  2]\n"
        "vᵀ·J = [ 2]\n"
        "       [20]",
        r"y &= [2x_{11} \\ 2x_{21}]" "\n"
        r"\frac{∂(y_{11}, y_{21})}{∂(x_{11}, x_{21})} &= [2 & 0 \\ 0 & 2]" "\n"
        r"v^\top \cdot J &= [1 & 10][2 & 0 \\ 0 & 2] = [2 & 20] = [2 \\ 20] \text{ in the shape "
        "of } x",
        "∂(y₁₁, y₂₁)/∂(x₁₁, x₂₁) = [∂y₁₁/∂x₁₁  ∂y₁₁/∂x₂₁]",
    ),
    "a number of a matrix": (
        lambda x: (x * x).sum(), SQUARE, torch.tensor(10.0),
        "y = x₁₁² + x₁₂² + x₂₁² + x₂₂²\n"
        "J = [2x₁₁  2x₁₂]\n"
        "    [2x₂₁  2x₂₂]\n"
        "vᵀ·J = [20  40]\n"
        "       [60  80]",
        "y &= x_{11}^2 + x_{12}^2 + x_{21}^2 + x_{22}^2\n"
        r"J &= [2x_{11} & 2x_{12} \\ 2x_{21} & 2x_{22}]" "\n"
        r"v^\top \cdot J &= 10[2 & 4 \\ 6 & 8] = [20 & 40 \\ 60 & 80]",
        "J = [∂y/∂x₁₁  ∂y/∂x₁₂]",
    ),
    "three dimensions": (
        lambda x: x * x, X[None, None], torch.ones(1, 1, 2),
        "y = [x₁₁₁², x₁₁₂²]\n"
        "∂(y₁₁₁, y₁₁₂)/∂(x₁₁₁, x₁₁₂) = [2x₁₁₁      0]\n"
        "                              [    0  2x₁₁₂]\n"
        "vᵀ·J = [2, 4]",
        r"\operatorname{vec} y &= [x_{111}^2 \\ x_{112}^2]" "\n"
        r"\frac{∂(y_{111}, y_{112})}{∂(x_{111}, x_{112})} &= [2x_{111} & 0 \\ 0 & 2x_{112}]" "\n"
        r"v^\top \cdot J &= [1 & 1][2 & 0 \\ 0 & 4] = [2 & 4]",
        "∂(y₁₁₁, y₁₁₂)/∂(x₁₁₁, x₁₁₂) = [∂y₁₁₁/∂x₁₁₁  ∂y₁₁₁/∂x₁₁₂]",
    ),
    "more than three elements": (
        lambda x: x.sum().reshape(1, 1), torch.ones(4), None,
        "y = [x₁ + x₂ + x₃ + x₄]\n"
        "∂y₁₁/∂(x₁, …, x₄) = [1  1  1  1]",
        "y &= [x_1 + x_2 + x_3 + x_4]\n"
        r"\frac{∂y_{11}}{∂(x_1, \dots, x_4)} &= [1 & 1 & 1 & 1]",
        "∂y₁₁/∂(x₁, …, x₄) = [∂y₁₁/∂x₁  ∂y₁₁/∂x₂  ∂y₁₁/∂x₃  ∂y₁₁/∂x₄]",
    ),
    "several outputs of several inputs": (
        lambda a, b: (a * b, (a + b).reshape(1, 2)), (X, X), (X, torch.tensor([[1.0, 10.0]])),
        "y⁽¹⁾ = [a₁b₁, a₂b₂]\n"
        "y⁽²⁾ = [a₁ + b₁  a₂ + b₂]\n"
        "∂y⁽¹⁾/∂a = [b₁   0]\n"
        "           [ 0  b₂]\n"
        "∂y⁽¹⁾/∂b = [a₁   0]\n"
        "           [ 0  a₂]\n"
        "∂(y⁽²⁾₁₁, y⁽²⁾₁₂)/∂(a₁, a₂) = [1  0]\n"
        "                              [0  1]\n"
        "∂(y⁽²⁾₁₁, y⁽²⁾₁₂)/∂(b₁, b₂) = [1  0]\n"
        "                              [0  1]\n"
        "(vᵀ·J) for a = [2, 14]\n"
        "(vᵀ·J) for b = [2, 14]",
        r"y^{(1)} &= [a_1b_1 \\ a_2b_2]" "\n"
        "y^{(2)} &= [a_1 + b_1 & a_2 + b_2]\n"
        r"\frac{∂y^{(1)}}{∂a} &= [b_1 & 0 \\ 0 & b_2]" "\n"
        r"\frac{∂y^{(1)}}{∂b} &= [a_1 & 0 \\ 0 & a_2]" "\n"
        r"\frac{∂(y^{(2)}_{11}, y^{(2)}_{12})}{∂(a_1, a_2)} &= [1 & 0 \\ 0 & 1]" "\n"
        r"\frac{∂(y^{(2)}_{11}, y^{(2)}_{12})}{∂(b_1, b_2)} &= [1 & 0 \\ 0 & 1]" "\n"
        r"\left(v^\top \cdot J\right)_{a} &= [2 & 14]" "\n"
        r"\left(v^\top \cdot J\right)_{b} &= [2 & 14]",
        "∂y⁽¹⁾/∂a = [∂y⁽¹⁾₁/∂a₁  ∂y⁽¹⁾₁/∂a₂]",
    ),
    "two outputs of one input": (
        lambda x: (x * x, x.sum()), X, (X, torch.tensor(2.0)),
        "y⁽¹⁾ = [x₁², x₂²]\n"
        "y⁽²⁾ = x₁ + x₂\n"
        "∂y⁽¹⁾/∂x = [2x₁    0]\n"
        "           [  0  2x₂]\n"
        "∂y⁽²⁾/∂x = [1, 1]\n"
        "(vᵀ·J) for x = [4, 10]",
        r"y^{(1)} &= [x_1^2 \\ x_2^2]" "\n"
        "y^{(2)} &= x_1 + x_2\n"
        r"\frac{∂y^{(1)}}{∂x} &= [2x_1 & 0 \\ 0 & 2x_2]" "\n"
        r"\frac{∂y^{(2)}}{∂x} &= [1 & 1]" "\n"
        r"\left(v^\top \cdot J\right)_{x} &= [4 & 10]",
        "∂y⁽¹⁾/∂x = [∂y⁽¹⁾₁/∂x₁  ∂y⁽¹⁾₁/∂x₂]",
    ),
    "one output of two inputs": (
        lambda a, b: a * b.sum(), (torch.tensor(2.0), SQUARE), torch.tensor(2.0),
        "y = a(b₁₁ + b₁₂ + b₂₁ + b₂₂)\n"
        "∂y/∂a = b₁₁ + b₁₂ + b₂₁ + b₂₂\n"
        "∂y/∂b = [a  a]\n"
        "        [a  a]\n"
        "(vᵀ·J) for a = 20\n"
        "(vᵀ·J) for b = [4  4]\n"
        "               [4  4]",
        "y &= a(b_{11} + b_{12} + b_{21} + b_{22})\n"
        r"\frac{∂y}{∂a} &= b_{11} + b_{12} + b_{21} + b_{22}" "\n"
        r"\frac{∂y}{∂b} &= [a & a \\ a & a]" "\n"
        r"\left(v^\top \cdot J\right)_{a} &= 20" "\n"
        r"\left(v^\top \cdot J\right)_{b} &= [4 & 4 \\ 4 & 4]",
        "∂y/∂a = ∂y/∂a",
    ),
    "conditions": (
        torch.relu, torch.tensor([1.0, -2.0]), None,
        "y = [max(0, x₁), max(0, x₂)]\n"
        "J = [1  0]\n"
        "    [0  0]\n"
        "where x₁ > 0, x₂ < 0",
        r"y &= [\max(0, x_1) \\ \max(0, x_2)]" "\n"
        r"J &= [1 & 0 \\ 0 & 0]" "\n"
        r"&\text{where } x_1 > 0,\ x_2 < 0",
        "J = [∂y₁/∂x₁  ∂y₁/∂x₂]",
    ),
    "more than eight conditions": (
        lambda x: torch.relu(x).sum(), torch.ones(9), None,
        "y = max(0, x₁) + max(0, x₂) + max(0, x₃) + max(0, x₄) + max(0, x₅) + max(0, x₆) + "
        "max(0, x₇) + max(0, x₈) + max(0, x₉)\n"
        "J = [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        "where x₁ > 0, x₂ > 0, x₃ > 0, x₄ > 0, x₅ > 0, x₆ > 0, x₇ > 0, x₈ > 0, …",
        r"y &= \max(0, x_1) + \max(0, x_2) + \max(0, x_3) + \max(0, x_4) + \max(0, x_5) + "
        r"\max(0, x_6) + \max(0, x_7) + \max(0, x_8) + \max(0, x_9)" "\n"
        "J &= [1 & 1 & 1 & 1 & 1 & 1 & 1 & 1 & 1]\n"
        r"&\text{where } x_1 > 0,\ x_2 > 0,\ x_3 > 0,\ x_4 > 0,\ x_5 > 0,\ x_6 > 0,\ x_7 > 0,\ "
        r"x_8 > 0,\ \dots",
        "J = [∂y/∂x₁, ∂y/∂x₂, ∂y/∂x₃, ∂y/∂x₄, ∂y/∂x₅, ∂y/∂x₆, ∂y/∂x₇, ∂y/∂x₈, ∂y/∂x₉]",
    ),
}  # fmt: skip
"""f, x, v; the formula as text and as TeX; the first line of what the entries of J stand for."""


@pytest.mark.parametrize("name", SHOWN)
def test_a_formula_is_shown_as_text_and_as_mathematics(name: str) -> None:
    f, x, v, text, tex, partials = SHOWN[name]
    shown = formula(f, x, v)
    assert str(shown) == repr(shown) == text
    assert brief(shown.tex) == tex
    assert str(shown.partials).splitlines()[0] == partials
    assert shown._repr_latex_() == f"$${shown.tex}$$"
    for part in (shown.tex, shown.partials.tex):
        assert "<math" in render(part, display=True)


def test_the_parts_of_a_formula_show_themselves_too() -> None:
    shown = formula(lambda x: x / 2, torch.tensor(3.0))
    assert shown.J._repr_latex_() == r"$$J = \frac{1}{2}$$"
    assert (str(shown.y), shown.y.tex, shown.product) == ("y = x/2", r"y = \frac{x}{2}", None)
    assert shown.partials.tex == r"J = \frac{\partial y}{\partial x}"
    halves = formula(lambda x: x / 2, X).y.tex
    assert halves == r"y = \begin{bmatrix} \frac{x_1}{2} \\[4pt] \frac{x_2}{2} \end{bmatrix}"
    limited = formula(torch.relu, torch.tensor(1.0)).J
    assert limited.tex == r"\begin{aligned} J &= 1 \\[4pt] &\text{where } x > 0 \end{aligned}"
    assert str(limited) == "J = 1\nwhere x > 0"


def test_gives_the_sympy_objects_too() -> None:
    symbolic = formula(three_outputs, X).symbolic
    x1, x2 = symbolic.x[0]
    assert symbolic.y[0].tolist() == [3 * x1**2, x1**2 + 2 * x2**3, 10 * x2]
    assert symbolic.J[0][0].tolist() == [[6 * x1, 0], [2 * x1, 6 * x2**2], [0, 10]]


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
    assert str(shown.product) == "vᵀ·J = 0"  # on every processor


TENSORS = "expected a torch.Tensor or a tuple of them"
REFUSED: dict[str, tuple[Any, Any, Any, type[Exception], str]] = {
    "v of another shape": (
        *(three_outputs, X, torch.ones(4)),
        *(ValueError, "v has shape (4,); expected y's, (3,)"),
    ),
    "one v of two": (
        *(lambda a, b: (a * b, a + b), (X, X), (V, X)),
        *(ValueError, "v has shape ((3,), (2,)); expected y's, ((2,), (2,))"),
    ),
    "v that is no tensor": (three_outputs, X, [1.0], TypeError, f"v is list; {TENSORS}"),
    "no elements": (
        *(lambda x: x, torch.ones(0), None),
        *(NotSymbolic, "x or y has no elements: there is nothing to write down"),
    ),
    "too many entries": (
        *(lambda x: x, torch.ones(65), None),
        *(NotSymbolic, "J has 1 x 65 entries; formulas are derived up to 64"),
    ),
    "an unknown operation": (
        *(lambda x: torch.fft.fft(x).abs(), X, None),
        *(UnknownOperation, "no formula is known for aten._fft_r2c.default"),
    ),
    "complex numbers": (
        *(lambda x: x, X * 1j, None, TypeError),
        "x has dtype torch.complex64; complex is not supported: give the real and imaginary part "
        "as real tensors (torch.view_as_real)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_says_what_came_and_what_was_expected(name: str) -> None:
    f, x, v, error, message = REFUSED[name]
    with pytest.raises(error) as raised:
        formula(f, x, v)
    assert str(raised.value) == message


def test_random_functions_are_written_as_one_draw() -> None:
    torch.manual_seed(5)
    shown = formula(lambda x: F.dropout(x, 0.5), torch.ones(8))
    assert set(str(shown.y)[5:-1].split(", ")) <= {"0", *(f"2x{i}" for i in "₁₂₃₄₅₆₇₈")}
