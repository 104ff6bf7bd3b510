"""`retain_graph` and `create_graph` are forgotten."""

import ast
from collections.abc import Iterator

from tests.mutants.source import Change, Source

FORGOTTEN = {"retain_graph", "create_graph"}


def plant(source: Source) -> Iterator[Change]:
    """Yield each call without the keyword that keeps its graph."""
    for node in source.nodes():
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg in FORGOTTEN:
                    start, end = source.span(keyword)
                    before = source.text[:start].rstrip()
                    start = len(before.removesuffix(","))
                    yield Change("retain_graph", start, end, "")
