"""Graphs that go step by step, in Chromium: every step as it is told, and everyone can use it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit, visit

PAGES = ("tutorials/relay.html", "explanation/life-of-a-graph.html")
VIOLATIONS = """axe.run(".vtj-figure:has(vtj-steps)", { preload: false }).then((results) =>
  results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} ${node.html.slice(0, 200)}`)))"""
BY_STEP = """(svg) => [...svg.querySelectorAll("text")].filter((text) =>
  getComputedStyle(text).display !== "none").map((text) => text.textContent)"""


@pytest.fixture
def relay(browser: Browser, site: Path) -> Iterator[Visit]:
    context = browser.new_context(reduced_motion="reduce")
    opened = visit(context)
    opened.page.goto((site / PAGES[0]).as_uri())
    yield opened
    assert opened.errors == []
    context.close()


def told(page: Page) -> str:
    """The one step that shows."""
    shown = page.locator("vtj-steps li:visible")
    assert shown.count() == 1
    return shown.inner_text().replace("\n\n", "\n")


def test_a_step_shows_what_has_come_so_far_and_nothing_else(relay: Visit) -> None:
    page = relay.page
    drawing = page.locator(".vtj-figure:has(vtj-steps) svg")
    assert told(page).startswith("y.backward(v): v = [1, 10] arrives at y.")
    seen = drawing.evaluate(BY_STEP)
    assert [text for text in seen if text.startswith("↑")] == ["↑ [1, 10]"]
    assert "keeps 3, 4" in seen
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    assert told(page).splitlines() == [
        "mul gets 10 and sends 40 to hidden[1] and 30 to hidden[2].",
        "10 × 4 = 40 → hidden[1]",
        "10 × 3 = 30 → hidden[2]",
        "Then it frees hidden[1] = 3 and hidden[2] = 4.",
    ]
    assert drawing.locator("path.steps-on").count() == 2
    page.get_by_role("button", name="Next").click()
    assert "keeps 3, 4" not in drawing.evaluate(BY_STEP)


def test_the_last_step_is_the_gradient_and_back_leads_to_forward(relay: Visit) -> None:
    page = relay.page
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("End")
    assert told(page).startswith("x gets [44, 163], the sum of 5 parts, and backward adds it")
    assert page.get_by_role("button", name="Next").is_disabled()
    page.keyboard.press("Home")
    assert told(page).startswith("Forward: x = [1, 2] goes down to y = [8, 12]")
    assert page.get_by_role("button", name="Back").is_disabled()


def test_by_keyboard_alone_every_step_can_be_reached_and_is_heard(relay: Visit) -> None:
    page = relay.page
    count = page.locator("vtj-steps li").count()
    page.get_by_role("button", name="Next").focus()
    for step in range(2, count):
        page.keyboard.press("Enter")
        sentence = told(page).splitlines()[0]
        heard = page.locator("vtj-steps [role=status]").text_content()
        assert heard == f"{step + 1} of {count}: {sentence}"
        slider = page.get_by_role("slider", name="Step")
        assert slider.get_attribute("aria-valuetext") == f"{step + 1} of {count}"
    order = []
    page.get_by_role("button", name="Back").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.textContent || 'slider'"))
    assert order == ["Play", "slider"]


def test_the_address_holds_the_step_of_each_graph(relay: Visit, site: Path) -> None:
    page = relay.page
    page.get_by_role("button", name="Next").click()
    assert page.url.endswith("#step=2")
    page.goto((site / PAGES[1]).as_uri() + "#step=5&graph=2")
    second = page.locator("vtj-steps").nth(1)
    assert second.locator("li:visible").inner_text().startswith("x[1] gets 2 and sends [0, 2]")
    first = page.locator("vtj-steps").nth(0)
    assert first.locator("li:visible").inner_text().startswith("y.backward(v)")
    page.evaluate("location.hash = '#step=0'")
    first.get_by_text("Forward:").wait_for(state="visible")
    assert second.locator("li:visible").inner_text().startswith("x[1] gets 2")


def test_the_address_holds_the_explorer_of_the_same_page_too(relay: Visit, site: Path) -> None:
    page = relay.page
    page.goto((site / "index.html").as_uri())
    page.locator("vtj-steps").get_by_role("button", name="Next").click()
    page.get_by_label("Predict first").check()
    page.wait_for_url(re.compile("#f=three_outputs_stacked&x=1,2&v=1,10,100&predict&step=2$"))
    at = page.evaluate("scrollY")
    page.reload()
    assert page.get_by_label("Predict first").is_checked()
    assert page.get_by_role("slider", name="Step").input_value() == "2"
    assert page.evaluate("scrollY") == at  # the explorer was used last
    page.locator("vtj-steps").get_by_role("button", name="Next").click()
    assert page.url.endswith("#step=3&f=three_outputs_stacked&x=1,2&v=1,10,100&predict")


@pytest.mark.parametrize("address", ["#step=99", "#step=a", "#end-to-end", "#step=3&graph=7"])
def test_an_address_that_makes_no_sense_changes_nothing(
    relay: Visit, site: Path, address: str
) -> None:
    relay.page.goto((site / PAGES[0]).as_uri() + address)
    relay.page.reload()
    assert told(relay.page).startswith("y.backward(v)")


def test_it_plays_to_the_end_and_can_be_paused(relay: Visit) -> None:
    page = relay.page
    page.clock.install()
    page.reload()
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1700)
    assert page.url.endswith("#step=2")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    assert page.url.endswith("#step=2")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    assert told(page).startswith("x gets [44, 163]")
    assert page.get_by_role("button", name="Play").is_visible()


def test_a_box_leads_to_its_step(relay: Visit) -> None:
    relay.page.locator(".vtj-figure:has(vtj-steps) rect").first.click(position={"x": 4, "y": 4})
    assert told(relay.page).startswith("x gets [44, 163]")


def test_motion_is_for_those_who_want_it(relay: Visit) -> None:
    page = relay.page
    page.evaluate(
        """() => {
          window.moved = 0;
          Element.prototype.animate = () => { window.moved += 1; };
        }"""
    )
    page.get_by_role("button", name="Next").click()
    assert page.evaluate("window.moved") == 0
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("button", name="Next").click()
    assert page.evaluate("window.moved") > 0


def test_on_a_phone_the_words_stand_beneath_the_box_they_speak_of(relay: Visit) -> None:
    page = relay.page
    page.set_viewport_size({"width": 375, "height": 700})
    page.add_style_tag(content="html { scroll-behavior: auto !important; }")
    page.locator("vtj-steps").scroll_into_view_if_needed()
    for _ in range(12):
        page.get_by_role("button", name="Next").click()
        box = page.locator("rect.steps-on").bounding_box()
        buttons = page.locator(".steps-bar").bounding_box()
        words = page.locator("vtj-steps li:visible").bounding_box()
        assert box is not None
        assert buttons is not None
        assert words is not None
        assert box["y"] >= 0
        # the numbers that it sends stand above it: it was these that came into sight
        assert box["y"] + box["height"] <= buttons["y"]
        assert words["y"] < 700
        assert page.evaluate("document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
def test_accessible_at_every_step(
    relay: Visit, axe_source: str, theme: Literal["light", "dark"], width: int
) -> None:
    page = relay.page
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(axe_source)
    found = []
    for _ in range(0, page.locator("vtj-steps li").count() - 2, 3):
        found += page.evaluate(VIOLATIONS)
        for _ in range(3):
            if page.get_by_role("button", name="Next").is_enabled():
                page.get_by_role("button", name="Next").click()
    assert found == []


@pytest.mark.parametrize("path", PAGES)
def test_without_scripts_all_steps_stand_there(scriptless: Page, site: Path, path: str) -> None:
    scriptless.goto((site / path).as_uri())
    steps = scriptless.locator("vtj-steps li")
    assert steps.count() > 3
    assert all(steps.nth(i).is_visible() for i in range(steps.count()))
    assert scriptless.locator("vtj-steps button").count() == 0
    assert "↑ [" in scriptless.locator(".vtj-figure:has(vtj-steps) svg").first.text_content()


def test_on_paper_all_steps_stand_there_and_no_button(relay: Visit) -> None:
    page = relay.page
    page.emulate_media(media="print")
    steps = page.locator("vtj-steps li")
    assert all(steps.nth(i).is_visible() for i in range(steps.count()))
    assert not page.get_by_role("button", name="Next").is_visible()
    texts = page.locator(".vtj-figure:has(vtj-steps) svg").evaluate(BY_STEP)
    assert {"↑ [44, 163]", "keeps 3, 4", "v = [1, 10]"} <= set(texts)


def test_script_and_style_are_small_and_loaded_where_they_are_needed(site: Path) -> None:
    files = [site / "_static" / name for name in ("steps.js", "steps.css")]
    assert sum(file.stat().st_size for file in files) <= 9_000
    html = (site / PAGES[0]).read_text(encoding="utf-8")
    assert re.search(r"_static/steps\.js", html)
    assert "customElements" not in html
    assert "steps.js" not in (site / "faq.html").read_text(encoding="utf-8")
