"""`v` becomes all ones: where it is made, and where it is handed to `backward`."""

import ast
import re
from collections.abc import Iterator

from tests.mutants.source import Change, Source

ALREADY = re.compile(r"ones|^None$|^[^\d]*\(\[*1(\.0?)?(, 1(\.0?)?)*\]*\)$")
"""All ones as it is written, or no `v` at all."""
MADE = {"v": "torch", "vT": "np", "weights": "torch"}


def plant(source: Source) -> Iterator[Change]:
    """Yield a change of each `v`; one that is written as ones already is left out."""
    for node in source.nodes():
        for v, library in found(node):
            text = source.of(v)
            if not ALREADY.search(text):
                yield Change("ones", *source.span(v), f"{library}.ones_like({text})")


def found(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a statement makes `v` from, or hands to `backward` as `v`."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in MADE:
                yield node.value, MADE[target.id]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
        and ast.unparse(node.func.value) != "torch.autograd"
    ):
        named = [keyword.value for keyword in node.keywords if keyword.arg == "gradient"]
        for v in [*node.args[:1], *named]:
            yield v, "torch"
