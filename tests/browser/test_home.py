"""The first screen of the front page: the answer, the example with its output, four doors."""

from pathlib import Path

import pytest

from tests.browser.visiting import Visit

SCREENS = [(375, 635), (1440, 800)]  # what the browser's own bars leave of a phone and a laptop


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_first_screen_holds_the_answer_an_example_and_four_doors(
    fresh: Visit, site: Path, width: int, height: int
) -> None:
    page = fresh.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto((site / "index.html").as_uri())
    article = page.locator("article")
    doors = article.locator(".doors .sd-card")
    assert doors.count() == 4
    for shown in (
        article.locator("p").first,
        article.locator(".cell_input").first,
        article.locator(".cell_output").first,
        *doors.all(),
    ):
        box = shown.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
    assert "1240" in article.locator(".cell_output").first.inner_text()


def test_the_doors_lead_to_the_four_kinds_of_page(fresh: Visit, site: Path) -> None:
    fresh.page.goto((site / "index.html").as_uri())
    links = fresh.page.locator(".doors a").evaluate_all("all => all.map(a => a.href)")
    assert [link.removeprefix(f"{site.as_uri()}/") for link in links] == [
        "tutorials/index.html",
        "how-to/errors.html",
        "explanation/index.html",
        "reference/index.html",
    ]
