"""Faults in what a cell derives and draws: one coefficient of a formula, one place in a figure."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from vtj.engines.symbolic import derivation
from vtj.show.svg import Drawing

NONE = -1


class Coefficient:
    """Counts the formulas that are derived, and changes a coefficient of one of them.

    Args:
        where: "y", changed before it is compared with `f`, or "J".
        number: which formula of the cell, from 0; `NONE` only counts.
    """

    def __init__(self, where: str, number: int = NONE) -> None:
        self.where, self.number, self.count = where, number, 0

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Have the symbolic engine derive with the fault."""
        slopes, confirm = derivation._slopes, derivation._confirm

        def with_wrong_slopes(y: Any, x: Any) -> Any:
            return self._changed(slopes(y, x), "J")

        def with_wrong_outputs(f: Any, parts: Any, inputs: Any, formulas: Any, *rest: Any) -> None:
            for array in formulas:
                array[...] = self._changed(array, "y")
            confirm(f, parts, inputs, formulas, *rest)

        with (
            mock.patch.object(derivation, "_slopes", with_wrong_slopes),
            mock.patch.object(derivation, "_confirm", with_wrong_outputs),
        ):
            yield

    def _changed(self, formulas: Any, where: str) -> Any:
        if where != self.where:
            return formulas
        self.count += 1
        if self.count - 1 != self.number:
            return formulas
        changed = np.array(formulas, dtype=object)
        at = next((i for i in np.ndindex(*changed.shape) if changed[i] != 0), None)
        coefficient, rest = changed[at].as_coeff_Mul()
        changed[at] = (coefficient + 1) * rest
        return changed


class Coordinate:
    """Counts what is drawn, and moves one of it.

    Args:
        number: which text or shape of the cell, from 0; `NONE` only counts.
    """

    def __init__(self, number: int = NONE) -> None:
        self.number, self.count = number, 0

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Have figures drawn with the fault."""
        add = Drawing._add

        def elsewhere(
            drawing: Drawing, tag: str, places: dict[str, float | str], style: str
        ) -> Any:
            self.count += 1
            if self.count - 1 == self.number:
                places = {**places, **moved(places)}
            return add(drawing, tag, places, style)

        with mock.patch.object(Drawing, "_add", elsewhere):
            yield


def moved(places: dict[str, float | str]) -> dict[str, float | str]:
    """Return the first of a shape's coordinates, ten pixels on; of a path, another first digit."""
    name, value = next(iter(places.items()))
    if not isinstance(value, str):
        return {name: value + 10}
    at = next(i for i, character in enumerate(value) if character.isdigit())
    return {name: f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"}
