"""`retain_graph` and `create_graph` dropped."""

import ast
from collections.abc import Iterator

from tests.mutants.kinds.text import Planted, replaced

KEPT = {"retain_graph", "create_graph"}


def plant(code: str) -> Iterator[Planted]:
    """Yield the code with each of them set to False."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.keyword) and node.arg in KEPT:
            yield replaced(code, node.value, "False")
