"""Every page, from disk: accessible, quiet, in its own folder, as wide as the screen."""

import json
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page

from tests.browser.conftest import THEMES, WIDTHS
from tests.browser.visiting import Visit

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
EVERY = f"runOnly: {json.dumps(TAGS)}"
GENERATED = ("404.html", "genindex.html", "py-modindex.html", "search.html")

CONTRAST = (Path(__file__).parent / "svg_contrast.js").read_text(encoding="utf-8")

OVERLAPS = """() => [...document.querySelectorAll("td, th")].filter((cell) => {
  const next = cell.nextElementSibling;
  if (!next || getComputedStyle(cell).display !== "table-cell") return false;
  const edge = next.getBoundingClientRect().left + 1;
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    // The sign of a row's link takes no room until a mouse points at the row.
    if (texts.currentNode.parentElement.closest(".headerlink")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const boxes = [...range.getClientRects()];
    if (boxes.some((box) => box.width && box.height && box.right > edge)) return true;
  }
  return false;
}).map((cell) => cell.textContent.trim())"""  # cells whose text runs over the next one


FEWER_TOKENS = """() => {
  const seen = new Set(), around = new Map();
  const kind = (cell) => {
    const names = [];
    for (let box = cell; box; box = box.parentElement) names.push(box.className);
    return names.join("/");
  };
  for (const token of document.querySelectorAll("pre span[class]:not([id])")) {
    if (token.children.length) continue;
    const cell = token.closest("pre");
    if (!around.has(cell)) around.set(cell, kind(cell));
    const alike = `${token.className} ${around.get(cell)}`;
    if (seen.has(alike)) token.replaceWith(...token.childNodes);
    seen.add(alike);
  }
}"""  # of the tokens of code that have one color, the first: axe asks each, a third of its time


FIRST_OF_ITS_COLORS = """() => {
  const kinds = new Map([[null, ""]]), seen = new Set();
  const kind = (box) => {
    if (!kinds.has(box)) {
      const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight }
        = getComputedStyle(box);
      const own = [color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight];
      kinds.set(box, [kind(box.parentElement), box.localName, ...own].join());
    }
    return kinds.get(box);
  };
  for (const box of document.querySelectorAll("body, body *")) {
    box.toggleAttribute("data-first", !seen.has(kind(box)));
    seen.add(kind(box));
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-first]" }] });
}"""  # of the texts that stand alike on grounds alike, the first: to ask each takes twice as long


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


def looked_at(theme: str, width: int, of_its_kind: bool) -> bool:
    """Say whether axe can find in a look at a page what no other look at it finds.

    A theme changes colors alone. In the article, they are the same at both widths; around it, they
    are the same on all pages, so one page of each kind is looked at in both themes at both widths.
    """
    return of_its_kind or (theme, width) in {("light", 1440), ("dark", 375)}


def violations(page: Page, axe_source: str, chosen: str = EVERY) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source)
    page.evaluate(FEWER_TOKENS)
    page.evaluate(FIRST_OF_ITS_COLORS)
    found: list[dict[str, Any]] = page.evaluate(
        f"""axe.run(document, {{ {chosen}, resultTypes: ["violations"], preload: false }})
          .then((results) => results.violations)"""
    )
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def test_it_can_be_seen_and_heard(
    disk_page: Visit,
    page_path: str,
    kinds: list[str],
    theme: Literal["light", "dark"],
    width: int,
    axe_source: str,
) -> None:
    page = disk_page.page
    look(disk_page, theme, width)
    looked = looked_at(theme, width, page_path in kinds)
    seen = violations(page, axe_source) if looked else []
    faint = page.evaluate(CONTRAST)  # text of figures
    over = page.evaluate(OVERLAPS)
    too_wide = max(0, page.evaluate("document.documentElement.scrollWidth") - width)
    assert (seen, faint, over, too_wide) == ([], [], [], 0)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("<style>p { color: #ccc; background: #fff }</style>", "color-contrast"),
        (
            "<style>@media (prefers-color-scheme: dark) { p { color: #333 } body"
            " { background: #222 } }</style>",
            "color-contrast",
        ),
        ("<style>.kw { color: #ccc; background: #fff }</style>", "color-contrast"),
        ("<style>p + p { color: #ccc; background: #fff }</style>", "color-contrast"),
        ("<style>@media (max-width: 400px) { i { display: none } }</style>", "button-name"),
        ("<style>@media (min-width: 400px) { i { display: none } }</style>", "button-name"),
    ],
    ids=[
        "faint",
        "faint in the dark",
        "faint in code",
        "faint in the second of two",
        "nameless on a phone",
        "nameless on a desk",
    ],
)
def test_a_fault_of_one_theme_or_width_is_found(
    fresh: Visit, axe_source: str, fault: str, found: str
) -> None:
    fresh.page.set_content(
        f"{fault}<main><h1>Title</h1><p>Some words</p><p>More</p><button><i>Go</i></button>"
        "<pre><span class=kw>if</span> <span class=n>i</span> <span class=kw>in</span></pre></main>"
    )
    seen: list[str] = []
    for theme, width in product(THEMES, WIDTHS):
        look(fresh, theme, width)
        if looked_at(theme, width, of_its_kind=False):
            seen += violations(fresh.page, axe_source)
    assert any(said.startswith(f"{found}:") for said in seen)


