"""What a reader may write in the explorer: its script, run beside torch on drawn expressions.

The script reads a text, differentiates it in both modes and writes torch code. Here that code runs
in torch, and so does the text itself, which is drawn so that Python can read it too.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import dukpy  # type: ignore[import-untyped]
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.engines import jacobian

SCRIPT = Path(__file__).parents[3] / "static" / "explorer-language.js"
LONGEST = 300  # characters, as in the script
TEXTS, POINTS = 20, 10  # of each family: 200 settings, on which script and torch must agree
EACH = ("sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "relu", "abs")
Draw = random.Random
Numbers = NDArray[np.float64]

GROUPED = (
    "({a} + {b}) * {a}",
    "{a} * ({a} * {b})",
    "{a} / ({a} * {b})",
    "({a} * {b}) ** 2",
    "({a} ** 2) ** ({c})",
    "(-{a}) ** 2",
    "-({a} + {b})",
    "-({a} * {b}) - (-{a})",
    "2 ** ({b} * ({c}))",
    "2 ** -{b} ** 2",
    "({a} - {b}) / ({a} + 3)",
    "(x + {b}) @ x",
    "(x - {b})[0]",
    "(-x)[0] ** 2",
)

POWERS = (
    "relu(x[0]) ** x",
    "abs(x) ** {}",
    "0 ** abs({})",
    "x ** 0 + {}",
    "1 ** {} - x",
    "(x - x) ** 2",
)

ASKED = """;dukpy.asked.map(({ text, points }) => {
  const f = VTJ_LANGUAGE.read(text, points[0].x.length);
  if (f.refused) return f;
  for (const point of points) point.v = point.v.slice(0, f.shape.length ? f.shape[0] : 1);
  const numbers = (all) => all.map((row) => [row].flat().map(String));
  return {
    shape: f.shape, code: f.code,
    programs: [false, true].map((forward) => VTJ_LANGUAGE.program(f, { ...points[0], forward })),
    points: points.map(({ x }) => {
      const at = f.at(x);
      return { y: numbers(at.y), J: numbers(at.J), said: VTJ_LANGUAGE.compared(at) };
    }),
  };
})"""


def scalar(drawn: Draw, n: int, depth: int) -> str:
    """Draw an expression of x with n elements that is a number."""
    kind = drawn.randrange(6) if depth else 0
    if kind <= 1:
        return f"x[{drawn.randrange(-n, n)}]"
    if kind == 2:
        return f"({_number(drawn)} {drawn.choice('+-*/')} {scalar(drawn, n, depth - 1)})"
    if kind == 3:
        return f"{drawn.choice(EACH)}({scalar(drawn, n, depth - 1)})"
    if kind == 4:
        return f"{drawn.choice(['sum', 'mean'])}({vector(drawn, n, depth - 1)})"
    return f"({vector(drawn, n, depth - 1)})[{drawn.randrange(n)}]"


def vector(drawn: Draw, n: int, depth: int) -> str:
    """Draw an expression of x with n elements that has n elements too."""
    kind = drawn.randrange(6) if depth else 0
    if kind <= 1:
        return "x"
    if kind == 2:
        return f"({vector(drawn, n, depth - 1)}).{drawn.choice(EACH)}()"
    if kind == 3:
        return (
            f"({scalar(drawn, n, depth - 1)} {drawn.choice('+-*')} {vector(drawn, n, depth - 1)})"
        )
    if kind == 4:
        return f"({_matrix(drawn, n, n)} @ {vector(drawn, n, depth - 1)})"
    return f"stack([{', '.join(scalar(drawn, n, depth - 1) for _ in range(n))}])"


def _number(drawn: Draw) -> str:
    return drawn.choice(["2", "3", "0.5", "-1.5", "(1 / 3)", "1e-1", "pi", ".25", "-2 ** 2"])


def _matrix(drawn: Draw, rows: int, columns: int) -> str:
    written = [", ".join(_number(drawn) for _ in range(columns)) for _ in range(rows)]
    return f"tensor([{', '.join(f'[{row}]' for row in written)}])"


def _either(drawn: Draw, n: int) -> str:
    return drawn.choice([scalar, vector])(drawn, n, 2)


def _of(name: str) -> Callable[[Draw, int], str]:
    """Of drawn operands; of x itself, which meets 0 and its kinks; of what is above 0."""
    forms = ("{}({})", "torch.{}({})", "{}(x)", "x[0].{}()", *3 * ("{}({} ** 2 + 0.5)",))

    def drawing(drawn: Draw, n: int) -> str:
        return drawn.choice(forms).format(name, _either(drawn, n))

    return drawing


def _between(sign: str) -> Callable[[Draw, int], str]:
    """Two or three operands, one of which may be a number: what binds more is not marked."""

    def drawing(drawn: Draw, n: int) -> str:
        operands = [_either(drawn, n), drawn.choice([_either(drawn, n), _number(drawn)])]
        drawn.shuffle(operands)
        if sign == "**" and drawn.random() < 0.5:
            operands[0] = f"(abs({operands[0]} - x[0]) + 1)"
        text = f" {sign} ".join(operands)
        return drawn.choice(["{}", "-{}", "x - {}", "{} * x[0]", "2 - ({})", "{} - x - 1"]).format(
            text
        )

    return drawing


def _matmul(drawn: Draw, n: int) -> str:
    rows = drawn.randint(1, 4)
    return drawn.choice(
        [
            f"{_matrix(drawn, rows, n)} @ {vector(drawn, n, 2)}",
            f"{vector(drawn, n, 2)} @ {_matrix(drawn, n, rows)} / 2",
            f"{vector(drawn, n, 2)} @ {vector(drawn, n, 1)} * 3",
            f"{_matrix(drawn, rows, 2)} @ ({_matrix(drawn, 2, n)} @ {vector(drawn, n, 1)})",
            f"stack([{vector(drawn, n, 1)}, {vector(drawn, n, 1)}]) @ {vector(drawn, n, 1)}",
            f"(stack([{vector(drawn, n, 1)}, x]) @ {_matrix(drawn, n, 3)})[-1]",
        ]
    )


def _grouped(drawn: Draw, n: int) -> str:
    """Four numbers with parentheses that are needed, and some that are not."""
    a, b = scalar(drawn, n, 1), scalar(drawn, n, 1)
    return ", ".join(drawn.sample(GROUPED, 4)).format(a=a, b=b, c=_number(drawn))


def _broadcast(drawn: Draw, n: int) -> str:
    """A matrix with a vector, a row, a column: each element with each that it meets."""
    a, b = scalar(drawn, n, 1), scalar(drawn, n, 1)
    sign = drawn.choice("+-*/")
    form = drawn.choice(
        [
            "(stack([x, {a} * x]) {sign} x)[1]",
            "(x {sign} stack([x, {a} * x]))[0]",
            "(stack([stack([{a}]), stack([{b}])]) {sign} x)[1]",
            "stack([{a}]) {sign} x",
            "x {sign} stack([{a}])",
            "({a} {sign} stack([x, x * {b}])).mean()",
            "(x {sign} {matrix})[1]",
        ]
    )
    return form.format(a=a, b=b, sign=sign, matrix=_matrix(drawn, 2, n))


def _total(name: str) -> Callable[[Draw, int], str]:
    """As Python's own, as torch's, as a method; of a vector, and of a matrix."""

    def drawing(drawn: Draw, n: int) -> str:
        held = vector(drawn, n, 2)
        matrix = f"stack([{held}, {vector(drawn, n, 1)}])"
        return drawn.choice(
            [
                f"{name}({held})",
                f"torch.{name}({matrix})",
                f"({held}).{name}()",
                f"{matrix}.{name}()",
            ]
        )

    return drawing


FAMILIES: dict[str, Callable[[Draw, int], str]] = {
    **{name: _of(name) for name in EACH},
    **{sign: _between(sign) for sign in ("+", "-", "*", "/", "**")},
    "powers of 0 and 1": lambda drawn, n: drawn.choice(POWERS).format(scalar(drawn, n, 1)),
    "@": _matmul,
    "( )": _grouped,
    "shapes": _broadcast,
    "sum": _total("sum"),
    "mean": _total("mean"),
    "stack": lambda drawn, n: (
        f"torch.stack([{', '.join(scalar(drawn, n, 3) for _ in range(drawn.randint(1, 4)))}])"
    ),
    "comma": lambda drawn, n: f"{scalar(drawn, n, 2)}, -{scalar(drawn, n, 2)} ** 2",
    "index": lambda drawn, n: f"-{vector(drawn, n, 3)}[{drawn.randrange(-n, n)}] ** 2 ** 0.5",
}


@cache
def prove(script: str) -> None:
    """Compare what the script computes and writes with torch, on drawn expressions and points.

    Raises:
        ValueError: With the first expression of which it says something else.
    """
    drawn = Draw(0)
    asked = [ask(drawn, family) for family in FAMILIES for _ in range(TEXTS)]
    try:
        found = answers(script, asked)
    except dukpy.JSRuntimeError as error:
        raise ValueError(f"the script fails: {error}") from None
    for question, answer in zip(asked, found, strict=True):
        compare(question, answer)


def ask(drawn: Draw, family: str) -> dict[str, Any]:
    """Draw an expression and points of it; at whole numbers, functions have their kinks."""
    n = drawn.randint(1, 4)
    text = FAMILIES[family](drawn, n)
    return ask(drawn, family) if len(text) > LONGEST else {"text": text, "points": points(drawn, n)}


def points(drawn: Draw, n: int) -> list[dict[str, Any]]:
    """Draw points of n elements, and a weight for each element that y may have."""
    return [
        {
            "x": [
                drawn.choice([drawn.randint(-2, 2), round(drawn.uniform(-3, 3), 2)])
                for _ in range(n)
            ],
            "v": [drawn.choice([1, 10, 0.5, -2]) for _ in range(4)],
            "u": [drawn.choice([1, 10, 0.5, -2]) for _ in range(n)],
        }
        for _ in range(POINTS)
    ]


def answers(script: str, asked: Sequence[dict[str, Any]]) -> list[Any]:
    """Return what the script makes of each text at its points."""
    found: list[Any] = dukpy.evaljs(script + ASKED, asked=list(asked))
    return found


def compare(question: dict[str, Any], answer: dict[str, Any], *, typed: bool = True) -> None:
    """Compare one answer with torch: the code that is written, and the text if Python reads it too.

    Raises:
        ValueError: With the text, the point and both values.
    """
    text = question["text"]
    if "refused" in answer:
        raise ValueError(f"{text}: refused: {answer['refused']}")
    settings = list(zip(question["points"], answer["points"], strict=True))
    with doubles():
        for code, asked in ((answer["code"], settings), (text, settings[:3]))[: 1 + typed]:
            f = function(code)
            for point, said in asked:
                try:
                    _compare(f, point, tuple(answer["shape"]), said)
                except AssertionError as error:
                    raise ValueError(f"{text}: {code} at x = {point['x']}: {error}") from None
        _run(text, answer, question["points"][0])


def function(code: str) -> Callable[[Tensor], Tensor]:
    """Return the function of x that a text is in Python, with the names that a reader may use."""
    names = {name: getattr(torch, name) for name in (*EACH, "mean", "stack")}
    names |= {"torch": torch, "pi": math.pi, "tensor": torch.Tensor}
    compiled = compile(code, "<written>", "eval")

    def f(x: Tensor) -> Tensor:
        y = eval(compiled, names, {"x": x})
        return torch.stack(y) if isinstance(y, tuple) else y

    return f


@contextmanager
def doubles() -> Iterator[None]:
    """Let torch take the numbers that stand in code as the page does, with 64 bits."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _compare(
    f: Callable[[Tensor], Tensor],
    point: dict[str, Any],
    shape: tuple[int, ...],
    said: dict[str, Any],
) -> None:
    x, y, grad = gradient(f, point)
    assert tuple(y.shape) == shape, f"y has shape {shape} in the page; in torch {tuple(y.shape)}"
    shown, slopes = np.array(said["y"], float), np.array(said["J"], float)
    _close("y", shown[:, 0], y.detach().reshape(-1).numpy(), 0)
    if said["said"] is None:
        # Forward mode may meet 0 · inf where reverse mode does not: sqrt(relu(x)) below 0.
        finite = _finite(y) and _finite(grad) and _finite(jacobian(f, x.detach(), "forward"))
        assert not finite, "the page shows no slopes; in torch they are finite"
        return
    v = np.array(point["v"][: len(slopes)], float)
    _close("x.grad", v @ slopes, grad.numpy(), np.abs(v[:, None] * slopes).max())
    passes = [f"{length} pass{'es' * (length > 1)}" for length in slopes.shape]
    agree = f"Reverse mode ({passes[0]}) and forward mode ({passes[1]}) agree: "
    assert said["said"].startswith(agree), f"the page says {said['said']!r}"


