"""A section that calls `backward` must end by confirming what its own cells computed.

On the pages that `confirmed_sections_pages` matches, the last cell of such a section has to be
`….confirm(y=y, grad=x.grad, …)`, and each value handed over must be built from names that the
section's earlier cells bound: not typed, and not taken from `confirmed_sections_oracle`, the
package that confirms.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from gates.page import Cell, Complaint, Page, Section

DIFFERENTIATES = {"backward", "grad"}


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


def calls(module: ast.Module) -> list[ast.Call]:
    """Return every call in a module."""
    return [node for node in ast.walk(module) if isinstance(node, ast.Call)]


def called(call: ast.Call) -> str | None:
    """Return the last name of what is called, if it has one: `backward` of `y.backward(v)`."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return None


def bound(module: ast.Module) -> set[str]:
    """Return the names that a cell assigns or imports."""
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def imported(module: ast.Module) -> set[str]:
    """Return the packages that a cell imports, or imports from."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
    return {name.partition(".")[0] for name in names}


def complaint(section: Section, oracle: str) -> str | None:
    """Say what keeps a section from being confirmed, or nothing.

    Args:
        section: a section of an executed page.
        oracle: the package whose values do not count as the section's own.
    """
    modules = [tree(cell) for cell in section.cells]
    if not any(called(call) in DIFFERENTIATES for module in modules for call in calls(module)):
        return None
    confirms = [call for call in calls(modules[-1]) if called(call) == "confirm"]
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
    """Say why a value is not the section's own, or nothing.

    Args:
        keyword: one `name=value` handed to confirm.
        own: the names that the section's earlier cells bound.
    """
    names = {node.id for node in ast.walk(keyword.value) if isinstance(node, ast.Name)}
    written = f"confirms {keyword.arg}={ast.unparse(keyword.value)}"
    if not names:
        return f"{written}: a typed value, not one that its cells computed"
    if foreign := sorted(names - set(own)):
        return f"{written}, but none of its earlier cells binds {', '.join(foreign)}"
    return None
