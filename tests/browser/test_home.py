"""The first screen of the front page: one sentence, the picture, two ways on."""

import re
from pathlib import Path

import pytest

from tests.browser.visiting import Visit

SCREENS = [(375, 635), (768, 900), (1440, 800), (1920, 950)]
"""What the browser's own bars leave of a phone, a tablet, a laptop and a large screen."""


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_first_screen_holds_the_answer_the_picture_and_two_ways_on(
    fresh: Visit, site: Path, width: int, height: int
) -> None:
    page = fresh.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto((site / "index.html").as_uri())
    article = page.locator("article")
    ways = article.locator(".ways a")
    assert ways.count() == 2
    sentence, picture = article.locator("p").first, article.locator(".vtj-motif svg")
    for shown in (sentence, picture, *ways.all()):
        box = shown.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
    assert ". " not in sentence.inner_text()
    assert "1240" in (picture.text_content() or "")


def test_the_picture_shows_what_the_cell_beneath_prints(fresh: Visit, site: Path) -> None:
    fresh.page.goto((site / "index.html").as_uri())
    printed = fresh.page.locator("article .cell_output").first.inner_text()
    said = fresh.page.locator(".vtj-motif desc").text_content() or ""
    grad = re.findall(r"\d+", said.partition("x.grad")[2])
    assert grad == re.findall(r"\d+", printed)


def test_the_ways_lead_to_the_first_page_and_to_errors(fresh: Visit, site: Path) -> None:
    fresh.page.goto((site / "index.html").as_uri())
    for place, leads in {
        ".ways": ["tutorials/index.html", "how-to/errors.html"],
        ".doors": [
            "tutorials/index.html",
            "how-to/errors.html",
            "explanation/index.html",
            "reference/index.html",
        ],
    }.items():
        links = fresh.page.locator(f"{place} a").evaluate_all("all => all.map(a => a.href)")
        assert [link.removeprefix(f"{site.as_uri()}/") for link in links] == leads


def test_the_picture_moves_for_those_who_want_it(fresh: Visit, site: Path) -> None:
    motion = "getComputedStyle(document.querySelector('.vtj-motif [data-since]')).animationName"
    for wish, moves in (("no-preference", "vtj-come"), ("reduce", "none")):
        fresh.page.emulate_media(reduced_motion=wish)  # type: ignore[arg-type]
        fresh.page.goto((site / "index.html").as_uri())
        assert fresh.page.evaluate(motion) == moves


def test_a_search_result_and_a_phone_know_the_site(fresh: Visit, site: Path) -> None:
    fresh.page.goto((site / "index.html").as_uri())
    assert fresh.page.title() == "vtj: what y.backward(gradient=v) does in PyTorch"
    for kind in ("icon", "apple-touch-icon"):
        href = fresh.page.locator(f"link[rel={kind}]").get_attribute("href")
        assert (site / (href or "")).is_file(), kind
    assert (site / "_static" / "social-card.png").is_file()
    marks = fresh.page.locator(".sidebar-brand .mark, .mobile-header .mark")
    assert marks.count() == 2


def test_an_address_that_leads_nowhere_has_a_page_that_leads_on(fresh: Visit, site: Path) -> None:
    fresh.page.goto((site / "404.html").as_uri())
    links = fresh.page.locator("article li a").evaluate_all("all => all.map(a => a.href)")
    assert len(links) == 4
    for link in links:
        assert (site / link.removeprefix(f"{site.as_uri()}/")).is_file(), link
