"""A piece of Python, and where its parts stand in it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Change:
    """One planted fault: the text from `start` to `end` becomes `after`."""

    kind: str
    start: int
    end: int
    after: str

    def applied(self, text: str) -> str:
        """Return the text with the fault in it."""
        return text[: self.start] + self.after + text[self.end :]


@dataclass(frozen=True)
class Source:
    """A cell, an expression or a module."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """What it parses to."""
        return ast.parse(self.text)

    @cached_property
    def _lines(self) -> list[tuple[int, bytes]]:
        starts, at = [], 0
        for line in self.text.splitlines(keepends=True):
            starts.append((at, line.encode()))
            at += len(line)
        return starts

    def nodes(self) -> Iterator[ast.AST]:
        """Yield all parts, outer ones first."""
        return ast.walk(self.tree)

    def offset(self, line: int, column: int) -> int:
        """Return the character at a line, from 1, and a column in UTF-8 bytes, as `ast` counts."""
        start, encoded = self._lines[line - 1]
        return start + len(encoded[:column].decode())

    def span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """Return where a part starts and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.offset(node.lineno, node.col_offset)
        return start, self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.keyword) -> str:
        """Return the text of a part."""
        start, end = self.span(node)
        return self.text[start:end]
