"""A link into the site that somebody has kept still leads where it led."""

import re
from pathlib import Path

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
