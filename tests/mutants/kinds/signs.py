"""Every sign turned: minus for plus, plus for minus, and no minus where there was one."""

import ast
from collections.abc import Iterator

from tests.mutants.kinds.text import Planted, replaced

TURNED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}


def plant(code: str) -> Iterator[Planted]:
    """Yield the code with each sign turned."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield replaced(code, node, f"({ast.unparse(node.operand)})")
        elif isinstance(node, ast.BinOp) and type(node.op) in TURNED:
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            yield replaced(code, node, f"(({left}) {TURNED[type(node.op)][1]} ({right}))")
