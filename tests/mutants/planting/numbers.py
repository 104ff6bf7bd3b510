"""Every number is one more."""

import ast
from collections.abc import Iterator

from tests.mutants.source import Change, Source


def plant(source: Source) -> Iterator[Change]:
    """Yield a change of each number, indices and slices too."""
    for node in source.nodes():
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex):
            assert isinstance(node.value, int | float | complex)
            # Before Python 3.12, `ast` may mistake the place of what stands in an f-string.
            if source.of(node)[:1].isdigit() or source.of(node).startswith("."):
                yield Change("number", *source.span(node), repr(node.value + 1))
