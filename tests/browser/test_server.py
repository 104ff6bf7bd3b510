"""Every page, from a server and under a path: complete, light, and nothing moves."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ROOT
from tests.browser.visiting import Visit, visit

# Bytes, uncompressed: of a page, and of all the files that it loads, which other pages load too.
HEAVIEST = 300_000
MOVED = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  document.fonts.ready.then(() => setTimeout(() => done(sum), 100));
})"""


SHEET = re.compile(r'<link rel="stylesheet"[^>]* href="(?:[^"]*/)?([^"/?]+\.css)')


def test_each_of_our_style_sheets_is_sent_to_some_page(site: Path) -> None:
    """Which pages get it is told from their content: with a wrong sign, none does."""
    pages = [page.read_text(encoding="utf-8") for page in site.rglob("*.html")]
    sent = {name for page in pages for name in SHEET.findall(page)}
    assert {sheet.name for sheet in (ROOT / "conf" / "static").glob("*.css")} - sent == set()


@pytest.fixture(scope="session")
def server_tab(browser: Browser) -> Iterator[Visit]:
    """One tab for all pages."""
    context = browser.new_context()
    yield visit(context)
    context.close()


@pytest.mark.parametrize("width", [375, 1440])
def test_a_page_is_complete_light_and_still(
    server_tab: Visit, server: str, site: Path, page_path: str, width: int
) -> None:
    opened = server_tab
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.go(f"{server}/{page_path}")
    moved: float = opened.page.evaluate(MOVED)
    assert opened.errors == []
    assert [url for url in opened.requests if not url.startswith((server, "data:"))] == []
    loaded = opened.weight(site, server)
    assert loaded.pop(page_path) <= HEAVIEST
    assert 0 < sum(loaded.values()) <= HEAVIEST, loaded
    assert moved < 0.1
