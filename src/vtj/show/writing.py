"""The equations of a formula: y, the partial derivatives, J, and vᵀ·J in numbers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from vtj.engines.symbolic.derivation import Symbolic
from vtj.engines.symbolic.names import subscript, word
from vtj.show.equations import Array, Equation, Lines, assigned, flat, laid_out, matrix
from vtj.show.notation import Plain, Tex

NOTED = 8
"""The most conditions that are written out."""


class Written:
    """Writes the formulas of one function in both notations."""

    def __init__(self, symbolic: Symbolic, output: str) -> None:
        symbols = [symbol for x in symbolic.x for symbol in x.ravel()]
        self.tex, self.plain = Tex(symbols), Plain(symbols)
        self.symbolic = symbolic
        count = len(symbolic.y)
        y = word(output)
        self.outputs = [y] if count == 1 else [f"{y}^{{({k})}}" for k in range(1, count + 1)]
        self.one = count == len(symbolic.x) == 1

    def output(self) -> Lines:
        """Write y = …, a vector as a column."""
        equations = []
        for name, y in zip(self.outputs, self.symbolic.y, strict=True):
            left = name if y.ndim < 3 else rf"\operatorname{{vec}} {name}"
            column = y if y.ndim in (0, 2) else y.ravel()[:, None]
            text = assigned(self.plain.atom(name), flat(y), self.plain.write)
            equations.append(Equation(left, matrix(column, self.tex.write), text))
        return Lines(tuple(equations))

    def jacobian(self) -> Lines:
        """Write J = …, one equation for each output and input, and where they hold."""
        equations = [self._both(left, text, J, Plain.write) for left, text, J, _ in self._blocks()]
        held = self.symbolic.conditions[:NOTED]
        rest = len(self.symbolic.conditions) > NOTED
        note = r",\ ".join([*map(self.tex.write, held), *[r"\dots"] * rest])
        text = ", ".join([*map(self.plain.write, held), *["…"] * rest])
        return Lines(tuple(equations), note, text)

    def partials(self) -> Lines:
        """Write what the entries of J stand for."""
        say = lambda notation, pair: notation.slope(*pair)  # noqa: E731
        blocks = self._blocks()
        return Lines(tuple(self._both(left, text, pairs, say) for left, text, _, pairs in blocks))

    def product(self, v: Sequence[Array], products: Sequence[Array]) -> Lines:
        """Write vᵀ·J = … in numbers: the row of weights, J at x, and their product."""
        numeral, equations = self.tex.numeral, []
        for name, product in zip(self.symbolic.names, products, strict=True):
            left, text = rf"\left(v^\top \cdot J\right)_{{{name}}}", self.plain.atom(name)
            left, text = (r"v^\top \cdot J", "vᵀ·J") if self.one else (left, f"(vᵀ·J) for {text}")
            right = matrix(flat(product), numeral)
            if self.one:
                at = laid_out(self.symbolic.slopes[0][0], v[0].ndim)
                row = v[0].ravel() if v[0].ndim else v[0]
                steps = [self.tex.join([matrix(row, numeral), matrix(at, numeral)])]
                if product.ndim == 2 and len(product) > 1 and v[0].ndim:
                    steps.append(matrix(product.ravel(), numeral))
                    right = rf"{right} \text{{ in the shape of }} {name}"
                right = " = ".join([*steps, right])
            said = assigned(text, flat(product), self.plain.numeral)
            equations.append(Equation(left, right, said))
        return Lines(tuple(equations))

    def _both(
        self, left: str, text: str, cells: Array, say: Callable[[Plain, Any], str]
    ) -> Equation:
        """Write an equation in both notations, its right side cell by cell."""
        tex, plain = partial(say, self.tex), partial(say, self.plain)
        return Equation(left, matrix(cells, tex), assigned(text, cells, plain))

    def _blocks(self) -> Iterator[tuple[str, str, Array, Array]]:
        """Yield each block of J: its name in TeX and in text, its entries, what they stand for."""
        for output, y, row in zip(self.outputs, self.symbolic.y, self.symbolic.J, strict=True):
            for name, x, entries in zip(self.symbolic.names, self.symbolic.x, row, strict=True):
                tops = [output + subscript(i, y.shape) for i in np.ndindex(*y.shape)]
                bottoms = [str(symbol) for symbol in x.ravel()]
                cells = laid_out(entries, y.ndim)
                pairs = np.empty(cells.size, dtype=object)
                pairs[:] = [(top, bottom) for top in tops for bottom in bottoms]
                left, text = "J", "J"
                many = entries.ndim > 2
                if not self.one or many:
                    sides = (_listed(tops), _listed(bottoms)) if many else (output, name)
                    left, text = self.tex.slope(*sides), self.plain.slope(*sides)
                yield left, text, cells, pairs.reshape(cells.shape)


def _listed(names: Sequence[Any]) -> str:
    if len(names) == 1:
        return str(names[0])
    shown = names if len(names) < 4 else [names[0], r"\dots", names[-1]]
    return f"({', '.join(shown)})"
