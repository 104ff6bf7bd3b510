"""Faults in what a cell derives or draws: its formulas and its figures, one at a time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.docs.reading import Reader
from tests.docs.shown import approved, difference
from tests.mutants.forks import in_fork
from tests.mutants.mutant import CHECK, SHOWN, Mutant, Outcome
from tests.mutants.planting.coefficients import WHERE, Coefficients
from tests.mutants.planting.coordinates import Coordinates

NONE = -1


def judge(
    page: Path, name: str, reader: Reader, place: int, chosen: Callable[[], bool]
) -> Iterator[Outcome]:
    """Plant a fault in y and in J of each formula of a cell, and move each thing that it draws.

    No cell uses what another one derives or draws, so none but this one is run.

    Args:
        page: the file.
        name: the file, from the project's root.
        reader: has read up to the cell.
        place: of the cell among the reader's steps.
        chosen: asked once for each fault; whether to plant it.
    """
    line = reader.steps[place].line
    *formulas, shapes = in_fork(partial(counts, reader, place))
    for where, count in zip(WHERE, formulas, strict=True):
        for number in range(count):
            if chosen():
                text = f"{where} of formula {number + 1}"
                fault = Coefficients(where, number)
                caught = in_fork(partial(verdict, page, reader, place, fault))
                yield Outcome(Mutant(name, line, "formula", text, "a", "a + 1"), caught)
    for number in range(shapes):
        if chosen():
            text = f"shape {number + 1}"
            caught = in_fork(partial(verdict, page, reader, place, Coordinates(number)))
            yield Outcome(Mutant(name, line, "figure", text, "at x", "elsewhere"), caught)


def counts(reader: Reader, place: int) -> list[int]:
    """Return how many formulas of y and of J a cell derives, and how much it draws."""
    counters = [*(Coefficients(where, NONE) for where in WHERE), Coordinates(NONE)]
    with ExitStack() as stack:
        for counter in counters:
            stack.enter_context(counter.planted())
        reader.complaint_from(place, place + 1)
    return [counter.count for counter in counters]


def verdict(
    page: Path, reader: Reader, place: int, fault: Coefficients | Coordinates
) -> str | None:
    """Run a cell with a fault in it; return what catches it, or None."""
    with fault.planted():
        said = reader.complaint_from(place, place + 1)
    if said:
        return f"{CHECK}: {said}"
    above = {name: text for name, text in approved(page).items() if name in reader.shown}
    said = difference(page, reader.shown, above)
    return said and f"{SHOWN}: {said}"
