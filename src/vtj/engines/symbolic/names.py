"""Symbols for the elements of x, named as an author would name them."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from torch import Tensor

from vtj.engines.symbolic.operations import Formulas

LETTERS = "abcdghkmnpqrstuwz"  # e, i, j, f, l, o, v, x and y mean something else on these pages


def symbols(name: str, shape: Sequence[int]) -> Formulas:
    """Return one real symbol for each element: x, x_1, x_{12}, with indices that count from 1."""
    out = np.empty(tuple(shape), dtype=object)
    for index in np.ndindex(*out.shape):
        out[index] = sympy.Symbol(name + subscript(index, shape), real=True)
    return out


def subscript(index: Sequence[int], shape: Sequence[int]) -> str:
    """Return the TeX of an index that counts from 0 as a subscript that counts from 1."""
    comma = "," if shape and max(shape) > 9 else ""
    digits = comma.join(str(i + 1) for i in index)
    return f"_{digits}" if len(digits) == 1 else f"_{{{digits}}}" if digits else ""


def names(f: Callable[..., Any], parts: Sequence[Tensor], single: bool) -> list[str]:
    """Return a name for each input: f's own where it names them all.

    One input alone is x, unless `f` names it with another letter that means nothing else here.
    """
    try:
        taken = inspect.signature(f).parameters.values()
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        given = [p.name for p in taken if p.kind in positional]
    except (TypeError, ValueError):
        given = []
    if single:
        return given[:1] if given[:1] and given[0] in list(LETTERS) else ["x"]
    if len(given) < len(parts) or not all(n.isascii() and n.isalpha() for n in given):
        given = [LETTERS[i] if i < len(LETTERS) else f"w^{{({i})}}" for i in range(len(parts))]
    return [n if "^" in n else word(n) for n in given[: len(parts)]]


def word(name: str) -> str:
    """Return a name as TeX, several letters as one word."""
    return name if len(name) == 1 else rf"\mathit{{{name}}}"
