"""Tracing a function: formulas of what it returns or writes, and when they hold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from torch import Tensor

from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation
from vtj.engines.symbolic.names import symbols
from vtj.engines.symbolic.tracing import SIZE_LIMIT, Tracer

A, B, C = SYMBOLS = symbols("x", (3,))
X = torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64)


def followed(f: Callable[[Tensor], Any], at: Tensor = X) -> tuple[Any, Tracer]:
    """Run a function of three numbers under a tracer; return what it returns, and the tracer."""
    tracer, x = Tracer(), at.clone()
    tracer.write(x, SYMBOLS)
    with tracer:
        return f(x), tracer


def in_place(f: Callable[[Tensor], Any]) -> Callable[[Tensor], Tensor]:
    def run(x: Tensor) -> Tensor:
        y = x.clone()
        f(y)
        return y

    return run


def into(f: Callable[..., Any], *options: Any, **named: Any) -> Callable[[Tensor], Tensor]:
    def run(x: Tensor) -> Tensor:
        out = x.new_empty(3)
        f(x.detach(), *options, out=out, **named)
        return out

    return run


ROWS = torch.tensor([2, 0, 2])
EACH: dict[str, tuple[Callable[[Tensor], Any], list[Any]]] = {
    "nothing": (lambda x: x, [A, B, C]),
    "not of x": (lambda x: torch.ones(3), [1, 1, 1]),
    "a view": (lambda x: x[1:].flip(0), [C, B]),
    "a formula": (lambda x: 2 * x + 1, [2 * A + 1, 2 * B + 1, 2 * C + 1]),
    "a decomposition of torch's": (lambda x: torch.addcmul(x, x, x), [s**2 + s for s in SYMBOLS]),
    "another way": (lambda x: x % 2, [A - 2 * 0, B - 2, C + 4]),
    "another way, in place": (in_place(lambda y: y.remainder_(2)), [A, B - 2, C + 4]),
    "in place": (in_place(lambda y: y[:2].mul_(y[2])), [A * C, B * C, C]),
    "into an out argument": (into(torch.mul, 3), [3 * A, 3 * B, 3 * C]),
    "another way into an out argument": (into(torch.fmod, 2), [A, B - 2, C + 2]),
    "a constant into an out argument": (into(torch.sign), [1, 1, -1]),
    "steps": (torch.floor, [1, 2, -3]),
    "steps in place": (in_place(lambda y: y[1:].sign_()), [A, 1, -1]),
    "rounded division": (lambda x: torch.div(x, 2, rounding_mode="floor"), [0, 1, -2]),
    "rounded division in place": (
        in_place(lambda y: y[:2].div_(2, rounding_mode="trunc")),
        [0, 1, C],
    ),
    "division": (lambda x: torch.div(x, 2, rounding_mode=None), [A / 2, B / 2, C / 2]),
    "compared in place": (in_place(lambda y: y[1:].gt_(0)), [A, 1, 0]),
    "truth values": (lambda x: (x > 0).double(), [1, 1, 0]),
    "truth values into an out argument": (
        lambda x: torch.mul(x > 0, 3.0, out=torch.empty(3, dtype=torch.float32)),
        [3, 3, 0],
    ),
    "moved": (lambda x: torch.cat([x[2:], x[:1]]), [C, A]),
    "filled": (lambda x: x.masked_fill(x > 1, 0.5), [A, sympy.Rational(1, 2), C]),
    "padded": (lambda x: torch.nn.functional.pad(x[:1], (1, 2), value=7.0), [7, A, 7, 7]),
    "padded with nothing": (lambda x: torch.nn.functional.pad(x[:1], (1, 0)), [0, A]),
    "triangle": (lambda x: x[:2].repeat(2, 1).triu().reshape(-1), [A, B, 0, B]),
    "put": (lambda x: x.index_put((ROWS[:2],), 2 * x[:2]), [2 * B, B, 2 * A]),
    "put in place": (in_place(lambda y: y.index_put_((ROWS[:1],), 5 * y[:1])), [A, B, 5 * A]),
    "added by index": (
        lambda x: x.index_put((ROWS,), 2 * x, accumulate=True),
        [A + 2 * B, B, 2 * A + 3 * C],
    ),
    "added by index, in place": (
        in_place(lambda y: y.index_put_((ROWS,), 2 * y, True)),
        [A + 2 * B, B, 2 * A + 3 * C],
    ),
    "picked": (lambda x: x.sort().values, [C, A, B]),
    "picked along a dimension": (
        lambda x: x.repeat(2, 1).max(1, keepdim=True).values.T.flatten(),
        [B, B],
    ),
    "picked across": (lambda x: torch.stack([x, -x]).min(0).values, [-A, -B, C]),
    "one of one": (lambda x: x.reshape(1, 3, 1).max(2).values.flatten(), [A, B, C]),
    "one of one in a column": (lambda x: x.reshape(3, 1, 1).max(2).values, [[A], [B], [C]]),
    "an operation of prims": (lambda x: torch.ops.prims.mul(x, x), [A**2, B**2, C**2]),
    "picked of a number": (lambda x: x[2].median(0).values.reshape(1), [C]),
    "several results": (lambda x: torch.var_mean(x[:2], correction=0)[1].reshape(1), [(A + B) / 2]),
    "half": (lambda x: x.half(), [A, B, C]),
}


@pytest.mark.parametrize("name", EACH)
def test_the_formulas_of_what_is_returned_or_written(name: str) -> None:
    f, formulas = EACH[name]
    y, tracer = followed(f)
    assert tracer.memory.read(y).tolist() == formulas
    expected = f(X.clone())
    assert (y.dtype, y.tolist()) == (expected.dtype, expected.tolist())


RELATIONS: dict[str, tuple[Callable[[Tensor], Any], list[Any]]] = {
    "only compared": (lambda x: x > 1, []),
    "moved by a mask": (lambda x: x[x > 1], [A <= 1, B > 1, C <= 1]),
    "multiplied by a mask": (lambda x: x * (x >= 1), [A >= 1, B >= 1, C < 1]),
    "asked": (lambda x: bool(x[0] < 5), [A < 5]),
    "combined": (lambda x: (x[:2] > 1) & (x[1:] > 1), [A <= 1, B > 1, C <= 1]),
    "asked twice": (lambda x: [bool(x[0] < 5), bool(x[0] < 5)], [A < 5]),
    "not equal": (lambda x: [bool(x[0] == 5), bool(x[0] != 5)], [sympy.Ne(A, 5)]),
    "of numbers": (lambda x: bool(0 * x[0] < 5), []),
    "of a constant": (lambda x: x * torch.tensor([True, False, True]), []),
    "indices": (lambda x: x[x.argmax()], []),
    "largest": (lambda x: x.max(0), [B >= A, B >= C]),
    "smallest": (lambda x: x.min(0), [C <= A, C <= B]),
    "sorted": (lambda x: x.sort(), []),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_relations_that_decided_what_ran_are_kept(name: str) -> None:
    f, held = RELATIONS[name]
    assert followed(f)[1].conditions == held


def test_the_largest_of_every_line_is_compared_with_its_own_line() -> None:
    _, tracer = followed(lambda x: torch.stack([x, -x]).max(0))
    assert tracer.conditions == [A >= -A, B >= -B, -C >= C]
    _, tracer = followed(lambda x: torch.stack([x, 5 - x], 1).min(1, keepdim=True))
    assert tracer.conditions == [A <= 5 - A, B <= 5 - B, C <= 5 - C]


def test_eps_is_of_the_coarsest_tensor_on_the_way() -> None:
    tracer = Tracer()
    assert tracer.eps == 0
    for dtype, eps in [
        (torch.float64, 2.0**-52),
        (torch.float32, 2.0**-23),
        (torch.float64, 2.0**-23),
        (torch.int64, 2.0**-23),
        (torch.bfloat16, 2.0**-7),
    ]:
        tracer.write(torch.ones(3, dtype=dtype), SYMBOLS)
        assert tracer.eps == eps
    assert followed(lambda x: x.half().double())[1].eps == 2.0**-10


def test_formulas_may_have_three_thousand_terms_together() -> None:
    count = SIZE_LIMIT - 3
    wide = np.array([A] * count + [A * B], dtype=object)
    Tracer().write(torch.ones(count + 1), wide)
    refused = r"^the formulas grow beyond 3000 terms; use another engine$"
    with pytest.raises(NotSymbolic, match=refused):
        Tracer().write(torch.ones(count + 2), np.append(wide, B))
    with pytest.raises(NotSymbolic, match=refused):
        Tracer().write(torch.ones(()), np.asarray(sympy.Add(*symbols("x", (SIZE_LIMIT,)))))


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: torch.fft.fft(x), "aten._fft_r2c.default"),
        (lambda x: x.unsqueeze(0).logcumsumexp(1), "aten.logcumsumexp.default"),
        (in_place(lambda y: y.erfinv_()), "aten.erfinv_.default (made of prims.erf_inv.default)"),
        (in_place(lambda y: y.lgamma_()), "aten.lgamma_.default (made of prims.lgamma.default)"),
        (lambda x: x * 1j, "aten.mul.Tensor (a complex number)"),
        (lambda x: x * torch.tensor(1j), "aten.mul.Tensor (a complex tensor)"),
        (
            lambda x: x.scatter(0, ROWS[:1], x[:1], reduce="multiply"),
            "aten.scatter.reduce (it does more than move elements)",
        ),
        (
            lambda x: torch.linalg.det(x.repeat(25)[:25].reshape(5, 5)),
            "aten._linalg_det.default (written out for at most 4 rows)",
        ),
    ],
)
def test_what_has_no_formula_is_named_with_the_reason(f: Any, said: str) -> None:
    with pytest.raises(UnknownOperation) as caught:
        followed(f)
    assert str(caught.value) == f"no formula is known for {said}"


def test_a_result_without_a_slope_needs_no_formula() -> None:
    edges = X.sort().values
    y, tracer = followed(lambda x: (x.argsort(), torch.bucketize(x, edges, right=True)))
    assert [part.tolist() for part in y] == [[2, 0, 1], [2, 3, 1]]
    assert not any(map(tracer.memory.knows, y))


def test_division_by_zero_is_said() -> None:
    with pytest.raises(NotSymbolic, match=r"^f divides by zero at every x$"):
        followed(lambda x: 1 / (x - x))


def test_a_number_that_leaves_is_no_formula() -> None:
    y, tracer = followed(lambda x: x[1].item())
    assert (y, tracer.conditions) == (2.0, [])
