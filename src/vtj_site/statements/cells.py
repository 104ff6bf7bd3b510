"""What the cells of a page have made, and the code that made it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:\w+: .*\n", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*")
DEEP = 3
"""Over so many steps a value is followed back to the code that it came from."""


class Made(NamedTuple):
    """A line of a page's cells that makes or changes what has a name."""

    line: int
    name: str
    code: str  # with the `with` and `for` around it
    used: bool  # whether it just reads what has the name
    born: bool  # whether it gives something the name


class Cells:
    r"""The cells of a page.

    Examples:
        >>> page = "```{code-cell} python\n:tags: [hide]\nx = 1\ndef f(z): w = 1\n```\n"
        >>> sorted(Cells(page).names)
        ['f', 'w', 'x', 'z']
        >>> Cells(page).behind("2 * x", 9)
        'x = 1'
    """

    def __init__(self, page: str = "") -> None:
        self.made, self.names = list[Made](), set[str]()
        self._behind = cache(self._look_behind)
        for cell in CELL.finditer(page):
            code = OPTION.sub("", cell[1])
            try:
                body = ast.parse(code).body
            except SyntaxError:  # the build says so where the cell runs
                continue
            line = page.count("\n", 0, cell.start()) + 1
            for node in body:
                self.names |= {*named_in(node)}
                self.made += made_by(node, code, line, "")

    def behind(self, expression: str, line: int, steps: int = DEEP) -> str:
        """Return the code that made what an expression names, the nearest above a line."""
        return self._behind(expression, line, steps)

    def born(self, expression: str, line: int) -> str:
        """Return the lines that first made what an expression names, the nearest above a line."""
        found = list[str]()
        for name in dict.fromkeys(NAME.findall(expression)):
            makes = [each for each in self.made if each.name == name and each.born]
            above = [each for each in makes if each.line <= line] or makes[:1]
            found += [each.code for each in above[-1:]]
        return "\n".join(dict.fromkeys(found))

    def _look_behind(self, expression: str, line: int, steps: int) -> str:
        done, found, waiting = set[str](), list[str](), NAME.findall(expression)
        for _ in range(steps):
            new = list[str]()
            for name in [each for each in dict.fromkeys(waiting) if each not in done]:
                done.add(name)
                for used in (
                    (False, True) if re.search(rf"\b{name}\.grad", expression) else (False,)
                ):
                    makes = [made for made in self.made if (made.name, made.used) == (name, used)]
                    above = [made.code for made in makes if made.line <= line][-2:]
                    new += above or [made.code for made in makes[:1]]
            found += new
            waiting = NAME.findall(" ".join(new))
        return "\n".join(dict.fromkeys(found))


def made_by(node: ast.stmt, code: str, line: int, around: str) -> Iterator[Made]:
    """Yield what a statement of a cell makes or changes; a call may change what it names."""
    blocks = [getattr(node, part, []) for part in ("body", "orelse", "finalbody", "handlers")]
    own = ast.get_source_segment(code, node) or ""
    if any(blocks) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
        around += own.splitlines()[0] + "\n"
        own = ""
        for inside in (each for block in blocks for each in block):
            for each in inside.body if isinstance(inside, ast.ExceptHandler) else [inside]:
                yield from made_by(each, code, line, around)
    parts = [node] if own else [
        part for name, part in ast.iter_fields(node) if name in ("target", "items")
    ]  # fmt: skip
    for name, stored in dict.fromkeys(changed_by(node, parts)):
        yield Made(line, name, around + own, False, stored)
    for each in ast.walk(node) if isinstance(node, ast.Assign) else ():
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield Made(line, each.id, around + own, True, False)


def changed_by(node: ast.stmt, parts: list[ast.AST]) -> Iterator[tuple[str, bool]]:
    """Yield the names that a statement makes (True), or calls something with."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name, True
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((each.asname or each.name, False) for each in node.names)
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    for part in parts:
        for inside in part if isinstance(part, list) else [part]:
            for each in ast.walk(inside):
                if isinstance(each, ast.Name) and (calls or isinstance(each.ctx, ast.Store)):
                    yield each.id, isinstance(each.ctx, ast.Store)


def named_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement makes, but those that it imports, and in classes."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if not isinstance(node, ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
