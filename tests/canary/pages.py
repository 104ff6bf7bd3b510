"""What pages compute and show with the torch that runs, held against what they declare and showed.

`python -m tests.canary.pages` prints a finding a line, as JSON.
"""

import ast
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from gates.expected_errors import declared_error

from tests.canary.findings import NOISE, Finding, of_texts, of_warning
from tests.canary.questions import release_of_the_site
from tests.docs import shown
from tests.docs.page_cells import PageCell, Step, steps_of
from tests.docs.reading import Reader, as_the_build_does, names, with_python_s_warnings
from tests.mutants.forks import in_fork
from vtj import JacobianMismatch
from vtj_site.outcomes.tables import release
from vtj_site.records.history import RecordError

ROOT = Path(__file__).parents[2]
RELEASES = (release_of_the_site(), release())
AGREED = "all that is compared here agreed"


def of_page(page: Path) -> list[Finding]:
    """Run a page step by step; what differs, up to a step that fails, which is the last one run."""
    reader, found = Reader(page), list[Finding]()
    with_python_s_warnings()
    file = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
    for place, step in enumerate(reader.steps):
        before = getattr(sys, "last_value", None)
        said = reader.complaint_from(place, place + 1)
        at = f"{file}:{step.line}"
        declared = declared_error(step.options) if isinstance(step, PageCell) else None
        if said is None:
            continue
        last = getattr(sys, "last_value", None)
        error = None if last is before else last
        if declared is not None:
            found.append(of_texts(at, declared, said))
        elif isinstance(step, PageCell) and error is None:
            found.append(of_warning(at, said))
        else:
            found.append(of_failure(str(file), step, said, error))
            break
    return [*found, *of_outputs(str(file), page, reader)]


def of_outputs(file: str, page: Path, reader: Reader) -> Iterator[Finding]:
    """Yield what a page showed otherwise when a person last approved it, of what was shown."""
    lines = {name: step.line for name, step in zip(names(reader.steps), reader.steps, strict=True)}
    was = shown.approved(page)
    for name in reader.shown.keys() & was.keys():
        # `{torch}` is what ran: then the site's own torch. A record names it, whichever runs.
        before = was[name].replace("{torch}", release_of_the_site())
        ran = (reader.shown[name].replace("{torch}", each) for each in RELEASES)
        if not any(shown.same(before, now) for now in ran):
            yield of_texts(f"{file}:{lines[name]}", was[name], reader.shown[name])


def of_failure(file: str, step: Step, said: str, error: BaseException | None) -> Finding:
    """Return what it means that a step fails: its line, what held, and what the values are now."""
    frames = [(f, n) for f, n in traceback.walk_tb(getattr(error, "__traceback__", None))]
    inside = [(f, n) for f, n in frames if f.f_code.co_filename == "<cell>"]
    if not inside or not isinstance(step, PageCell):
        return of_texts(f"{file}:{step.line}", AGREED, said)
    frame, number = inside[-1]
    at = f"{file}:{step.line + number - 1}"
    if isinstance(error, RecordError) and "no recorded row" in str(error):
        return Finding(NOISE, at, "", str(error))
    if isinstance(error, JacobianMismatch):
        return of_texts(at, AGREED, "\n".join(error.report.findings))
    for node in ast.walk(ast.parse(step.code)):
        if isinstance(node, ast.Assert) and node.lineno <= number <= (node.end_lineno or number):
            return of_texts(at, ast.unparse(node.test), values(node.test, frame) or said)
    return of_texts(at, "the cell ran", said)


def values(test: ast.expr, frame: FrameType) -> str:
    """Return what the two sides of a comparison are now, a side that is typed left out."""
    match test:
        case ast.Compare(left, _, right):
            sides = [left, *right]
        case ast.Call(func=ast.Attribute(value=value), args=args):
            sides = [value, *args]
        case _:
            return ""
    written = [ast.unparse(side) for side in sides if any(map(named, ast.walk(side)))]
    known = {**frame.f_globals, **frame.f_locals}
    return "; ".join(f"{code} is {evaluated(code, known)}" for code in written)


def named(node: ast.AST) -> bool:
    """Whether a part of an expression is a name, so that another torch can change its value."""
    return isinstance(node, ast.Name)


def evaluated(code: str, known: dict[str, object]) -> str:
    """Return the text of an expression's value, or of the error that it raises now."""
    try:
        return " ".join(str(eval(code, known)).split())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Print the findings of every page that has cells."""
    as_the_build_does()
    for page in (page for page in sorted(shown.DOCS.rglob("*.md")) if steps_of(page)):
        for finding in in_fork(lambda page=page: [*map(tuple, of_page(page))], 300.0):
            print(json.dumps(finding, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
