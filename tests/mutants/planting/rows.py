"""Two neighbors in a list trade places: rows of J, elements of y or v."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from tests.mutants.source import Change, Source


def plant(source: Source) -> Iterator[Change]:
    """Yield a swap in each list that holds two different neighbors."""
    for node in source.nodes():
        if not isinstance(node, ast.List):
            continue
        for first, second in pairwise(node.elts):
            a, b = source.of(first), source.of(second)
            if a != b and not isinstance(first, ast.Starred):
                start, end = source.span(first)[0], source.span(second)[1]
                between = source.text[source.span(first)[1] : source.span(second)[0]]
                yield Change("row", start, end, b + between + a)
                break
