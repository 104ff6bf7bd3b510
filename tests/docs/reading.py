"""Reads a page as a reader does: its cells and inline roles in order, and what each shows."""

import ast
import contextlib
import hashlib
import io
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import torch
from gates.expected_errors import declared_error, without_place
from IPython.lib.pretty import pretty

import vtj
from tests.docs.page_cells import PageCell, PageRole, Step, steps_of
from vtj.report import Report
from vtj.show import heat_map
from vtj_site.statements.values import SAYS

LONGEST = 40
DRAWN = "drawn: SHA-256"


class Reader:
    """Runs the steps of one page, and says what the build would complain of."""

    def __init__(self, page: Path, steps: Sequence[Step] | None = None) -> None:
        self.steps = steps_of(page) if steps is None else [*steps]
        self.shown: dict[str, str] = {}  # by step, what no check on the page confirms
        self._names = list(names(self.steps))
        self._confirmed = confirmed(self.steps)
        self._folder = page.parent
        self._namespace: dict[str, Any] = {"__name__": "__main__"}

    def complaint_from(self, place: int, end: int | None = None) -> str | None:
        """Run the steps from a place on; the first complaint, if there is one."""
        for number, step in enumerate(self.steps[place:end], place):
            out, err = io.StringIO(), io.StringIO()
            with (
                contextlib.chdir(self._folder),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
            ):
                said, shown = self._run(step)
            if isinstance(step, PageCell):
                said = said or err.getvalue()  # the build takes a cell's stderr for a fault
            if said:
                return said
            if number in self._confirmed and DRAWN not in shown:
                continue
            if text := kept(out.getvalue() + shown):
                self.shown[self._names[number]] = text
        return None

    def _run(self, step: Step) -> tuple[str | None, str]:
        """Return what is wrong with a step, and what it shows of its value."""
        if isinstance(step, PageRole):
            try:
                return None, str(eval(step.expression, self._namespace))
            except Exception as error:
                return f"{type(error).__name__}: {error}", ""
        declared = declared_error(step.options)
        try:
            shown = self._cell(ast.parse(step.code))
        except Exception as error:
            came = without_place(f"{type(error).__name__}: {error}")
            sys.last_value = error
            return None if came == declared else came, ""
        return None if declared is None else f"nothing raised, declared {declared}", shown

    def _cell(self, tree: ast.Module) -> str:
        """Run a cell; like a notebook, return what it shows of its last expression."""
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            exec(compile(tree, "<cell>", "exec"), self._namespace)
            return ""
        exec(compile(ast.Module(tree.body[:-1], []), "<cell>", "exec"), self._namespace)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self._namespace)
        return "" if value is None else as_text(value)


def kept(text: str) -> str:
    """Return what is kept of an output; of a long table, whose rows have their tests, a digest."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    text = "\n".join(lines)
    if len(lines) <= LONGEST:
        return text.replace(torch.__version__.partition("+")[0], "{torch}")
    return f"{len(lines)} lines, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def names(steps: list[Step]) -> list[str]:
    """Return a name for each step: its kind, and its number among those of its kind."""
    counts = {"cell": count(1), "sentence": count(1)}
    kinds = ["cell" if isinstance(step, PageCell) else "sentence" for step in steps]
    return [f"{kind} {next(counts[kind])}" for kind in kinds]


def confirmed(steps: list[Step]) -> set[int]:
    """Return the places of the steps that show nothing but what is checked.

    A `.confirm` checks what stands above it, an assert what its own cell ends in, and a word that
    is told from values is itself.
    """
    cells = {place: step for place, step in enumerate(steps) if isinstance(step, PageCell)}
    last = max((place for place, cell in cells.items() if confirms(cell)), default=-1)
    return {
        place
        for place, cell in cells.items()
        if place <= last or hidden(cell) or asserts_what_it_shows(cell)
    } | {
        place
        for place, step in enumerate(steps)
        if isinstance(step, PageRole) and SAYS.match(step.expression)
    }


def confirms(cell: PageCell) -> bool:
    """Whether the cell ends in `.confirm(…)`."""
    *_, last = [None, *ast.parse(cell.code).body]
    return isinstance(last, ast.Expr) and ".confirm(" in ast.unparse(last)


def hidden(cell: PageCell) -> bool:
    """Whether no reader sees what the cell shows."""
    return bool({"remove-output", "remove-cell"} & set(cell.options.get("tags", [])))


def asserts_what_it_shows(cell: PageCell) -> bool:
    """Whether the cell shows its last expression alone, and an assert compares that."""
    *above, last = [None, *ast.parse(cell.code).body]
    if not isinstance(last, ast.Expr) or "print(" in cell.code:
        return False
    shown = ast.unparse(last.value)
    return any(shown in map(ast.unparse, compared(line)) for line in above)


def compared(line: ast.stmt | None) -> Iterator[ast.expr]:
    """Yield what an assert says is equal."""
    match line:
        case ast.Assert(test=ast.Compare(left, ops, right)):
            if all(isinstance(op, ast.Eq) for op in ops):
                for side in (left, *right):
                    yield side
                    match side:  # x.grad.tolist() == [1, 2] says all of x.grad
                        case ast.Call(func=ast.Attribute(whole, attr="tolist" | "item")):
                            yield whole
        case ast.Assert(test=ast.Call(func=ast.Attribute(value, attr="equal"), args=args)):
            yield from (value, *args)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=args)):
            if name.startswith("assert_"):
                yield from args


def html(value: Any) -> str:
    """Return what a notebook shows of a value as HTML, or nothing."""
    return str(value._repr_html_()) if hasattr(value, "_repr_html_") else ""


def as_text(value: Any) -> str:
    """Return what a notebook shows of a value, in words.

    Of a report, what it says; of a picture, its description with a digest of all that is drawn.
    """
    if isinstance(value, Report):
        return "\n".join([f"{value.verdict}: {value.title}", *value.findings])
    if hasattr(value, "_repr_markdown_"):
        return str(value._repr_markdown_())
    if "<table" in html(value) or (type(value).__repr__ is object.__repr__ and html(value)):
        rows = [re.sub(r"\s*<[^>]+>\s*", " ", row) for row in html(value).split("</tr>")]
        return "\n".join(" ".join(row.split()) for row in rows)
    text = pretty(value, max_width=100)
    if "<svg" not in html(value):
        return text
    return f"{text}\n{digest(html(value))}"


def digest(drawing: str) -> str:
    """Return what is kept of all that is drawn."""
    return f"{DRAWN} {hashlib.sha256(drawing.encode()).hexdigest()[:16]}"


def with_python_s_warnings() -> None:
    """Show the warnings that Python shows by default, whatever pytest has made of them."""

    def show(message: Any, category: Any, filename: str, lineno: int, *_: Any) -> None:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))

    warnings.showwarning = show
    warnings.resetwarnings()
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.filterwarnings("ignore", category=category, append=True)


def as_the_build_does() -> None:
    """Import what pages import, derive once each way, and keep torch to one thread."""
    torch.set_num_threads(1)
    point = torch.tensor([1.0, 2.0])
    vtj.check(torch.square, point)
    vtj.formula(torch.square, point)
    heat_map(torch.square, point, point)
