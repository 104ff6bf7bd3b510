"""Every page, from a server and under a path: complete, light, and nothing moves."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.visiting import Visit, visit

HEAVIEST = 300_000  # bytes, uncompressed: all that one page makes a browser load
MOVED = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  document.fonts.ready.then(() => setTimeout(() => done(sum), 100));
})"""


@pytest.fixture(scope="session")
def server_tab(browser: Browser) -> Iterator[tuple[Visit, dict[str, int]]]:
    """One tab for all pages, that keeps nothing in a cache; and the size of each answer."""
    context = browser.new_context()
    opened = visit(context)
    context.new_cdp_session(opened.page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    opened.page.on(
        "requestfinished",
        lambda asked: sizes.__setitem__(asked.url, asked.sizes()["responseBodySize"]),
    )
    yield opened, sizes
    context.close()


@pytest.mark.parametrize("width", [375, 1440])
def test_a_page_is_complete_light_and_still(
    server_tab: tuple[Visit, dict[str, int]], server: str, page_path: str, width: int
) -> None:
    opened, sizes = server_tab
    sizes.clear()
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.go(f"{server}/{page_path}")
    moved: float = opened.page.evaluate(MOVED)
    assert opened.errors == []
    assert [url for url in opened.requests if not url.startswith((server, "data:"))] == []
    assert f"{server}/{page_path}" in sizes
    assert sum(sizes.values()) <= HEAVIEST, sizes
    assert moved < 0.1
