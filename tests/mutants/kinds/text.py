"""What all planters share: a piece of code with one place changed."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    """Code with one fault.

    Attributes:
        line: the line of the fault, counted from 1.
        was: the text there.
        now: the text that replaces it.
        code: all of the code, with the fault.
    """

    line: int
    was: str
    now: str
    code: str


def replaced(code: str, node: ast.expr, now: str) -> Planted:
    """Replace the text of one expression."""
    lines = code.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    whole = code.encode()
    changed = (whole[:start] + now.encode() + whole[end:]).decode()
    return Planted(node.lineno, whole[start:end].decode(), now, changed)
