"""At which place the search of a built site finds the section that answers a question."""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from playwright.sync_api import Page

from tests.browser.conftest import ROOT

sys.path.insert(0, str(ROOT / "conf" / "extensions"))
from finding.sections import Section, sections

FOUND = "question => vtjSearch().then(({find}) => find(question).map(({url}) => url))"


@dataclass(frozen=True)
class Query:
    """What somebody types, and the addresses of the sections that answer it."""

    ask: str
    right: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a query found a right section."""

    query: Query
    place: int | None  # 1 for the first result; None where none of them is right
    first: str  # what it found first; empty for nothing


def asked(file: Path) -> list[Query]:
    """Read the queries of a file."""
    read: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [Query(str(one["ask"]), tuple(one["right"])) for one in read]


def places(page: Page, site: Path, queries: list[Query]) -> list[Place]:
    """Ask the search page of a site, opened from disk, each of the queries.

    Raises:
        LookupError: if an address of a query leads to no section of the site.
    """
    page.goto((site / "search.html").as_uri())
    found = []
    for query in queries:
        right = {address for one in query.right for address in reached(site, one)}
        results: list[str] = page.evaluate(FOUND, query.ask)
        place = next((i for i, url in enumerate(results, 1) if url in right), None)
        found.append(Place(query, place, results[0] if results else ""))
    return found


def reached(site: Path, address: str) -> list[str]:
    """Return the section that an address leads to; for that of a page alone, all its sections."""
    name, _, anchor = address.partition("#")
    there = read(site / name)
    found = [f"{name}#{one.anchor}" for one in there if not anchor or anchor in one.ids]
    if not found:
        raise LookupError(f"{address} leads to no section of {site}")
    return found


@cache
def read(file: Path) -> list[Section]:
    """Return the sections of a page, none if there is no such file: read once for all queries."""
    return sections(file.read_text(encoding="utf-8")) if file.exists() else []


def table(found: list[Place]) -> str:
    """Return a line for each query that does not find its section first, and the shares."""
    lines = [
        f"{one.place or '-':>3}  {one.query.ask[:60]!r} found {one.first or 'nothing'}"
        for one in found
        if one.place != 1
    ]
    shares = [
        f"{reached_by(found, most)} of {len(found)} {name}"
        for most, name in ((1, "first"), (3, "among the first three"), (20, "found at all"))
    ]
    return "\n".join([*lines, ", ".join(shares)])


def reached_by(found: list[Place], most: int) -> int:
    """Return how many queries found a right section among that many results."""
    return sum(one.place is not None and one.place <= most for one in found)
