"""What a file's mutants depend on, as a digest: its code, and neither prose nor comments."""

import ast
import hashlib
from pathlib import Path

from tests.docs.page_cells import PageRole, steps_of


def of_page(page: Path) -> str:
    """Return the digest of a page's cells, their options and its inline roles."""
    parts = []
    for step in steps_of(page):
        if isinstance(step, PageRole):
            parts.append(step.expression)
        else:
            parts += [repr(sorted(step.options.items())), ast.dump(ast.parse(step.code))]
    return _digest("\n".join(parts))


def of_module(file: Path) -> str:
    """Return the digest of a module's code, docstrings left out."""
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node):
            node.body = node.body[1:]
    return _digest(ast.dump(tree))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
