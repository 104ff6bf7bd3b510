"""A section that calls `backward` must end by confirming what its own cells computed.

On the pages that `confirmed_sections_pages` matches, the last cell of such a section has to be
`….confirm(y=y, grad=x.grad, …)`, and each value handed over must be built from names that the
section's earlier cells bound: not typed, and not taken from `confirmed_sections_oracle`, the
package that confirms. A question to the reader ("Predict: …") has an `assert` instead, since what
it asks is one step away from the example that its section has confirmed.
"""

import ast
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from gates.page import Cell, Complaint, Page, Section

SITE_ONLY = "site-only"
"""Cells with this tag check what the site draws; no reader sees them, wherever they stand."""
DIFFERENTIATES = {"backward", "grad"}
QUESTION = "Predict: "


def complaints(page: Page) -> Iterator[Complaint]:
    """Say of each unconfirmed section of the pages that have to confirm what it lacks."""
    if any(fnmatch(page.docname, pattern) for pattern in page.config.confirmed_sections_pages):
        for section in page.sections:
            if message := complaint(section, page.config.confirmed_sections_oracle):
                yield section.line, message


def tree(cell: Cell) -> ast.Module:
    """Parse a cell; one that does not parse has failed already and counts as empty."""
    try:
        return ast.parse(cell.source)
    except SyntaxError:
        return ast.parse("")


def calls(module: ast.Module, names: set[str]) -> Iterator[ast.Call]:
    """Yield the calls of what has one of the names: of `backward`, `y.backward(v)`."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in names:
                yield node


def asserts(module: ast.Module) -> bool:
    """Tell whether a cell holds its own values, by `assert` or by `torch.testing`."""
    plain = any(isinstance(node, ast.Assert) for node in ast.walk(module))
    return plain or any(calls(module, {"assert_close"}))


def bound(module: ast.Module) -> set[str]:
    """Return the names that a cell assigns or imports."""
    names = set()
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.alias(asname=str(name)):
                names.add(name)
            case ast.alias(name=name):
                names.add(name.partition(".")[0])
    return names


def imported(module: ast.Module) -> set[str]:
    """Return the packages that a cell imports, or imports from."""
    names: set[str | None] = set()
    for node in ast.walk(module):
        match node:
            case ast.alias(name=name) | ast.ImportFrom(module=name):
                names.add(name)
    return {str(name).partition(".")[0] for name in names}


def complaint(section: Section, oracle: str) -> str | None:
    """Say what keeps a section from being confirmed, or nothing."""
    modules = [
        tree(cell) for cell in section.cells if SITE_ONLY not in cell.options.get("tags", [])
    ]
    if not any(call for module in modules for call in calls(module, DIFFERENTIATES)):
        return None
    if section.title.startswith(QUESTION):
        return None if asserts(modules[-1]) else f"the question {section.title!r} has no assert"
    confirms = list(calls(modules[-1], {"confirm"}))
    if not confirms:
        return (
            f"the section {section.title!r} calls backward but its last cell does not confirm: "
            "end it with `….confirm(…)` of what its own cells computed"
        )
    independent = [module for module in modules[:-1] if oracle not in imported(module)]
    own = {"sys"}.union(*(bound(module) for module in independent))  # sys.last_value
    for call in confirms:
        if call.args or not call.keywords:
            return f"the section {section.title!r} must hand its values to confirm by name"
        for keyword in call.keywords:
            if message := borrowed(keyword, own):
                return f"the section {section.title!r} {message}"
    return None


def borrowed(keyword: ast.keyword, own: Iterable[str]) -> str | None:
    """Say why a value is not the section's own, or nothing."""
    names = {node.id for node in ast.walk(keyword.value) if isinstance(node, ast.Name)}
    written = f"confirms {keyword.arg}={ast.unparse(keyword.value)}"
    if not names:
        return f"{written}: a typed value, not one that its cells computed"
    if foreign := sorted(names - set(own)):
        return f"{written}, but none of its earlier cells binds {', '.join(foreign)}"
    return None
