"""A word that is computed opens what it rests on: by a click or a key, with and without scripts."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import Visit

PAGE = "tutorials/accumulation.html"  # whose first mark is a computed word
WORD, OPENED = "button.statement >> nth=0", ".rests-on[popover] >> nth=0"


def test_a_key_opens_and_closes_it_without_scripts(scriptless: Page, site: Path) -> None:
    scriptless.goto((site / PAGE).as_uri())
    expect(scriptless.locator(OPENED)).to_be_hidden()
    scriptless.locator(WORD).focus()
    scriptless.keyboard.press("Enter")
    expect(scriptless.locator(OPENED)).to_be_visible()
    expect(scriptless.locator(OPENED)).to_contain_text("import torch")
    scriptless.keyboard.press("Escape")
    expect(scriptless.locator(OPENED)).to_be_hidden()


def test_it_is_shut_by_a_button_without_scripts(scriptless: Page, site: Path) -> None:
    scriptless.goto((site / PAGE).as_uri())
    scriptless.locator(WORD).click()
    scriptless.locator(OPENED).get_by_role("button", name="Close").click()
    expect(scriptless.locator(OPENED)).to_be_hidden()


@pytest.mark.parametrize("place", [100, 350, 600])
def test_on_a_phone_it_says_what_was_asked_and_leaves_the_word_in_sight(
    fresh: Visit, site: Path, place: int
) -> None:
    page = fresh.page
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto((site / PAGE).as_uri())
    page.evaluate("document.body.style.paddingBlock = '700px'")  # so that it may stand anywhere
    top = page.locator(WORD).evaluate("word => scrollY + word.getBoundingClientRect().top")
    page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", top - place)
    page.locator(WORD).click()
    word, box = page.locator(WORD).bounding_box(), page.locator(OPENED).bounding_box()
    assert word is not None
    assert box is not None
    assert box["height"] < 300
    assert 0 <= box["y"] <= 700 - box["height"]
    assert box["y"] >= word["y"] + word["height"] - 1 or box["y"] + box["height"] <= word["y"] + 1
    expect(page.locator(OPENED)).to_contain_text("Asked: whether")
    code = page.locator(OPENED).get_by_text("import torch")
    expect(code).to_be_hidden()
    page.locator(OPENED).get_by_text("The nearest miss").click()
    expect(code).to_be_visible()
    box = page.locator(OPENED).bounding_box()
    assert box is not None
    assert box["height"] <= 480


@pytest.mark.parametrize("color", ["light", "dark"])
def test_what_it_opens_fits_a_phone_and_can_be_heard(
    fresh: Visit, site: Path, color: Literal["light", "dark"], axe_source: str
) -> None:
    page = fresh.page
    page.set_viewport_size({"width": 375, "height": 700})
    page.emulate_media(color_scheme=color, reduced_motion="reduce")
    page.goto((site / PAGE).as_uri())
    page.locator(WORD).click()
    box = page.locator(OPENED).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.locator(OPENED).evaluate("it => it.scrollWidth <= it.clientWidth")
    page.evaluate(axe_source)
    found = page.evaluate("axe.run('.rests-on').then((said) => said.violations.map((v) => v.id))")
    assert found == []


def test_on_paper_the_word_is_a_word(fresh: Visit, site: Path) -> None:
    page = fresh.page
    page.goto((site / PAGE).as_uri())
    page.emulate_media(media="print")
    expect(page.locator(WORD)).to_be_visible()
    expect(page.locator(OPENED)).to_be_hidden()
