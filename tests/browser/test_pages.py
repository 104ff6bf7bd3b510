"""Every page, from disk: accessible, quiet, in its own folder, as wide as the screen."""

from pathlib import Path
from typing import Any, Literal

from bs4 import BeautifulSoup

from tests.browser.visiting import Visit

GENERATED = ("genindex.html", "py-modindex.html", "search.html")

CONTRAST = (Path(__file__).parent / "svg_contrast.js").read_text(encoding="utf-8")


def look(visit: Visit, theme: Literal["light", "dark"], width: int) -> None:
    visit.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.evaluate(
        """() => new Promise((done) => {
          document.querySelectorAll("details").forEach((details) => { details.open = true; });
          // Size observers run in the frame after the layout.
          requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
        })"""
    )


def test_it_can_be_seen_and_heard(
    disk_page: Visit, theme: Literal["light", "dark"], width: int, axe_source: str
) -> None:
    page = disk_page.page
    look(disk_page, theme, width)
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source)
    found: list[dict[str, Any]] = page.evaluate(
        """axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
          resultTypes: ["violations"],
          preload: false,
        }).then((results) => results.violations)"""
    )
    violations = [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]
    faint = page.evaluate(CONTRAST)  # text of figures
    too_wide = max(0, page.evaluate("document.documentElement.scrollWidth") - width)
    assert (violations, faint, too_wide) == ([], [], 0)


def test_no_error_and_no_request_outside_the_folder(disk_page: Visit, site: Path) -> None:
    assert disk_page.errors == []
    outside = [
        url for url in disk_page.requests if not url.startswith((site.as_uri(), "data:", "blob:"))
    ]
    assert outside == []


def test_one_heading_a_title_and_a_description(disk_page: Visit) -> None:
    assert disk_page.page.locator("h1").count() == 1
    assert disk_page.page.title()
    description = disk_page.page.locator("meta[name=description]")
    assert len(description.get_attribute("content") or "") >= 10


def test_every_heading_row_and_figure_has_an_address_and_a_link_to_it(
    site: Path, page_path: str
) -> None:
    soup = BeautifulSoup((site / page_path).read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article")
    if article is None or page_path in GENERATED:
        assert page_path in GENERATED
        return
    parts = article.select("section > :is(h1, h2, h3, h4), section > details > summary > h3")
    assert parts
    parts += article.select("tbody tr, .vtj-figure")
    assert len(article.select("svg[role=img]")) == len(article.select(".vtj-figure > svg"))
    for part in parts:
        holder = part if part.get("id") else part.find_parent("section")
        assert holder is not None
        assert part.select(f'a[href="#{holder["id"]}"]'), part
