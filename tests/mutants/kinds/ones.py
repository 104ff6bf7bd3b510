"""Every v set to ones."""

import ast
from collections.abc import Iterator

from tests.mutants.kinds.text import Planted, replaced

NAMES = {"v", "vT"}


def plant(code: str) -> Iterator[Planted]:
    """Yield the code with each assignment of v made one of ones."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in NAMES:
            value = ast.unparse(node.value)
            numbers = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
            if "ones" in value or all(number == 1 for number in numbers if number is not None):
                continue  # it is of ones already
            library = "np" if "np." in value else "torch"
            yield replaced(code, node.value, f"{library}.ones_like({value})")
