"""The functions a reader can explore: examples of the library, derived and written as JavaScript.

Their formulas are the ones that the pages print: those of `vtj.engines.symbolic.derivation`.
"""

import ast
import inspect
import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from vtj.cases.example import Example
from vtj.engines.symbolic.derivation import derive

MOST = 4  # inputs or outputs: more do not fit on a phone


@dataclass(frozen=True)
class Explored:
    """One function of the explorer: x and v are those that the reader starts with."""

    name: str  # the builder's; it stands in the page's address
    title: str  # in the menu
    code: str  # the Python expression that computes y from x
    shape: tuple[int, ...]  # of y
    x: tuple[float, ...]
    v: tuple[float, ...]
    y: tuple[str, ...]  # in JavaScript, for each output
    J: tuple[tuple[str, ...], ...]  # likewise, for each output and input
    example: Example


@cache
def explored(title: str, address: str) -> Explored:
    """Derive the function of the example that a builder, ``module:builder``, makes.

    Raises:
        ValueError: if the example does not fit the explorer: x must be a vector, y a vector or a
            number, neither with more than four elements, v given unless y is a number, and f one
            expression.
    """
    module, _, builder = address.partition(":")
    example: Example = getattr(import_module(module), builder)()
    derived = derive(example.f, example.x)
    (symbols,), (y,), ((jacobian,),) = derived.x, derived.y, derived.J
    if symbols.ndim != 1 or y.ndim > 1 or max(symbols.size, y.size) > MOST or derived.conditions:
        raise ValueError(
            f"{address}: the explorer shows a vector x and a vector or number y of up to {MOST} "
            f"elements, without branches; x has shape {symbols.shape}, y has shape {y.shape}"
        )
    if example.v is None and y.ndim:
        raise ValueError(
            f"{address}: y has shape {y.shape} and the example gives no v of that shape"
        )
    elements = {symbol: sympy.Symbol(f"x[{j}]") for j, symbol in enumerate(symbols)}
    v = 1.0 if example.v is None else _numbers(example.v)
    return Explored(
        name=example.name,
        title=title,
        code=expression(example.f),
        shape=y.shape,
        x=tuple(_numbers(example.x)),
        v=tuple(np.ravel(v)),
        y=tuple(_javascript(entry, elements) for entry in np.ravel(y)),
        J=tuple(
            tuple(_javascript(entry, elements) for entry in row)
            for row in jacobian.reshape(y.size, symbols.size)
        ),
        example=example,
    )


def expression(f: Any) -> str:
    """Return the Python expression that a function of ``x`` returns.

    Raises:
        ValueError: if it is not ``return <expression>`` of one argument named ``x``.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    body = [
        statement
        for statement in getattr(tree.body[0], "body", [])
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    parameters = list(inspect.signature(f).parameters)
    match body:
        case [ast.Return(value=ast.expr() as value)] if parameters == ["x"]:
            return ast.unparse(value)
    raise ValueError(f"{f.__qualname__}: the explorer shows functions of x that only return")


def script(functions: Sequence[Explored]) -> str:
    """Return the classic script that hands the functions to the explorer."""
    entries = ",\n".join(_entry(function) for function in functions)
    origin = "/* Written by the build from the formulas that the pages print. */"
    return f"{origin}\nwindow.VTJ_FUNCTIONS = {{\n{entries}\n}};\n"


def _entry(function: Explored) -> str:
    rows = ", ".join(f"[{', '.join(row)}]" for row in function.J)
    return (
        f'"{function.name}": {{ title: {_quoted(function.title)}, code: {_quoted(function.code)},\n'
        f"  shape: {list(function.shape)}, x: {list(map(_plain, function.x))}, "
        f"v: {list(map(_plain, function.v))},\n"
        f"  y: (x) => [{', '.join(function.y)}],\n"
        f"  J: (x) => [{rows}] }}"
    )


def _javascript(entry: Any, elements: dict[Any, Any]) -> str:
    # Factored, a derivative such as p − p² of softmax does not lose its digits to cancellation.
    return str(sympy.jscode(sympy.factor(entry).xreplace(elements)))


def _numbers(tensor: Any) -> NDArray[np.float64]:
    return np.asarray(tensor.double().numpy())


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else float(number)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
