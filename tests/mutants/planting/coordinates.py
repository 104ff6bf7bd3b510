"""One coordinate or one word of each thing that is drawn in a page's figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from vtj.show.svg import Drawing


class Coordinates:
    """Counts what is drawn, and plants a fault in one of it.

    Args:
        number: which text or shape of the page, from 0; -1 for none.
    """

    def __init__(self, number: int) -> None:
        self.number, self.count = number, 0

    @contextmanager
    def planted(self) -> Iterator["Coordinates"]:
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
            yield self


def moved(places: dict[str, float | str]) -> dict[str, float | str]:
    """Return the first of a shape's coordinates, ten pixels on; of a path, another first digit."""
    name, value = next(iter(places.items()))
    if not isinstance(value, str):
        return {name: value + 10}
    at = next(i for i, character in enumerate(value) if character.isdigit())
    return {name: f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"}
