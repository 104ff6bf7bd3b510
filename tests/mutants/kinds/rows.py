"""The first two rows of every array swapped, where they differ."""

import ast
from collections.abc import Iterator

from tests.mutants.kinds.text import Planted, replaced

ARRAYS = {"array", "tensor", "stack"}


def plant(code: str) -> Iterator[Planted]:
    """Yield the code with the first two entries of each array exchanged."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in ARRAYS and node.args and isinstance(node.args[0], ast.List):
            rows = [ast.unparse(row) for row in node.args[0].elts]
            if len(rows) > 1 and rows[0] != rows[1]:
                swapped = ", ".join([rows[1], rows[0], *rows[2:]])
                yield replaced(code, node.args[0], f"[{swapped}]")
