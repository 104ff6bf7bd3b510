"""The site without a mouse, and on paper."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.visiting import Visit


@pytest.fixture
def home(fresh: Visit, site: Path) -> Visit:
    fresh.page.set_viewport_size({"width": 375, "height": 800})
    fresh.page.goto((site / "index.html").as_uri())
    return fresh


def test_the_navigation_opens_and_shuts_by_keyboard(home: Visit) -> None:
    page = home.page
    button = page.get_by_role("button", name="Site navigation")
    drawer = page.locator(".sidebar-drawer")
    assert button.get_attribute("aria-expanded") == "false"
    assert not drawer.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.closest('.sidebar-drawer')")
    assert button.get_attribute("aria-expanded") == "true"
    assert drawer.is_visible()
    page.keyboard.press("Escape")
    page.wait_for_function("document.activeElement.matches('button.nav-overlay-icon')")
    assert button.get_attribute("aria-expanded") == "false"
    page.wait_for_timeout(400)
    assert not drawer.is_visible()


def test_a_shut_navigation_takes_no_tab_stops(home: Visit) -> None:
    page = home.page
    for _ in range(12):
        page.keyboard.press("Tab")
        assert not page.evaluate("!!document.activeElement.closest('.sidebar-drawer')")


def test_the_navigation_still_opens_by_mouse(home: Visit) -> None:
    home.page.locator("button.nav-overlay-icon").click()
    home.page.wait_for_timeout(400)
    assert home.page.locator(".sidebar-drawer").is_visible()
    home.page.locator("label.sidebar-overlay").click(position={"x": 360, "y": 400})
    home.page.wait_for_timeout(400)
    assert not home.page.locator(".sidebar-drawer").is_visible()


def test_without_javascript_the_navigation_is_there(site: Path, scriptless: Page) -> None:
    scriptless.set_viewport_size({"width": 375, "height": 800})
    scriptless.goto((site / "index.html").as_uri())
    scriptless.locator("label.nav-overlay-icon").click()
    scriptless.wait_for_timeout(400)
    assert scriptless.locator(".sidebar-drawer").is_visible()


def test_what_is_focused_is_seen(home: Visit) -> None:
    page = home.page
    for _ in range(15):
        page.keyboard.press("Tab")
        style = page.evaluate(
            """() => {
              const focused = document.activeElement;
              const style = getComputedStyle(focused);
              return [style.outlineStyle, style.outlineWidth, focused.outerHTML.slice(0, 80)];
            }"""
        )
        assert style[0] != "none", style
        assert style[1] != "0px", style


def test_on_paper_there_is_no_furniture_and_nothing_is_cut(home: Visit) -> None:
    page = home.page
    page.emulate_media(media="print", color_scheme="dark")
    for furniture in (".mobile-header", ".sidebar-drawer", ".toc-drawer", ".skip-to-content"):
        assert not page.locator(furniture).is_visible(), furniture
    paper, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert paper == "rgb(255, 255, 255)"
    assert ink == "rgb(0, 0, 0)"
    cut = page.evaluate(
        """[...document.querySelectorAll("pre")].filter((pre) =>
             getComputedStyle(pre).whiteSpace !== "pre-wrap").length"""
    )
    assert cut == 0
