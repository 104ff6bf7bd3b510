"""The cells of a page as a script that runs from its first line to its last."""

import ast
import textwrap

from nbformat import NotebookNode

from reading.downloads.plain import FormlessError

_KEPT = """\
    import sys

    sys.last_value = error  # as an interactive Python does
    print(f"{name}: {{error}}")"""


def runnable(cell: NotebookNode) -> str:
    """Return a code cell's source as a script runs it.

    A value that a notebook shows is printed; an error that the cell is there to show is caught,
    printed and kept in ``sys.last_value``, so that what comes after it runs too.

    Raises:
        FormlessError: if the source is no Python, or changes a string in it when indented.
    """
    outputs = {output["output_type"]: output for output in cell.outputs}
    source: str = cell.source
    if outputs.keys().isdisjoint({"error", "execute_result"}):
        return source
    try:
        ast.parse(source)
    except SyntaxError:  # IPython's %magic, or the error itself
        reason = f"a script can neither print nor catch what is no Python:\n{source}"
        raise FormlessError(reason, source.splitlines()[0]) from None
    return _caught(source, outputs["error"]["ename"]) if "error" in outputs else _printed(source)


def _printed(source: str) -> str:
    last = ast.parse(source).body[-1]
    lines = source.splitlines()
    shown = "\n".join(lines[last.lineno - 1 :])
    before = shown.encode()[: last.col_offset].decode()
    value = ast.get_source_segment(source, last) or ""
    comment = shown[len(before) + len(value) :].strip("; \n")
    printed = f"{before}print({value})" + (f"  {comment}" if comment else "")
    return "\n".join([*lines[: last.lineno - 1], printed])


def _caught(source: str, name: str) -> str:
    body = textwrap.indent(source, "    ")
    guarded = f"try:\n{body}\nexcept {name} as error:\n{_KEPT.format(name=name)}"
    (block,) = ast.parse(guarded).body
    inside = ast.dump(ast.Module(getattr(block, "body", []), []))
    if inside != ast.dump(ast.parse(source)):
        reason = f"a string over several lines cannot be indented:\n{source}"
        raise FormlessError(reason, source.splitlines()[0])
    return guarded
