"""What faults are planted in: every page, every module of examples and of claims."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.docs.page_cells import steps_of
from tests.docs.reading import Reader
from tests.docs.shown import difference
from tests.mutants import digests, modules, pages
from tests.mutants.mutant import SHOWN, Outcome
from tests.mutants.planting import claimed, numbers, ones, retained, rows, signs
from tests.mutants.source import Source

ROOT = Path(__file__).parents[2]
PLANTED = {
    "vtj/examples": (numbers, signs, rows, ones, retained),
    "vtj_site/sources": (claimed,),
}
Judge = Callable[[Callable[[], bool]], Iterator[Outcome]]


class Target(NamedTuple):
    """One file with mutants.

    Attributes:
        name: the file, from the project's root.
        digest: of what its mutants depend on.
        judge: yields what becomes of the mutants that are chosen.
        part: of the record.
    """

    name: str
    digest: str
    judge: Judge
    part: str = "documentation"


def targets() -> list[Target]:
    """Return all of them, pages first."""
    found = [of_page(page) for page in sorted((ROOT / "docs").rglob("*.md")) if steps_of(page)]
    for folder, plant in PLANTED.items():
        for file in sorted((ROOT / "src" / folder).glob("*.py")):
            if any(
                True for planter in plant for _ in planter.plant(Source(file.read_text("utf-8")))
            ):
                found.append(of_module(file, plant))
    return found


def of_page(page: Path) -> Target:
    """Return the target of a page: its cells, inline roles, formulas and figures."""
    name = page.relative_to(ROOT).as_posix()

    return Target(name, digests.of_page(page), partial(pages.judge, page, name))


def of_module(file: Path, planters: tuple[ModuleType, ...]) -> Target:
    """Return the target of a module of examples or claims."""
    name = file.relative_to(ROOT).as_posix()
    module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
    if file.parent.name == "examples":
        checks = [
            page_check(f"tutorials/{file.stem}.md"),
            modules.doctests(module),
            modules.tests("tests/test_examples.py"),
        ]
    else:
        checks = [page_check("reference/sources.md"), modules.tests("tests/vtj_site")]
    plant = [planter.plant for planter in planters]
    return Target(name, digests.of_module(file), partial(modules.judge, file, plant, checks))


def page_check(page: str) -> modules.Check:
    """Return a check that reads a page with the library as it is then."""

    def check() -> str | None:
        reader = Reader(ROOT / "docs" / page)
        if said := reader.complaint_from(0):
            return said
        said = difference(ROOT / "docs" / page, reader.shown)
        return said and f"{SHOWN}: {said}"

    return check
