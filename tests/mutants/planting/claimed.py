"""One character of what each claim says or prints: a digit where there is one."""

import ast
import re
from collections.abc import Iterator

from tests.mutants.source import Change, Source


def plant(source: Source) -> Iterator[Change]:
    """Yield a change of each text in a declaration or a table of claims: a digit, else a letter."""
    for node in source.nodes():
        for text in texts(node):
            start, end = source.span(text)
            written = source.text[start:end]
            digit = re.search(r"\d", written)
            if digit:
                at, other = digit.start(), str((int(digit[0]) + 1) % 10)
            else:
                at, other = len(written) // 2, "_"
            yield Change("claim", start + at, start + at + 1, other)


def texts(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the texts of a claim's decorator, and of a row of a table that begins with a line."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and len(decorator.args) > 3:
                parts += decorator.args[2:3]
    elif isinstance(node, ast.Tuple) and len(node.elts) > 2 and _number(node.elts[0]):
        parts += node.elts[2:]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) > 1:
            yield part


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int
