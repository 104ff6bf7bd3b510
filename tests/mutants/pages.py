"""A page's mutants: its cells up to the fault have run, and each fault runs on in a fork."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from gates.typed_numbers import ALLOWED, remaining

from tests.docs.page_cells import PageCell, PageRole, Step
from tests.docs.reading import Reader
from tests.docs.shown import difference
from tests.mutants import derived
from tests.mutants.forks import in_fork
from tests.mutants.mutant import CHECK, SHOWN, Mutant, Outcome
from tests.mutants.planting import declared, numbers, ones, retained, roles, rows, signs
from tests.mutants.source import Change, Source

IN_CELLS = (numbers, signs, rows, ones, retained)
FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"(?<!\})(`+)([^`]+)\1")


def quotations(page: Path, steps: list[Step]) -> list[str]:
    """Return the inline code with digits that may stand there because a cell holds it."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    codes = sources(steps)
    texts = [" ".join(found[2].split()) for found in QUOTED.finditer(prose)]
    return [t for t in texts if remaining(t, ALLOWED) and any(t in code for code in codes)]


def changes(step: Step, names: list[str]) -> Iterator[tuple[Change, Step]]:
    """Yield each fault of a step, and the step with it.

    Args:
        step: a cell or a role.
        names: what the roles of the page use.
    """
    if isinstance(step, PageRole):
        for change in roles.plant(Source(step.expression), names):
            yield change, replace(step, expression=change.applied(step.expression))
        return
    for planter in IN_CELLS:
        for change in planter.plant(Source(step.code)):
            yield change, replace(step, code=change.applied(step.code))
    for change in declared.plant(step.options):
        text = change.applied(step.options["raises"])
        yield change, replace(step, options={**step.options, "raises": text})


def sources(steps: list[Step]) -> list[str]:
    """Return the code of each cell, its white space collapsed."""
    return [" ".join(step.code.split()) for step in steps if isinstance(step, PageCell)]


def verdict(page: Path, reader: Reader, place: int, quoted: list[str]) -> str | None:
    """Read on from a place; return what catches the fault there, or None.

    Args:
        page: the file.
        reader: has read up to the place.
        place: of the step with the fault.
        quoted: what the page's prose quotes from its cells.
    """
    if said := reader.complaint_from(place):
        return f"{CHECK}: {said}"
    for text in quoted:
        if not any(text in source for source in sources(reader.steps)):
            return f"{CHECK}: prose quotes {text}, which no cell holds"
    said = difference(page, reader.shown)
    return said and f"{SHOWN}: {said}"


def judge(page: Path, name: str, chosen: Callable[[], bool]) -> Iterator[Outcome]:
    """Plant every fault of a page, and yield what became of each.

    Args:
        page: the file.
        name: the file, from the project's root.
        chosen: asked once for each fault; whether to plant it.

    Raises:
        AssertionError: When the page complains without a fault in it.
    """
    random.seed(0)
    reader = Reader(page)
    expressions = [step.expression for step in reader.steps if isinstance(step, PageRole)]
    names = sorted(set().union(*map(roles.names_in, expressions)))
    quoted = quotations(page, reader.steps)
    for place, step in enumerate(list(reader.steps)):
        planted = [pair for pair in changes(step, names) if chosen()]

        def read(mutated: Step, place: int = place) -> str | None:
            reader.steps[place] = mutated
            return verdict(page, reader, place, quoted)

        if planted:
            said = in_fork(partial(read, step))
            assert said is None, f"{name}:{step.line}: without a fault, it says {said}"
        for change, mutated in planted:
            yield Outcome(described(change, step, name), in_fork(partial(read, mutated)))
        if isinstance(step, PageCell):
            yield from derived.judge(page, name, reader, place, chosen)
        said = reader.complaint_from(place, place + 1)
        assert said is None, f"{name}:{step.line}: without a fault, it says {said}"


def described(change: Change, step: Step, name: str) -> Mutant:
    """Say what a fault changes, and where on the page."""
    text = step.expression if isinstance(step, PageRole) else step.code
    if change.kind == "error":
        assert isinstance(step, PageCell)
        text = str(step.options["raises"])
    line = text.count("\n", 0, change.start)
    return Mutant(
        name,
        step.line + (0 if change.kind in ("error", "inline") else line),
        change.kind,
        text.splitlines()[line].strip(),
        text[change.start : change.end],
        change.after,
        isinstance(step, PageCell) and "raises" in step.options,
    )
