"""What is planted in code, in an expression of a sentence, in a declared error and in a claim.

Each planter yields one `Change` after the other, every one of them a single fault.
"""

import ast
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple


class Change(NamedTuple):
    """One fault: the characters from `start` to `end` of a text become `after`."""

    kind: str
    start: int
    end: int
    after: str

    def applied(self, text: str) -> str:
        """Return the text with the fault in it."""
        return text[: self.start] + self.after + text[self.end :]


def span(text: str, node: ast.expr | ast.keyword) -> tuple[int, int]:
    """Return the characters where a node starts and ends; `ast` counts columns in UTF-8 bytes."""
    lines = text.encode().splitlines(keepends=True)
    assert node.end_lineno is not None
    ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
    start, end = (b"".join(lines[: line - 1]) + lines[line - 1][:column] for line, column in ends)
    return len(start.decode()), len(end.decode())


def written(text: str, node: ast.expr | ast.keyword) -> str:
    """Return a node as it stands in the text."""
    start, end = span(text, node)
    return text[start:end]


def numbers(code: str) -> Iterator[Change]:
    """Make each number one more, indices and slices too."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Constant(value=int() | float() | complex() as value):
                # True is an int; before Python 3.12 the place of a number in an f-string is wrong.
                if re.match(r"[\d.]", written(code, node)):
                    yield Change("number", *span(code, node), repr(value + 1))


def signs(code: str) -> Iterator[Change]:
    """Make each minus a plus and each plus a minus, between two terms or before one."""
    other = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.UnaryOp(op=ast.USub()):
                start, _ = span(code, node)
                yield Change("sign", start, start + 1, "")
            case (
                ast.BinOp(left=left, op=(ast.Add() | ast.Sub()) as op, right=right)
                | ast.AugAssign(target=left, op=(ast.Add() | ast.Sub()) as op, value=right)
            ):
                before, after = other[type(op)]
                at = code.index(before, span(code, left)[1], span(code, right)[0])
                yield Change("sign", at, at + 1, after)


def rows(code: str) -> Iterator[Change]:
    """Swap two different neighbors in each list: rows of J, elements of y or v."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.List):
            for first, second in pairwise(node.elts):
                a, b = written(code, first), written(code, second)
                if a != b and not isinstance(first, ast.Starred):
                    (start, middle), (after, end) = span(code, first), span(code, second)
                    yield Change("row", start, end, b + code[middle:after] + a)
                    break


MADE = {"v": "torch", "vT": "np", "weights": "torch"}
ALREADY_ONES = re.compile(r"ones|^None$|^[^\d]*\(\[*1(\.0?)?(, 1(\.0?)?)*\]*\)$")


def ones(code: str) -> Iterator[Change]:
    """Make `v` all ones, where it is made and where it is handed to `backward`."""
    for node in ast.walk(ast.parse(code)):
        made: list[tuple[ast.expr, str]] = []
        match node:
            case ast.Assign(targets=targets, value=value):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                made = [(value, MADE[name]) for name in names if name in MADE]
            case ast.Call(func=ast.Attribute(value=y, attr="backward"), args=args, keywords=named):
                if ast.unparse(y) != "torch.autograd":
                    handed = [*args[:1], *(each.value for each in named if each.arg == "gradient")]
                    made = [(v, "torch") for v in handed]
        for v, library in made:
            if not ALREADY_ONES.search(text := written(code, v)):
                yield Change("ones", *span(code, v), f"{library}.ones_like({text})")


def retained(code: str) -> Iterator[Change]:
    """Drop each `retain_graph` and `create_graph`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            for named in node.keywords:
                if named.arg in ("retain_graph", "create_graph"):
                    start, end = span(code, named)
                    start = len(code[:start].rstrip().removesuffix(","))
                    yield Change("retain_graph", start, end, "")


IN_CODE = (numbers, signs, rows, ones, retained)


def declared(options: Mapping[str, Any]) -> Iterator[Change]:
    """Change one letter of the error that a cell's options declare, if they do."""
    if text := options.get("raises"):
        yield Change("error", len(text) // 2, len(text) // 2 + 1, "_")


def claimed(code: str) -> Iterator[Change]:
    """Change a digit, or else a letter, of what each claim says in its decorator or its row."""
    for node in ast.walk(ast.parse(code)):
        texts: list[ast.expr] = []
        match node:
            case ast.FunctionDef(decorator_list=decorators):
                calls = [each.args for each in decorators if isinstance(each, ast.Call)]
                texts = [args[2] for args in calls if len(args) > 3]
            case ast.Tuple(elts=[ast.Constant(value=int()), *texts]):
                pass
        for text in texts:
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value[1:]:
                start, end = span(code, text)
                if digit := re.compile(r"\d").search(code, start, end):
                    other = str((int(digit[0]) + 1) % 10)
                    yield Change("claim", digit.start(), digit.end(), other)
                else:
                    middle = start + (end - start) // 2
                    yield Change("claim", middle, middle + 1, "_")


# What stands in an f-string is part of the expression; any other text is one token.
PIECE = re.compile(r'f"[^"]*"|(?P<text>"[^"]*")|[^"]+?(?=f"|"|$)')
TOKEN = re.compile(r"(?P<name>[A-Za-z_]\w*)|(?P<number>\d+(?:\.\d+)?)|(?P<op>\*\*|[-+*/])")
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "**": "*"}


def inline(expression: str, names: Sequence[str]) -> Iterator[Change]:
    """Change each token of an expression in a sentence: a number, an operator, a text, a name.

    A name becomes the next of `names`, those that the page's expressions use.
    """
    for piece in PIECE.finditer(expression):
        if piece["text"]:
            yield Change("inline", piece.end() - 1, piece.end() - 1, "_")
            continue
        for token in TOKEN.finditer(expression, piece.start(), piece.end()):
            after = OPERATORS.get(token[0])
            if token["number"]:
                after = repr(ast.literal_eval(token[0]) + 1)
            elif token[0] in names and len(names) > 1:
                after = names[(names.index(token[0]) + 1) % len(names)]
            if after:
                yield Change("inline", token.start(), token.end(), after)


def names_in(expression: str) -> set[str]:
    """Return the names that an expression uses, attributes too, keywords left out."""
    pieces = [piece[0] for piece in PIECE.finditer(expression) if not piece["text"]]
    found = {token["name"] for piece in pieces for token in TOKEN.finditer(piece)}
    return {name for name in found if name and not keyword.iskeyword(name)} - {"f"}
