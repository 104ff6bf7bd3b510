"""The formulas of single operations: at numbers they have torch's values, on symbols they read."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from vtj.engines.symbolic.kinks import Magnitude
from vtj.engines.symbolic.names import symbols
from vtj.engines.symbolic.numbers import evaluate
from vtj.engines.symbolic.operations import (
    FORMULAS,
    Formulas,
    array,
    avg_pool2d,
    max_pool2d,
    number,
)
from vtj.engines.symbolic.tracing import Tracer


def tensor(*shape: int, start: int = 1) -> Tensor:
    """Return distinct numbers of both signs, exact in binary, none of them a whole one."""
    count = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return ((count * 5 + start) % 17 - 8.25).mul(0.25).reshape(shape)


NUMBER, TWO, THREE = tensor(), tensor(2), tensor(3, start=2)
SQUARE, OTHER, WIDE = tensor(2, 2), tensor(2, 2, start=3), tensor(2, 3)
STACK, CUBE = tensor(2, 2, 2), tensor(2, 3, 4, start=4)
POSITIVE = WIDE.abs()
SERIES, PICTURE = tensor(2, 2, 5), tensor(1, 2, 4, 5)


def conv(x: Tensor, weight: Tensor, bias: Any = None, **changed: Any) -> tuple[Any, ...]:
    plain = {"stride": [1], "padding": [0], "dilation": [1]} | changed
    groups = plain.pop("groups", 1)
    return (x, weight, bias, *plain.values(), False, [0], groups)


CASES: list[tuple[Any, ...]] = [
    ("abs", WIDE),
    ("acos", TWO / 4),
    ("add", SQUARE, TWO),
    ("add", SQUARE, 2, {"alpha": 0.5}),
    ("addmm", TWO, SQUARE, WIDE[:, :2]),
    ("addmm", THREE, SQUARE, WIDE, {"beta": 2, "alpha": 0.25}),
    ("addmv", TWO, WIDE, THREE, {"beta": 0.5, "alpha": 3}),
    ("amax", CUBE),
    ("amax", CUBE, [0, -1]),
    ("amax", CUBE, [1], True),
    ("amin", CUBE, [2]),
    ("amin", CUBE, [0, 2], True),
    ("asin", TWO / 4),
    ("atan", WIDE),
    ("atan2", SQUARE, OTHER),
    ("baddbmm", SQUARE, STACK, STACK, {"beta": 2, "alpha": 0.5}),
    ("bmm", STACK, tensor(2, 2, 3)),
    ("clamp", WIDE, -0.5),
    ("clamp", WIDE, None, 0.5),
    ("clamp", WIDE, -0.5, 0.5),
    ("clamp", WIDE, tensor(3), tensor(3) + 0.5),
    ("clamp_min", WIDE, 0.25),
    ("convolution", *conv(SERIES, tensor(3, 2, 2))),
    ("convolution", *conv(SERIES, tensor(3, 2, 2), THREE, stride=[2], padding=[1])),
    ("convolution", *conv(SERIES, tensor(2, 2, 2), TWO, stride=[3], dilation=[2])),
    ("convolution", *conv(SERIES, tensor(4, 1, 2), groups=2)),
    ("convolution", *conv(SERIES, tensor(2, 2, 3), padding=[2], dilation=[2])),
    ("convolution", *conv(PICTURE, tensor(1, 2, 2, 3), padding=[1])),
    ("convolution", *conv(PICTURE, tensor(2, 2, 2, 2), stride=[3, 2], padding=[0, 1])),
    ("convolution", *conv(PICTURE, tensor(2, 1, 3, 2), stride=[2], dilation=[1, 3], groups=2)),
    ("cos", WIDE),
    ("cosh", WIDE),
    ("cumprod", WIDE, 1),
    ("cumsum", WIDE, 0),
    ("cumsum", NUMBER, 0),
    ("div", SQUARE, OTHER),
    ("div", 2, SQUARE),
    ("dot", TWO, tensor(2, start=3)),
    ("erf", WIDE),
    ("exp", WIDE),
    ("exp2", WIDE),
    ("expm1", WIDE),
    ("hypot", SQUARE, OTHER),
    ("_linalg_det", SQUARE),
    ("_linalg_det", tensor(4, 4)),
    ("_linalg_det", tensor(2, 1, 3, 3)),
    ("linalg_inv_ex", SQUARE),
    ("linalg_inv_ex", tensor(2, 3, 3)),
    ("_linalg_solve_ex", SQUARE, TWO),
    ("_linalg_solve_ex", SQUARE, WIDE),
    ("_linalg_solve_ex", SQUARE, WIDE.T.contiguous(), {"left": False}),
    ("_linalg_solve_ex", STACK, OTHER),
    ("_linalg_solve_ex", STACK, tensor(2, 2, 3)),
    ("linalg_vector_norm", CUBE),
    ("linalg_vector_norm", CUBE, 0.5, [-1]),
    ("linalg_vector_norm", CUBE, float("inf"), [0, 1]),
    ("linalg_vector_norm", CUBE, float("-inf"), [1, 2]),
    ("log", POSITIVE),
    ("log10", POSITIVE),
    ("log1p", POSITIVE),
    ("log2", POSITIVE),
    ("_log_softmax", CUBE, 1, False),
    ("_log_softmax", WIDE, 0, False),
    ("_log_softmax", NUMBER, 0, False),
    ("logsumexp", CUBE, [0, 2]),
    ("logsumexp", CUBE, [1], True),
    ("max", CUBE),
    ("maximum", SQUARE, TWO),
    ("mean", CUBE),
    ("mean", CUBE, [-1], True),
    ("min", CUBE),
    ("minimum", SQUARE, TWO),
    ("mm", SQUARE, WIDE),
    ("mm", WIDE[:, :0], WIDE[:0]),
    ("mse_loss", SQUARE, OTHER, 0),
    ("mse_loss", SQUARE, OTHER, 2),
    ("mul", SQUARE, TWO),
    ("mv", WIDE, THREE),
    ("neg", WIDE),
    ("norm", CUBE, 3, [0, 2], True),
    ("pow", POSITIVE, 2.5),
    ("pow", POSITIVE, WIDE),
    ("pow", 2, WIDE),
    ("prod", WIDE),
    ("prod", WIDE, 1, True),
    ("reciprocal", WIDE),
    ("relu", WIDE),
    ("rsqrt", POSITIVE),
    ("rsub", SQUARE, TWO, {"alpha": 3}),
    ("scatter_add", tensor(3, 3), 0, torch.tensor([[2, 0], [0, 0]]), WIDE),
    ("scatter_add", tensor(3, 3), 1, torch.tensor([[2, 2, 0]]), WIDE),
    ("sigmoid", WIDE),
    ("sin", WIDE),
    ("sinh", WIDE),
    ("_softmax", WIDE, 0, False),
    ("_softmax", CUBE, -2, False),
    ("sqrt", POSITIVE),
    ("square", WIDE),
    ("std", WIDE, [1], {"correction": 0}),
    ("sub", SQUARE, TWO),
    ("sub", SQUARE, TWO, {"alpha": 3}),
    ("sum", CUBE),
    ("sum", CUBE, [0, -1]),
    ("sum", CUBE, [1], True),
    ("sum", CUBE, []),
    ("sum", NUMBER, [-1], True),
    ("sum", tensor(0, 2), [0]),
    ("tan", WIDE),
    ("tanh", WIDE),
    ("var", WIDE, None, {"correction": 0}),
    ("var", CUBE, [0, 2], {"correction": 2}),
    ("var", CUBE, [0, 2], {"correction": 0.5, "keepdim": True}),
    ("var", CUBE, [1]),
    ("var_mean", CUBE, [1], {"correction": 1, "keepdim": True}),
]


def traced(write: Callable[[Tensor], Formulas], name: str, *args: Any, **named: Any) -> Any:
    """Return the formulas of an operation's results, and the results."""
    tracer = Tracer()

    def kept(leaf: Any) -> Any:
        if isinstance(leaf, Tensor) and leaf.is_floating_point():
            leaf = leaf.clone()
            tracer.write(leaf, write(leaf))
        return leaf

    args, named = tree_map(kept, (args, named))
    with tracer:
        out = getattr(torch.ops.aten, name)(*args, **named)
    parts = [
        part for part in (out if isinstance(out, tuple) else (out,)) if tracer.memory.knows(part)
    ]
    return [tracer.memory.read(part) for part in parts], parts


