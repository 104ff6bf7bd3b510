"""The equations of a formula: y, the partial derivatives, J, and vᵀ·J in numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtj.engines.symbolic.derivation import Symbolic
from vtj.engines.symbolic.names import subscript
from vtj.engines.symbolic.numbers import evaluate
from vtj.show.layout import assigned, laid_out
from vtj.show.lines import Equation, Lines
from vtj.show.plain import Plain
from vtj.show.tex import Tex, matrix

Array = NDArray[Any]

NOTED = 8
"""The most conditions that are written out."""


def output_lines(symbolic: Symbolic) -> Lines:
    """Write y = …, a vector as a column."""
    tex, plain = _writers(symbolic)
    equations = []
    for name, y in zip(_output_names(symbolic), symbolic.y, strict=True):
        left = name if y.ndim < 3 else rf"\operatorname{{vec}} {name}"
        column = y if y.ndim in (0, 2) else y.ravel()[:, None]
        text = assigned(plain.atom(name), y if y.ndim < 3 else y.ravel(), plain.write)
        equations.append(Equation(left, matrix(column, tex.write), text))
    return Lines(tuple(equations))


def jacobian_lines(symbolic: Symbolic) -> Lines:
    """Write J = …, one equation for each output and input, and where they hold."""
    tex, plain = _writers(symbolic)
    equations = tuple(
        Equation(b.left, matrix(b.cells, tex.write), assigned(b.text, b.cells, plain.write))
        for b in _blocks(symbolic)
    )
    held = list(symbolic.conditions)
    rest = len(held) > NOTED
    return Lines(
        equations,
        r",\ ".join([*map(tex.write, held[:NOTED]), *[r"\dots"] * rest]),
        ", ".join([*map(plain.write, held[:NOTED]), *["…"] * rest]),
    )


def partial_lines(symbolic: Symbolic) -> Lines:
    """Write what the entries of J stand for."""
    _, plain = _writers(symbolic)
    equations = []
    for b in _blocks(symbolic):
        names = np.empty(len(b.tops) * len(b.bottoms), dtype=object)
        names[:] = [(top, bottom) for top in b.tops for bottom in b.bottoms]
        cells = names.reshape(b.cells.shape)
        right = matrix(cells, lambda pair: rf"\frac{{\partial {pair[0]}}}{{\partial {pair[1]}}}")
        text = assigned(
            b.text, cells, lambda pair: f"∂{plain.atom(pair[0])}/∂{plain.atom(pair[1])}"
        )
        equations.append(Equation(b.left, right, text))
    return Lines(tuple(equations))


def product_lines(symbolic: Symbolic, v: Sequence[Array], products: Sequence[Array]) -> Lines:
    """Write vᵀ·J = … in numbers: the row of weights, J at x, and their product."""
    tex, plain = _writers(symbolic)
    one = len(symbolic.x) == 1 and len(symbolic.y) == 1
    equations = []
    for name, product in zip(symbolic.names, products, strict=True):
        row = product if product.ndim < 3 else product.ravel()
        left = r"v^\top \cdot J" if one else rf"\left(v^\top \cdot J\right)_{{{name}}}"
        text = "vᵀ·J" if one else f"(vᵀ·J) for {plain.atom(name)}"
        right = matrix(row, tex.numeral)
        if one:
            at = evaluate(symbolic.J[0][0], symbolic.point)
            factors = [v[0].ravel() if v[0].ndim else v[0], laid_out(at, v[0].ndim)]
            steps = [tex.join([matrix(factor, tex.numeral) for factor in factors])]
            if product.ndim == 2 and len(product) > 1 and v[0].ndim:
                steps.append(matrix(product.ravel(), tex.numeral))
                right = rf"{right} \text{{ in the shape of }} {name}"
            right = " = ".join([*steps, right])
        equations.append(Equation(left, right, assigned(text, row, plain.numeral)))
    return Lines(tuple(equations))


@dataclass(frozen=True)
class _Block:
    left: str
    text: str
    tops: list[str]
    bottoms: list[str]
    cells: Array


def _blocks(symbolic: Symbolic) -> Iterator[_Block]:
    _, plain = _writers(symbolic)
    one = len(symbolic.x) == 1 and len(symbolic.y) == 1
    for output, y, row in zip(_output_names(symbolic), symbolic.y, symbolic.J, strict=True):
        for name, x, entries in zip(symbolic.names, symbolic.x, row, strict=True):
            tops = [output + subscript(i, y.shape) for i in np.ndindex(*y.shape)]
            bottoms = [str(symbol) for symbol in x.ravel()]
            above, below = (
                (output, name) if entries.ndim <= 2 else (_listed(tops), _listed(bottoms))
            )
            plainly = one and entries.ndim <= 2
            yield _Block(
                "J" if plainly else rf"\frac{{\partial {above}}}{{\partial {below}}}",
                "J" if plainly else f"∂{plain.atom(above)}/∂{plain.atom(below)}",
                tops,
                bottoms,
                laid_out(entries, y.ndim),
            )


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    shown = names if len(names) < 4 else [names[0], r"\dots", names[-1]]
    return f"({', '.join(shown)})"


def _output_names(symbolic: Symbolic) -> list[str]:
    count = len(symbolic.y)
    return ["y"] if count == 1 else [f"y^{{({k})}}" for k in range(1, count + 1)]


def _writers(symbolic: Symbolic) -> tuple[Tex, Plain]:
    symbols = [symbol for x in symbolic.x for symbol in x.ravel()]
    return Tex(symbols), Plain(symbols)
