"""Minus becomes plus, and plus minus."""

import ast
from collections.abc import Iterator

from tests.mutants.source import Change, Source

OTHER = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}


def plant(source: Source) -> Iterator[Change]:
    """Yield a change of each sign, between two terms or before one."""
    for node in source.nodes():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            start, _ = source.span(node)
            yield Change("sign", start, start + 1, "")
        elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OTHER:
            before, after = OTHER[type(node.op)]
            left, right = (
                (node.left, node.right)
                if isinstance(node, ast.BinOp)
                else (node.target, node.value)
            )
            at = source.text.index(before, source.span(left)[1], source.span(right)[0])
            yield Change("sign", at, at + 1, after)
