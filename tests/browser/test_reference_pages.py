"""The site's own search finds every error message first; tables are filtered by their verdict."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "errors.md"
SECTIONS = re.split(r"^\((?=error-)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
RAISED = re.compile(r"^:raises: (.*)$", re.MULTILINE)


def messages() -> dict[str, str]:
    """Return the label of the first section that explains each message."""
    found: dict[str, str] = {}
    for section in SECTIONS[1:]:
        for declared in RAISED.findall(section):
            found.setdefault(yaml.safe_load(declared), section.partition(")")[0])
    return found


@pytest.fixture(scope="session")
def search_tab(browser: Browser, server: str) -> Iterator[Page]:
    """One page for all searches: to load what is searched takes longer than searching."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server}/search.html")
    yield page
    context.close()


def first_result(tab: Page, text: str) -> tuple[str, str]:
    """Return where the first thing found leads, and its name."""
    text = text.replace("\n", " ")  # as a browser pastes it into a line
    tab.locator("#site-search input").fill(text)
    tab.wait_for_function(
        "(text) => new URLSearchParams(location.search).get('q') === text", arg=text
    )
    link = tab.locator("#site-search ol a").first
    return re.sub(r"\?[^#]*", "", str(link.get_attribute("href"))), link.inner_text()


@pytest.mark.parametrize("message", messages())
def test_a_pasted_message_finds_its_section_first(search_tab: Page, message: str) -> None:
    message_alone = message.partition(": ")[2]
    for text in (message, message_alone):
        found, name = first_result(search_tab, text.partition(" (Triggered")[0])
        assert found.endswith(f"how-to/errors.html#{messages()[message]}")
        assert name


def rows(fresh: Visit) -> list[Any]:
    return fresh.page.locator("table[data-filter] >> nth=0 >> tbody tr:visible").all()


@pytest.fixture
def ledger(fresh: Visit, site: Path) -> Visit:
    fresh.page.goto((site / "reference" / "sources.html").as_uri() + "#claims-blog")
    return fresh


def test_a_table_is_filtered_by_verdict(ledger: Visit) -> None:
    everything = len(rows(ledger))
    ledger.page.locator(".table-filter select").first.select_option("imprecise")
    left = rows(ledger)
    assert 0 < len(left) < everything
    assert {row.get_attribute("data-value") for row in left} == {"imprecise"}
    said = ledger.page.locator(".table-filter output").first.inner_text()
    assert said == f"{len(left)} of {everything} rows"
    ledger.page.locator(".table-filter select").first.select_option("")
    assert len(rows(ledger)) == everything
    assert ledger.errors == []


def test_a_link_to_a_hidden_row_shows_it(ledger: Visit) -> None:
    ledger.page.locator(".table-filter select").first.select_option("imprecise")
    assert not ledger.page.locator("#blog-01").is_visible()
    ledger.page.evaluate("location.hash = '#blog-01'")
    ledger.page.locator("#blog-01").wait_for(state="visible")


def test_without_script_every_row_shows(scriptless: Page, site: Path) -> None:
    page = scriptless
    page.goto((site / "reference" / "sources.html").as_uri())
    assert not page.locator("#by-examples-53").is_visible()
    page.get_by_role("heading", name="The post by examples").click()
    assert page.locator("#by-examples-53").is_visible()
    assert page.locator(".table-filter").count() == 0


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("how-to/errors.html#error-mismatch", "Mismatch in shape: grad_output[…]"),
        ("faq.html#faq-pretend-loss", "as long as v is detached"),
        ("reference/sources.html#by-examples-53", "53"),
        ("reference/outcomes.html#y-3-1", "grad can be implicitly created only for scalar"),
    ],
)
def test_a_link_into_what_is_folded_opens_it(
    fresh: Visit, site: Path, address: str, shown: str
) -> None:
    page, _, anchor = address.partition("#")
    fresh.page.goto((site / page).as_uri())
    target = fresh.page.locator(f"[id='{anchor}']")
    answer = target.get_by_text(shown).first
    assert not answer.is_visible()
    fresh.page.evaluate("anchor => { location.hash = anchor; }", anchor)
    answer.wait_for()
    fresh.page.goto("about:blank")
    fresh.page.goto(f"{(site / page).as_uri()}#{anchor}")
    answer.wait_for()
    fresh.page.wait_for_function(  # scrolling is smooth
        """anchor => {
          const top = document.getElementById(anchor).getBoundingClientRect().top;
          return 0 <= top && top < innerHeight / 2;
        }""",
        arg=anchor,
    )
    assert fresh.page.locator("details.fold[open]").count() == 1
    assert fresh.errors == []
