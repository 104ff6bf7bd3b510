"""What catches each fault that is planted in a page, or in a module of examples or claims.

A page's cells up to the fault have run; the cell with the fault and the rest run in a fork. For a
module, each fork imports the module's package anew, with the fault in it, and reads its page.
"""

import importlib
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from gates.typed_numbers import ALLOWED, remaining

from tests.docs.page_cells import PageCell, PageRole, Step
from tests.docs.reading import Reader, digest
from tests.docs.shown import approved, difference, pages
from tests.mutants import derived, pictures, planting
from tests.mutants.forks import LONGEST, in_fork

ROOT = Path(__file__).parents[2]
CHECK, SHOWN = "check", "shown"
"""What catches a fault: a check that knows better, or the file of what the page showed before."""
SLOWER, AT_LEAST = 10.0, 8.0
"""A reading is ended after that many times its seconds without the fault, and those seconds: two
processes of a page may wait for each other for half an hour."""
FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"(\{[\w:-]+\})?(`+)([^`]+)\2")  # with the name of a role in front, or none


class Fault(NamedTuple):
    """One planted fault."""

    file: str  # from the project's root
    line: int  # from 1
    kind: str  # say "number"
    text: str  # the line as it stands, without white space around it
    before: str
    after: str
    refused: bool = False  # whether its cell declares the error that ends it

    def __str__(self) -> str:
        change = f"{self.before!r} became {self.after!r}"
        return f"{self.file}:{self.line}: {self.kind}: {change} in {self.text!r}"


Reading = Callable[[], str | None]
"""Reads a page with a fault in it; returns what catches the fault."""
Chosen = Callable[[Fault], bool]
"""Says whether a fault is planted."""
Outcome = tuple[Fault, str | None]
"""A fault and what caught it, `check: …` or `shown: …`; None where nothing did."""


def files() -> list[str]:
    """Return all files that faults are planted in: pages, examples, claims."""
    modules = [
        *sorted((ROOT / "src/vtj/examples").glob("*.py")),
        *sorted((ROOT / "src/vtj_site/sources").glob("*.py")),
    ]
    found = [*pages(), *(module for module in modules if any(in_module(module)))]
    return [file.relative_to(ROOT).as_posix() for file in found]


def every(fault: Fault) -> bool:
    """Choose each fault."""
    return True


def judge(name: str, chosen: Chosen = every) -> Iterator[Outcome]:
    """Plant the chosen faults of a file, one at a time, and all that stand in no line of it.

    An AssertionError if the file is wrong without one.
    """
    random.seed(0)
    return (judge_page if name.endswith(".md") else judge_module)(ROOT / name, name, chosen)


def judge_page(page: Path, name: str, chosen: Chosen) -> Iterator[Outcome]:
    """Plant the faults of a page."""
    reader = Reader(page)
    expressions = [step.expression for step in reader.steps if isinstance(step, PageRole)]
    names = sorted(set().union(*map(planting.names_in, expressions)))
    quoted = quotations(page, reader.steps)

    def read(place: int, step: Step) -> str | None:
        reader.steps[place] = step
        # a sentence's expression changes nothing that stands below it
        said = complaint(page, reader, place, place + 1 if isinstance(step, PageRole) else None)
        lost = [text for text in quoted if not any(text in code for code in codes(reader.steps))]
        if lost and (said is None or said.startswith(SHOWN)):
            return f"{CHECK}: prose quotes {lost[0]}, which no cell holds"
        return said

    seconds = in_fork(lambda: seconds_of_steps(page, Reader(page)), LONGEST)
    assert isinstance(seconds, list), f"{name}:{seconds}"
    for place, step in enumerate(list(reader.steps)):
        planted = [
            (fault, changed)
            for change, changed in in_step(step, names)
            if chosen(fault := of_step(change, step, name))
        ]
        readings = [partial(read, place, changed) for _, changed in planted]
        caught: list[str | None] = []
        if planted and isinstance(step, PageRole):
            caught = together(reader, readings, partial(read, place, step))
        limit = allowed(sum(seconds[place:]))
        for number, (fault, _) in enumerate(planted):
            yield fault, caught[number] if caught else in_fork(readings[number], limit)
        if isinstance(step, PageCell):
            yield from judge_derived(page, name, reader, place)
        said = reader.complaint_from(place, place + 1)
        assert said is None, f"{name}:{step.line}: without a fault, it says {said}"


def complaint(page: Path, reader: Reader, place: int, end: int | None = None) -> str | None:
    """Read a page's steps from a place on; return what catches a fault there, or None."""
    if said := reader.complaint_from(place, end):
        return f"{CHECK}: {said}"
    was = approved(page)
    if end is not None:  # what stands below has not been shown yet
        was = {name: text for name, text in was.items() if name in reader.shown}
    said = difference(page, reader.shown, was)
    return said and f"{SHOWN}: {said}"


def seconds_of_steps(page: Path, reader: Reader) -> list[float] | str:
    """Read a page without a fault; return the seconds of each step, or where it finds something."""
    seconds = []
    for place, step in enumerate(reader.steps):
        started = time.monotonic()
        if said := reader.complaint_from(place, place + 1):
            return f"{step.line}: without a fault, it says {CHECK}: {said}"
        seconds.append(time.monotonic() - started)
    said = difference(page, reader.shown)
    return f"1: without a fault, it says {SHOWN}: {said}" if said else seconds


def allowed(seconds: float) -> float:
    """Return how long a reading may take that takes these seconds without a fault."""
    return max(AT_LEAST, SLOWER * seconds)


