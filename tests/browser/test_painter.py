"""The image that is painted on, in Chromium: by finger and keyboard, with torch's numbers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from devices.painter.operations import OPERATIONS, gradients, image, written
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit, visit
from vtj_site.figures.pixels import tints

PAGE = "tutorials/image.html"
VIOLATIONS = """axe.run("vtj-painter", { preload: false }).then((results) =>
  results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} ${node.html.slice(0, 200)}`)))"""
ALPHAS = """(canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return [...data].filter((_, i) => i % 4 === 3);
}"""


@pytest.fixture
def painter(browser: Browser, site: Path) -> Iterator[Visit]:
    context = browser.new_context(has_touch=True)
    opened = visit(context)
    opened.page.goto((site / PAGE).as_uri())
    yield opened
    assert opened.errors == []
    context.close()


def canvas(page: Page, of: str) -> Any:
    return page.locator("vtj-painter figure").nth("xyv".find(of) if of in "xyv" else 3)


def said(page: Page) -> str:
    return page.locator("vtj-painter [role=status]").inner_text()


def opened_at(page: Page, site: Path, name: str, signs: str) -> None:
    page.goto("about:blank")
    page.goto((site / PAGE).as_uri() + f"#image={name}&v={signs.replace('+', '%2B')}")


@pytest.mark.parametrize("name", OPERATIONS)
def test_fifty_settings_show_what_torch_computes(painter: Visit, site: Path, name: str) -> None:
    page, operation, x = painter.page, OPERATIONS[name], image()
    torch.manual_seed(1)
    shape = operation(x).shape
    opened_at(page, site, name, "")
    for _ in range(50):
        v = torch.randint(-1, 2, shape).float()
        signs = "".join("0+-"[int(value)] for value in v.flatten())
        page.evaluate(
            """async (hash) => {
              const changed = new Promise((done) =>
                addEventListener("hashchange", done, { once: true }));
              location.hash = hash;
              await changed;
            }""",
            f"image={name}&v={signs.replace('+', '%2B')}",
        )
        y, grad = gradients(operation, x, v)
        i, j = map(int, re.findall(r"\d+", said(page))[:2])
        each = {"x": x, "y": y, "v": v, "x.grad": grad}
        numbers = ", ".join(f"{of} = {written(t[i, j].item())}" for of, t in each.items())
        assert said(page) == f"At [{i}, {j}]: {numbers}."
        for of, values in (("y", y), ("v", v), ("grad", grad)):
            expected = [color[3] for row in tints(values) for color in row]
            assert canvas(page, of).locator("canvas").evaluate(ALPHAS) == expected


def test_by_keyboard_a_pixel_is_painted_and_heard_and_stands_in_the_address(
    painter: Visit, site: Path
) -> None:
    page = painter.page
    page.get_by_label("Operation").select_option("square")
    page.get_by_role("application").focus()
    for key in ("ArrowRight", "ArrowDown", " "):
        page.keyboard.press(key)
    x = image()[5, 10].item()
    now = f"At [5, 10]: x = {x:g}, y = {x * x:g}, v = 1, x.grad = {2 * x:g}."
    assert said(page) == now
    address = page.url
    page.get_by_role("button", name="Clear").click()
    assert "v = 0, x.grad = 0." in said(page)
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("application").focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert said(page) == now


def test_a_finger_paints_and_a_brush_can_be_negative(painter: Visit) -> None:
    page = painter.page
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Paint −1").click()
    v = page.get_by_role("application")
    v.scroll_into_view_if_needed()
    box = v.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 2.5 / 16, box["y"] + box["height"] * 7.5 / 16)
    assert said(page).startswith("At [7, 2]: ")
    assert "v = −1, " in said(page)
    assert sum(1 for alpha in v.evaluate(ALPHAS) if alpha) == 1
    grad = canvas(page, "grad").locator("canvas")
    assert sum(1 for alpha in grad.evaluate(ALPHAS) if alpha) == 9


def test_the_edge_filter_makes_y_and_v_smaller_and_the_jacobian_too(painter: Visit) -> None:
    page = painter.page
    assert page.locator("[data-entries]").inner_text() == f"{16**4:,}"
    page.get_by_label("Operation").select_option("edges")
    assert canvas(page, "v").inner_text().endswith("14 × 14")
    assert page.locator("[data-entries]").inner_text() == f"{14**2 * 16**2:,}"
    assert page.locator("[data-code]").inner_text() == "y = conv2d(x, edges)"


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
def test_accessible_and_as_wide_as_the_screen(
    painter: Visit, axe_source: str, theme: Literal["light", "dark"], width: int
) -> None:
    page = painter.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(axe_source)
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_torchs_images_and_numbers_stand_there(
    scriptless: Page, site: Path
) -> None:
    scriptless.goto((site / PAGE).as_uri())
    images = scriptless.locator("vtj-painter img")
    assert images.count() == 4
    assert all(images.nth(i).evaluate("(img) => img.naturalWidth === 16") for i in range(4))
    assert "x.grad = 0.5625" in scriptless.locator("vtj-painter").inner_text()


def test_on_paper_the_images_stand_there_and_no_button(painter: Visit) -> None:
    painter.page.emulate_media(media="print")
    assert painter.page.locator("vtj-painter canvas").count() == 4
    assert not painter.page.get_by_role("button", name="Clear").is_visible()


def test_script_and_style_are_small(site: Path) -> None:
    files = [site / "_static" / name for name in ("painter.js", "painter.css")]
    assert sum(file.stat().st_size for file in files) <= 12_000
