"""A link into the site that somebody has kept still leads where it led."""

import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, expect

from tests.browser.visiting import Visit

PUBLISHED = Path(__file__).with_name("anchors.txt")
"""Every address that a reader could copy on 2026-11-22: pages, and under each its anchors.

Headings, labels, rows of tables, figures and API objects; not the ids that Sphinx numbers itself.
"""
TODO = (
    "Give the old anchor to what took its place: a label `(old-name)=` above the heading, an id on "
    "the row. Only if nothing did, take it out of tests/browser/anchors.txt and say so in CHANGELOG"
)


def published(text: str) -> dict[str, list[str]]:
    """Return the anchors by page."""
    pages = (part.split() for part in re.split(r"\n(?! )", text) if part)
    return {page: anchors for page, *anchors in pages}


def gone(site: Path, text: str) -> list[str]:
    """Return the addresses that lead nowhere, pages that are not there at all among them."""
    lost = []
    for page, anchors in published(text).items():
        if not (site / page).exists():
            lost.append(page)
            continue
        there = set(re.findall(r'\sid="([^"]+)"', (site / page).read_text(encoding="utf-8")))
        lost += [f"{page}#{anchor}" for anchor in anchors if anchor not in there]
    return lost


def test_every_address_that_was_published_still_leads_somewhere(site: Path) -> None:
    text = PUBLISHED.read_text(encoding="utf-8")
    assert len(published(text)) > 40
    lost = gone(site, text)
    assert not lost, f"{TODO}:\n" + "\n".join(lost)


def test_an_address_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/page.html").write_text(
        '<p id="kept">See id="words" and <b data-id="no"></b></p>'
    )
    text = "a/page.html\n  kept renamed\n  no\nno.html\n  kept\n"
    assert gone(tmp_path, text) == ["a/page.html#renamed", "a/page.html#no", "no.html"]


def moved(page: Path) -> list[Tag]:
    """Return the entries of a page for sections that stand on another page now."""
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select(".elsewhere li")


def test_each_question_of_the_other_pages_is_listed_under_its_old_addresses(site: Path) -> None:
    """A question that came later has none."""
    listed = {str(entry.select("a[href]")[0]["href"]): entry for entry in moved(site / "faq.html")}
    questions = {
        f"{page}#{question['id']}": question
        for page in ("faq-losses.html", "faq-jacobians.html")
        for question in BeautifulSoup(
            (site / page).read_text(encoding="utf-8"), "html.parser"
        ).select("section[id^=faq-]")
    }
    assert len(questions) > 50
    assert listed.keys() == questions.keys()
    for address, question in questions.items():
        old = [span["id"] for span in listed[address].select("span[id]")]
        own = [question["id"], *(span["id"] for span in question.find_all("span", recursive=False))]
        assert old in ([], own)


def test_an_old_address_opens_the_answer(fresh: Visit, site: Path) -> None:
    fresh.go(f"{(site / 'faq.html').as_uri()}#faq-full-jacobian")
    fresh.page.wait_for_url("**/faq-jacobians.html#faq-full-jacobian")
    expect(fresh.page.locator("#faq-full-jacobian details.fold > p").first).to_be_in_viewport()


def test_without_scripts_it_takes_one_click(scriptless: Page, site: Path) -> None:
    scriptless.goto(f"{(site / 'faq.html').as_uri()}#faq-full-jacobian")
    link = scriptless.locator(".elsewhere li:has(#faq-full-jacobian) a")
    expect(link).to_be_in_viewport()
    link.click()
    scriptless.wait_for_url("**/faq-jacobians.html#faq-full-jacobian")
    expect(scriptless.locator("#faq-full-jacobian summary")).to_be_in_viewport()