def gradient(f: Callable[[Tensor], Tensor], point: dict[str, Any]) -> tuple[Tensor, Tensor, Tensor]:
    """Return x, y and x.grad at a point, with as many of its weights as y has elements."""
    x = torch.tensor(point["x"], dtype=torch.float64, requires_grad=True)
    y = f(x)
    v = torch.tensor(point["v"][: y.numel()], dtype=torch.float64).reshape(y.shape)
    torch.autograd.backward(y, v)
    assert x.grad is not None
    return x, y, x.grad


def _finite(numbers: Any) -> bool:
    return bool(torch.as_tensor(numbers).isfinite().all())


def _close(name: str, shown: Numbers, true: Numbers, size: float) -> None:
    finite = np.abs(true[np.isfinite(true)])
    near = 1e-10 * max(1.0, size, *finite)
    same = np.allclose(shown, true, rtol=1e-10, atol=near, equal_nan=True)
    assert same, f"{name} in the page is {shown.tolist()}; in torch it is {true.tolist()}"


def _run(text: str, answer: dict[str, Any], point: dict[str, Any]) -> None:
    """Run what a reader copies: it prints the product of the page's J."""
    slopes = np.array(answer["points"][0]["J"], float)
    if answer["points"][0]["said"] is None:
        return
    v, u = np.array(point["v"][: len(slopes)], float), np.array(point["u"], float)
    for program, product in zip(answer["programs"], (v @ slopes, slopes @ u), strict=True):
        printed: list[Tensor] = []
        exec(compile(program, "<copied>", "exec"), {"print": printed.append})
        try:
            _close("the product", product, printed[0].detach().reshape(-1).numpy(), 0)
        except AssertionError as error:
            raise ValueError(f"{text}: {program}: {error}") from None
