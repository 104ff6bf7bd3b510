"""One letter of an error's declared text."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.mutants.source import Change


def plant(options: Mapping[str, Any]) -> Iterator[Change]:
    """Yield a change of the text that a cell declares to raise, if it does.

    Args:
        options: of a cell.
    """
    if text := options.get("raises"):
        middle = len(text) // 2
        yield Change("error", middle, middle + 1, "_")
