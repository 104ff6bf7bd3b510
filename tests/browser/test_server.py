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


@pytest.fixture(params=[375, 1440])
def arrived(
    request: pytest.FixtureRequest, browser: Browser, server: str, page_path: str
) -> Iterator[tuple[Visit, dict[str, int]]]:
    """A page fetched with an empty cache, and the size of each answer."""
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    opened = visit(context)
    sizes: dict[str, int] = {}
    opened.page.on(
        "requestfinished",
        lambda asked: sizes.__setitem__(asked.url, asked.sizes()["responseBodySize"]),
    )
    opened.page.goto(f"{server}/{page_path}", wait_until="load")
    yield opened, sizes
    context.close()


def test_a_page_is_complete_light_and_still(
    arrived: tuple[Visit, dict[str, int]], server: str, page_path: str
) -> None:
    opened, sizes = arrived
    moved: float = opened.page.evaluate(MOVED)
    assert opened.errors == []
    assert [url for url in opened.requests if not url.startswith((server, "data:"))] == []
    assert sum(sizes.values()) <= HEAVIEST, sizes
    assert moved < 0.1