@pytest.mark.parametrize("case", CASES, ids=[f"{i} {case[0]}" for i, case in enumerate(CASES)])
def test_at_numbers_a_formula_has_the_value_that_torch_gives(case: tuple[Any, ...]) -> None:
    name, *args = case
    named = args.pop() if isinstance(args[-1], dict) else {}
    given, _ = traced(lambda leaf: array(leaf.numpy()), name, *args, **named)
    expected = getattr(torch.ops.aten, name)(*args, **named)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert given
    for formulas, values in zip(given, expected, strict=False):
        assert all(isinstance(formula, sympy.Basic) for formula in formulas.ravel())
        assert formulas.shape == tuple(values.shape)
        np.testing.assert_allclose(evaluate(formulas, {}), values, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3"),
        (2.0, "2"),
        (1 / 3, "1/3"),
        (-0.25, "-1/4"),
        (0.001, "1/1000"),
        (1 / 999, "1/999"),
        (1 / 1001, "0.00099900099900099900"),
        (0.1 + 0.2, "0.30000000000000004"),
        (float("inf"), "oo"),
        (float("-inf"), "-oo"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_is_written_as_an_author_would(value: float, written: str) -> None:
    assert str(number(value)) == written
    assert float(number(value)) == value or value != value


def test_a_complex_number_is_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"^a complex number$"):
        number(1j)


a, b = PAIR = symbols("x", (2,))
(p, q), (r, s) = symbols("x", (2, 2))
DET, EXP, LOG = p * s - q * r, sympy.exp, sympy.log
READ: list[tuple[tuple[Any, ...], Any]] = [
    (("linalg_vector_norm", TWO), sympy.sqrt(a**2 + b**2)),
    (("linalg_vector_norm", TWO, 1), Magnitude(a) + Magnitude(b)),
    (("linalg_vector_norm", TWO, 3), sympy.cbrt(Magnitude(a) ** 3 + Magnitude(b) ** 3)),
    (("linalg_vector_norm", TWO, 4), sympy.root(a**4 + b**4, 4)),
    (("mean", TWO), (a + b) / 2),
    (
        ("var", TWO, None, {"correction": 0.5}),
        sympy.Rational(2, 3) * ((a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2),
    ),
    (("_softmax", TWO, 0, False), [e / (EXP(a) + EXP(b)) for e in (EXP(a), EXP(b))]),
    (("_log_softmax", TWO, 0, False), [e - LOG(EXP(a) + EXP(b)) for e in PAIR]),
    (("_linalg_det", SQUARE), DET),
    (("linalg_inv_ex", SQUARE), [[s / DET, -q / DET], [-r / DET, p / DET]]),
]


@pytest.mark.parametrize(("case", "read"), READ, ids=[str(case[::2]) for case, _ in READ])
def test_formulas_read_as_an_author_writes_them(case: tuple[Any, ...], read: Any) -> None:
    name, *args = case
    named = args.pop() if isinstance(args[-1], dict) else {}
    (formulas, *_), _ = traced(lambda leaf: symbols("x", leaf.shape), name, *args, **named)
    assert formulas.tolist() == read


def test_determinants_and_inverses_are_written_out_up_to_a_size() -> None:
    assert FORMULAS["_linalg_det"](symbols("x", (4, 4)))[0][()].is_polynomial()
    wide = np.empty((0, 1, 5, 5), dtype=object)
    with pytest.raises(NotImplementedError, match=r"^written out for at most 4 rows$"):
        FORMULAS["_linalg_det"](wide)
    with pytest.raises(NotImplementedError, match=r"^written out for at most 3 rows$"):
        FORMULAS["linalg_inv_ex"](wide[..., :4, :4])


def test_adding_at_indices_leaves_what_was_there() -> None:
    x = PAIR.copy()
    assert FORMULAS["scatter_add"](x, 0, np.array([0, 0]), x).tolist() == [2 * a + b, b]
    assert x.tolist() == [a, b]


@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "padding"),
    [
        ((1, 4, 4), [2], [], [0]),
        ((3, 4, 5), [2, 3], [], [1]),
        ((2, 2, 5, 4), [3], [1], [0, 1]),
        ((2, 5, 6), [2], [3, 2], [1, 0]),
        ((2, 6, 5), [3, 2], [2], [1]),
    ],
)
def test_pooling(
    shape: tuple[int, ...], kernel: list[int], stride: list[int], padding: list[int]
) -> None:
    x = tensor(*shape)
    expected = torch.ops.aten.avg_pool2d(x, kernel, stride, padding)
    torch.testing.assert_close(avg_pool2d(x, kernel, stride, padding), expected)
    if not any(padding):
        torch.testing.assert_close(avg_pool2d(x, kernel, stride, count_include_pad=False), expected)
    largest, _ = torch.ops.aten.max_pool2d_with_indices(x, kernel, stride, padding)
    torch.testing.assert_close(max_pool2d(x, kernel, stride, padding)[0], largest)


@pytest.mark.parametrize(
    "changed",
    [
        {"ceil_mode": True},
        {"divisor_override": 3},
        {"count_include_pad": False, "padding": [0, 1]},
    ],
    ids=["ceil_mode", "divisor_override", "count_include_pad"],
)
def test_only_plain_average_pooling_is_known(changed: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"^only plain average pooling$"):
        avg_pool2d(tensor(1, 4, 4), [2], **changed)
