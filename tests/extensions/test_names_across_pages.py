"""An incremental build leaves no old name on a page that it did not read."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from names_across_pages import SHOWN, names

from tests.extensions.conftest import Build

PLACE = "# The place\n\n(here)=\n## A section\n\nText.\n"
OTHER = "# Other\n\nSee {ref}`here`.\n"
CONFIG = {"extensions": ["myst_nb", "names_across_pages"], "nb_execution_mode": "off"}


@pytest.fixture
def old(build: Build, tmp_path: Path) -> Path:
    """Build two pages, one of which names the other's section; return the page that does."""
    assert build("names_across_pages", config=CONFIG, place=PLACE, other=OTHER) == ""
    page = tmp_path / "html" / "other.html"
    assert "A section" in page.read_text(encoding="utf-8")
    page.write_text("as it was, A section", encoding="utf-8")
    return page


@pytest.mark.parametrize("old_name", ["The place", "A section"])
def test_a_new_name_reaches_every_page(old_name: str, old: Path, build: Build) -> None:
    pages = {"place": PLACE.replace(old_name, "What is new"), "other": OTHER}
    assert build("names_across_pages", config=CONFIG, fresh=False, **pages) == ""
    assert "What is new" in old.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:.*MystReferenceResolver.app' is deprecated")
def test_a_new_name_of_a_section_without_a_label_does_too(build: Build, tmp_path: Path) -> None:
    config = CONFIG | {"myst_heading_anchors": 2}
    pages = {
        "place": "# The place\n\n## A section\n",
        "other": "# Other\n\n[](place.md#a-section)\n",
    }
    assert build("names_across_pages", config=config, **pages) == ""
    assert "A section" in (page := tmp_path / "html/other.html").read_text(encoding="utf-8")
    pages["place"] = pages["place"].replace("A section", "A Section!")
    assert build("names_across_pages", config=config, fresh=False, **pages) == ""
    assert "A Section!" in page.read_text(encoding="utf-8")


class Later(str):
    """Text as Sphinx has it until a language is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"i{super().__repr__()}"


def digest(domain: str, kind: str, entries: dict[str, tuple[object, ...]]) -> str:
    """Return the digest of names of which only some entries of a domain are there."""
    environment: Any = SimpleNamespace(titles={}, toctree_includes={}, metadata={})
    environment.domaindata = {name: {kind: {} for kind in SHOWN[name]} for name in SHOWN}
    environment.domaindata[domain][kind] = entries
    return names(environment)


def test_names_that_are_translated_when_written_are_the_same_names() -> None:
    now, later = (
        digest("std", "labels", {"genindex": ("genindex", "", title)})
        for title in ("Index", Later("Index"))
    )
    assert now == later


def test_equations_that_trade_numbers_are_other_names() -> None:
    before = digest("math", "objects", {"first": ("page", 1), "second": ("page", 2)})
    after = digest("math", "objects", {"first": ("page", 2), "second": ("page", 1)})
    assert before != after


def test_a_new_text_is_written_on_its_page_alone(old: Path, build: Build) -> None:
    pages = {"place": PLACE.replace("Text", "Words"), "other": OTHER}
    assert build("names_across_pages", config=CONFIG, fresh=False, **pages) == ""
    assert old.read_text(encoding="utf-8") == "as it was, A section"
    assert "Words" in old.with_name("place.html").read_text(encoding="utf-8")
