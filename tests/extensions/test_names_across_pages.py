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


class Later(str):
    """Text as Sphinx has it until a language is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"i{super().__repr__()}"


def test_names_that_are_translated_when_written_are_the_same_names() -> None:
    digests = []
    for title in ("Index", Later("Index")):
        environment: Any = SimpleNamespace(titles={}, toctree_includes={}, metadata={})
        environment.domaindata = {name: {kind: {} for kind in SHOWN[name]} for name in SHOWN}
        environment.domaindata["std"]["labels"] = {"genindex": ("genindex", "", title)}
        digests.append(names(environment))
    assert digests[0] == digests[1]


def test_a_new_text_is_written_on_its_page_alone(old: Path, build: Build) -> None:
    pages = {"place": PLACE.replace("Text", "Words"), "other": OTHER}
    assert build("names_across_pages", config=CONFIG, fresh=False, **pages) == ""
    assert old.read_text(encoding="utf-8") == "as it was, A section"
    assert "Words" in old.with_name("place.html").read_text(encoding="utf-8")
