"""One coefficient of each formula that a page shows: in y before it is compared, and in J."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from vtj.engines.symbolic import derivation as symbolic

WHERE = ("y", "J")


class Coefficients:
    """Counts the formulas that are derived, and plants a fault in one of them.

    Args:
        where: "y" or "J".
        number: which formula of the page, from 0; -1 for none.
    """

    def __init__(self, where: str, number: int) -> None:
        self.where, self.number, self.count = where, number, 0

    @contextmanager
    def planted(self) -> Iterator["Coefficients"]:
        """Have the symbolic engine derive with the fault."""
        slopes, confirm = symbolic._slopes, symbolic._confirm

        def with_wrong_slopes(y: Any, x: Any) -> Any:
            return self._other(slopes(y, x), "J")

        def with_wrong_outputs(f: Any, parts: Any, inputs: Any, formulas: Any, *rest: Any) -> None:
            for array in formulas:
                array[...] = self._other(array, "y")
            confirm(f, parts, inputs, formulas, *rest)

        with (
            mock.patch.object(symbolic, "_slopes", with_wrong_slopes),
            mock.patch.object(symbolic, "_confirm", with_wrong_outputs),
        ):
            yield self

    def _other(self, formulas: Any, where: str) -> Any:
        if where != self.where:
            return formulas
        self.count += 1
        if self.count - 1 != self.number:
            return formulas
        changed = np.array(formulas, dtype=object)
        at = next((i for i in np.ndindex(*changed.shape) if changed[i] != 0), None)
        changed[at] = other(changed[at])
        return changed


def other(formula: Any) -> Any:
    """Return a formula with one coefficient that is one more, or that is two instead of one.

    Args:
        formula: a SymPy expression.
    """
    coefficient, rest = formula.as_coeff_Mul()
    return (coefficient + 1) * rest
