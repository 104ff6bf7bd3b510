"""Every number that is not an index, larger by one."""

import ast
from collections.abc import Iterator

from tests.mutants.kinds.text import Planted, replaced


def plant(code: str) -> Iterator[Planted]:
    """Yield the code with each number changed."""
    tree = ast.parse(code)
    looked_at = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        for inner in ast.walk(node.slice)
    }
    for node in ast.walk(tree):
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if number and id(node) not in looked_at:
            yield replaced(code, node, repr(node.value + 1))