def test_a_cell_that_runs_over_the_next_one_is_found(fresh: Visit) -> None:
    for style, found in (("max-width: 4rem", ["docs/how-to/errors.md"]), ("", [])):
        cells = f"<th style='{style}'>docs/how-to/errors.md</th><td>12</td>"
        fresh.page.set_content(f"<table><tr>{cells}</tr></table>")
        assert fresh.page.evaluate(OVERLAPS) == found


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
    page_path: str, soup: BeautifulSoup
) -> None:
    article = soup.select_one("article")
    if article is None or page_path in GENERATED:
        assert page_path in GENERATED
        return
    parts = article.select("section > :is(h1, h2, h3, h4), section > details > summary > h3")
    assert parts
    parts += article.select("tbody tr, .vtj-figure")
    # What a device draws is found under the heading before it, and its state has an address.
    pictures = article.select("svg[role=img]:not(vtj-landscape *)")
    assert len(pictures) == len(article.select(".vtj-figure > svg"))
    for part in parts:
        holder = part if part.get("id") else part.find_parent("section")
        assert holder is not None
        assert part.select(f'a[href="#{holder["id"]}"]'), part


COVERED = """cover => {
  const over = cover.getBoundingClientRect();
  const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (!texts.currentNode.textContent.trim() || cover.contains(texts.currentNode)) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if ([...range.getClientRects()].some((box) => box.width && box.height
      && box.left < over.right - 1 && box.right > over.left + 1
      && box.top < over.bottom - 1 && box.bottom > over.top + 1)) {
      return texts.currentNode.textContent;
    }
  }
  return "";
}"""  # the text that an element lies on


@pytest.mark.parametrize(
    "page_name",
    ["tutorials/elementwise.html", "how-to/gradcheck-fails.html", "reference/api-classes.html"],
)
def test_on_a_phone_no_copy_button_lies_on_code(fresh: Visit, site: Path, page_name: str) -> None:
    fresh.page.set_viewport_size({"width": 375, "height": 900})
    fresh.go((site / page_name).as_uri())
    look(fresh, "light", 375)
    fresh.page.locator("button.copybtn").first.wait_for()
    buttons = fresh.page.locator("button.copybtn:visible").all()
    assert buttons
    assert [text for button in buttons if (text := button.evaluate(COVERED))] == []


@pytest.mark.parametrize("width", [375, 1000, 1280, 1440])
def test_the_way_back_to_the_top_lies_on_no_text(fresh: Visit, site: Path, width: int) -> None:
    page = fresh.page
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    fresh.go((site / "tutorials/matrices.html").as_uri())
    button, bar = page.get_by_role("link", name="Back to top"), page.locator(".mobile-header")
    scroll = "place => new Promise((done) => { scrollTo(0, place); setTimeout(done, 100); })"
    for place in range(2000, 300, -170):  # it comes when one scrolls up
        page.evaluate(scroll, place)
        if place == 2000:
            continue
        assert button.is_visible()
        if bar.is_visible():
            over, beneath = button.bounding_box(), bar.bounding_box()
            assert over is not None
            assert beneath is not None
            assert over["y"] + over["height"] <= beneath["y"] + beneath["height"]
        else:
            assert button.evaluate(COVERED) == ""
    button.click()
    page.wait_for_function("scrollY === 0")


