"""The cheat sheet prints on one sheet of A4, whole."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.visiting import Visit

A4_WIDTH, A4_HEIGHT, MARGIN = 210, 297, 12  # millimeters
PIXEL = 25.4 / 96


def sheets(page: Page) -> int:
    """Print a page and count the sheets."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


@pytest.fixture
def cheat_sheet(fresh: Visit, site: Path) -> Page:
    fresh.page.goto((site / "reference" / "cheat-sheet.html").as_uri())
    return fresh.page


def test_it_prints_on_one_sheet(cheat_sheet: Page) -> None:
    assert sheets(cheat_sheet) == 1


def test_a_few_more_rows_would_be_noticed(cheat_sheet: Page) -> None:
    cheat_sheet.evaluate(
        "() => { const table = document.querySelector('section#cheat-sheet table + table, table');"
        " for (let i = 0; i < 40; i++) table.append(table.rows[1].cloneNode(true)); }"
    )
    assert sheets(cheat_sheet) > 1


def test_nothing_is_cut_off_at_the_side(cheat_sheet: Page) -> None:
    printed = int((A4_WIDTH - 2 * MARGIN) / PIXEL)
    cheat_sheet.set_viewport_size({"width": printed, "height": int(A4_HEIGHT / PIXEL)})
    cheat_sheet.emulate_media(media="print")
    wide = cheat_sheet.evaluate(
        "() => Math.max(...[...document.querySelectorAll('section#cheat-sheet table')]"
        ".map(table => table.getBoundingClientRect().right))"
    )
    assert wide <= printed
