"""Faults in what a cell derives: one coefficient of a formula."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import numpy as np

from vtj.engines.symbolic import derivation

WHERE = ("y", "J")
NONE = -1


@contextmanager
def planted(where: str, number: int = NONE) -> Iterator[Iterator[int]]:
    """Have one formula derived with a fault in it: that with this number.

    "y" are the formulas of y, before they are compared with `f`, "J" those of J. It yields a
    counter, whose next number is how many there were so far.
    """
    seen = count()
    confirm, slopes = derivation._confirm, derivation._slopes

    def confirmed(f: Any, parts: Any, inputs: Any, formulas: Any, *rest: Any) -> None:
        for array in formulas:
            if next(seen) == number:
                array[...] = other(array)
        confirm(f, parts, inputs, formulas, *rest)

    def sloped(y: Any, x: Any) -> Any:
        return other(slopes(y, x)) if next(seen) == number else slopes(y, x)

    at: tuple[Any, str, Any] = {
        "y": (derivation, "_confirm", confirmed),
        "J": (derivation, "_slopes", sloped),
    }[where]
    with mock.patch.object(*at):
        yield seen


def other(formulas: Any) -> Any:
    """Return formulas of which one has a coefficient that is one more, or two instead of one."""
    changed = np.array(formulas, dtype=object)
    at = next((i for i in np.ndindex(*changed.shape) if changed[i] != 0), None)
    coefficient, rest = changed[at].as_coeff_Mul()
    changed[at] = (coefficient + 1) * rest
    return changed