def together(reader: Reader, readings: list[Reading], as_it_stands: Reading) -> list[str | None]:
    """Return what catches each fault of one sentence, all in one fork: most take no time.

    Afterwards the sentence must be right as it stands; if not, or if one of them took long, an
    expression has left something behind, and nothing is returned.
    """

    def found() -> tuple[list[str | None], str | None]:
        shown, caught = dict(reader.shown), []
        for reading in readings:
            caught.append(reading())
            reader.shown = dict(shown)
        return caught, as_it_stands()

    match in_fork(found, AT_LEAST):
        case caught, None:
            return list(caught)
    return []


def in_step(step: Step, names: list[str]) -> Iterator[tuple[planting.Change, Step]]:
    """Yield each fault of a cell or a role, and the step with it."""
    if isinstance(step, PageRole):
        for change in planting.inline(step.expression, names):
            yield change, replace(step, expression=change.applied(step.expression))
        return
    for planter in planting.IN_CODE:
        for change in planter(step.code):
            yield change, replace(step, code=change.applied(step.code))
    for change in planting.declared(step.options):
        text = change.applied(step.options["raises"])
        yield change, replace(step, options={**step.options, "raises": text})


def of_step(change: planting.Change, step: Step, name: str) -> Fault:
    """Say what a fault changes, and where on the page."""
    if isinstance(step, PageRole):
        return described(change, step.expression, name, step.line)
    text = step.options["raises"] if change.kind == "error" else step.code
    fault = described(change, text, name, step.line)
    return fault._replace(refused="raises" in step.options)


def described(change: planting.Change, text: str, name: str, first: int = 1) -> Fault:
    """Say what a fault changes in a text whose first line is that line of the file."""
    line = text.count("\n", 0, change.start)
    before = text[change.start : change.end]
    stands = text.splitlines()[line].strip()
    return Fault(name, first + line, change.kind, stands, before, change.after)


def quotations(page: Path, steps: list[Step]) -> list[str]:
    """Return the inline code with digits that may stand there because a cell holds it."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    texts = [" ".join(found[3].split()) for found in QUOTED.finditer(prose) if not found[1]]
    return [t for t in texts if remaining(t, ALLOWED) and any(t in code for code in codes(steps))]


def codes(steps: list[Step]) -> list[str]:
    """Return the code of each cell, its white space collapsed."""
    return [" ".join(step.code.split()) for step in steps if isinstance(step, PageCell)]


def judge_derived(page: Path, name: str, reader: Reader, place: int) -> Iterator[Outcome]:
    """Plant a fault in y and J of each formula of a cell, and each fault in what it reads back.

    No cell uses what another one derives or draws, so none but this one is run.
    """

    def counts() -> list[int]:
        with ExitStack() as stack:
            counters = [stack.enter_context(derived.planted(where)) for where in derived.WHERE]
            reader.complaint_from(place, place + 1)
        return [next(counter) for counter in counters]

    def read(where: str, number: int) -> str | None:
        with derived.planted(where, number):
            return complaint(page, reader, place, place + 1)

    line = reader.steps[place].line
    for where, found in zip(derived.WHERE, in_fork(counts, LONGEST), strict=True):
        for number in range(found):
            text = f"{where} of formula {number + 1}"
            fault = Fault(name, line, "formula", text, "a", "a + 1")
            yield fault, in_fork(partial(read, where, number))
    seen = "".join(approved(page).values())
    for what, said, drawing in in_fork(lambda: pictures.judged(reader, place), LONGEST):
        caught = f"{CHECK}: {said}" if said else SHOWN if digest(drawing) in seen else None
        yield Fault(name, line, "figure", what, "as drawn", "otherwise"), caught


def in_module(file: Path) -> Iterator[planting.Change]:
    """Yield the faults of a module of examples or of claims."""
    text = file.read_text(encoding="utf-8")
    planters = planting.IN_CODE if file.parent.name == "examples" else (planting.claimed,)
    return (change for planter in planters for change in planter(text))


def judge_module(file: Path, name: str, chosen: Chosen) -> Iterator[Outcome]:
    """Plant the faults of a module, and read the page that shows it."""
    text = file.read_text(encoding="utf-8")
    shown = f"tutorials/{file.stem}" if file.parent.name == "examples" else "reference/sources"
    page = ROOT / f"docs/{shown}.md"

    def read(planted: str) -> str | None:
        instead_of(file, planted)
        try:
            importlib.import_module(module_name(file))
        except Exception as error:
            return f"{CHECK}: {type(error).__name__}: {error}"
        return complaint(page, Reader(page), 0)

    started = time.monotonic()
    said = in_fork(partial(read, text))
    assert said is None, f"{name}: without a fault, it says {said}"
    limit = allowed(time.monotonic() - started)
    for change in in_module(file):
        if chosen(fault := described(change, text, name)):
            yield fault, in_fork(partial(read, change.applied(text)), limit)


def module_name(file: Path) -> str:
    """Return the name by which a module below `src` is imported."""
    return ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)


def instead_of(file: Path, text: str) -> None:
    """Forget a module's package, and have the module hold other text at the next import."""
    package = module_name(file).rpartition(".")[0]
    for known in [known for known in sys.modules if f"{known}.".startswith(f"{package}.")]:
        del sys.modules[known]
    as_written = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        planted = loader.path == str(file)
        return compile(text, str(file), "exec") if planted else as_written(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment,method-assign]