def test_on_a_phone_every_report_of_the_oracle_is_cards(fresh: Visit, site: Path) -> None:
    for name in ("tutorials/three_outputs", "how-to/check-a-gradient"):
        fresh.go((site / f"{name}.html").as_uri())
        look(fresh, "light", 375)
        reports = fresh.page.locator("details.vtj .table-wrapper").all()
        assert reports
        for report in reports:
            assert report.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
            witness = report.locator("tbody tr").first
            name_of_it, way = (witness.locator(part).first for part in ("th", "td"))
            assert name_of_it.evaluate("cell => getComputedStyle(cell).display") == "block"
            assert "way" in way.evaluate("cell => getComputedStyle(cell, '::before').content")


def test_on_a_phone_a_line_of_code_that_goes_on_is_indented(fresh: Visit, site: Path) -> None:
    fresh.page.set_viewport_size({"width": 375, "height": 900})
    fresh.go((site / "tutorials/relay.html").as_uri())
    cell = fresh.page.locator("div.cell_input pre", has_text="requires_grad").first
    first, further = (cell.get_by_text(word, exact=True).first for word in ("import", "True"))
    margin, begins = first.bounding_box(), further.bounding_box()
    assert margin is not None
    assert begins is not None
    assert begins["y"] > margin["y"] + 40, "the line fits, so none is seen that goes on"
    character = margin["width"] / len("import")
    assert begins["x"] > margin["x"] + (len("requires_grad=") + 4) * character


BROKEN_WORDS = """() => [...document.querySelectorAll("div.cell_input pre")].flatMap((cell) => {
  const found = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/\\w+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (range.getClientRects().length > 1) found.push(word[0]);
    }
  }
  return found;
})"""


def test_on_a_phone_no_word_of_code_is_broken(fresh: Visit, site: Path) -> None:
    fresh.page.set_viewport_size({"width": 375, "height": 900})
    fresh.go((site / "how-to/accumulate.html").as_uri())
    assert fresh.page.evaluate(BROKEN_WORDS) == []
    fresh.page.evaluate("document.querySelectorAll('wbr').forEach((place) => place.remove())")
    assert "part" in fresh.page.evaluate(BROKEN_WORDS)


# Where each line begins, and the rest of each that goes on in the next one, in letters.
BEGINNINGS = """() => [...document.querySelectorAll("div.cell_input pre")].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), lines = [[]];
  const probe = Object.assign(document.createElement("span"), { textContent: "0".repeat(9) });
  cell.append(probe);
  const letter = probe.getBoundingClientRect().width / 9;
  probe.remove();
  const edge = cell.getBoundingClientRect().left + parseFloat(getComputedStyle(cell).paddingLeft)
    + parseFloat(getComputedStyle(cell).borderLeftWidth);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/\\n|[^\\s]+/g)) {
      if (word[0] === "\\n") { lines.push([]); continue; }
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      for (const { top, left } of range.getClientRects()) {
        const row = lines.at(-1).find((row) => Math.abs(row.top - top) < 6);
        if (row) row.left = Math.min(row.left, left);
        else lines.at(-1).push({ top, left });
      }
    }
  }
  const text = cell.textContent.split("\\n");
  return lines.map((rows, i) => [text[i].length - text[i].trimStart().length,
    rows.map(({ left }) => Math.round((left - edge) / letter))]).filter(([, rows]) => rows.length);
})"""


def test_on_a_phone_the_rest_of_a_line_stands_right_of_it(fresh: Visit, site: Path) -> None:
    fresh.page.set_viewport_size({"width": 375, "height": 900})
    fresh.go((site / "reference/own-function.html").as_uri())
    lines = fresh.page.evaluate(BEGINNINGS)
    assert [(own, first) for own, (first, *_) in lines if first != own] == []
    assert [(own, rest) for own, (_, *rest) in lines if rest and min(rest) <= own] == []
    fresh.page.add_style_tag(content=".deep { display: inline !important }")
    lines = fresh.page.evaluate(BEGINNINGS)
    assert any(rest and min(rest) <= own for own, (_, *rest) in lines)
