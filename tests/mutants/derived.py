"""Faults in what a cell derives and draws: one coefficient of a formula, one place in a figure."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import numpy as np

from vtj.engines.symbolic import derivation
from vtj.show.svg import Drawing

WHERE = ("y", "J", "shape")
NONE = -1


@contextmanager
def planted(where: str, number: int = NONE) -> Iterator[Iterator[int]]:
    """Have one formula derived, or one shape drawn, with a fault in it: that with this number.

    "y" are the formulas of y, before they are compared with `f`, "J" those of J, "shape" is what is
    drawn. It yields a counter, whose next number is how many there were so far.
    """
    seen = count()
    confirm, slopes, add = derivation._confirm, derivation._slopes, Drawing._add

    def confirmed(f: Any, parts: Any, inputs: Any, formulas: Any, *rest: Any) -> None:
        for array in formulas:
            if next(seen) == number:
                array[...] = other(array)
        confirm(f, parts, inputs, formulas, *rest)

    def sloped(y: Any, x: Any) -> Any:
        return other(slopes(y, x)) if next(seen) == number else slopes(y, x)

    def added(drawing: Drawing, tag: str, **attributes: str) -> Any:
        if next(seen) == number:
            attributes = {**attributes, **moved(attributes)}
        return add(drawing, tag, **attributes)

    at: tuple[Any, str, Any] = {
        "y": (derivation, "_confirm", confirmed),
        "J": (derivation, "_slopes", sloped),
        "shape": (Drawing, "_add", added),
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


def moved(attributes: dict[str, str]) -> dict[str, str]:
    """Return the first of a shape's coordinates, ten pixels on; of a path, another first digit."""
    name, value = next(iter(attributes.items()))
    if name in ("x", "y"):
        return {name: f"{float(value) + 10:g}"}
    at = next(i for i, character in enumerate(value) if character.isdigit())
    return {name: f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"}
