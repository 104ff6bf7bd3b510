"""The landscape that v chooses, in Chromium: by finger and keyboard, with torch's numbers."""

import gzip
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from devices.landscape.drawing import read
from devices.landscape.functions import FUNCTIONS, WAYS, Setting
from devices.landscape.proof import levels, names, tenths, texts, truth
from playwright.sync_api import Browser, Locator, Page

from tests.browser.visiting import Visit, visit

PAGES = ("tutorials/weighted_sum.html", "tutorials/mixing.html")
BEGIN = {"weighted_sum": "bowl", "mixing": "softmax"}
TOLD = """() => Object.fromEntries([...document.querySelectorAll("vtj-landscape [data-line]")]
  .map((held) => [held.dataset.line, held.textContent]))"""
CALLED = """() => Object.fromEntries([...document.querySelectorAll("vtj-landscape svg")]
  .map((svg) => [svg.dataset.of, svg.ariaLabel]))"""
GO = """async (hash) => {
  const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = hash;
  await changed;
}"""
VIOLATIONS = """axe.run("vtj-landscape", { preload: false }).then((results) =>
  results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} ${node.html.slice(0, 200)}`)))"""


@pytest.fixture(params=PAGES)
def landscape(browser: Browser, site: Path, request: pytest.FixtureRequest) -> Iterator[Visit]:
    context = browser.new_context(has_touch=True, reduced_motion="reduce")
    opened = visit(context)
    opened.page.goto((site / request.param).as_uri())
    yield opened
    assert opened.errors == []
    context.close()


def expected(setting: Setting) -> tuple[dict[str, str], dict[str, str]]:
    f, true = FUNCTIONS[setting.name], truth(FUNCTIONS[setting.name], setting)
    said = texts(f, setting, true)
    return said, names(setting, said, len(levels(f, setting, float(true["loss"]))))


def address(setting: Setting) -> str:
    return f"landscape={setting.name}&turn={setting.way}&x={setting.at[0]},{setting.at[1]}"


def slider(page: Page, name: str) -> Locator:
    return page.locator("vtj-landscape").get_by_role("slider", name=name)


def picture(page: Page, of: str) -> Locator:
    return page.locator(f'vtj-landscape svg[data-of="{of}"]')


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fifty_settings_show_what_torch_computes(browser: Browser, site: Path, name: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto((site / PAGES[0]).as_uri())
    drawn = random.Random(1)
    for _ in range(50):
        setting = Setting(name, drawn.randrange(WAYS), (tenths(drawn), tenths(drawn)))
        page.evaluate(GO, address(setting))
        said, named = expected(setting)
        assert page.evaluate(TOLD) == said
        assert page.evaluate(CALLED) == named
        lines = read(picture(page, "land").locator("g").inner_html().replace(' xmlns="', ' a="'))
        f = FUNCTIONS[name]
        loss = float(truth(f, setting)["loss"])
        assert list(lines.lines) == list(levels(f, setting, loss))
    context.close()


def test_by_keyboard_v_turns_and_x_moves_and_both_stand_in_the_address(landscape: Visit) -> None:
    page = landscape.page
    page.get_by_label("Function", exact=False).first.focus()
    page.locator("vtj-landscape select").select_option("bowl")
    slider(page, "Turn v").focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    slider(page, "Move x₁").focus()
    page.keyboard.press("End")
    slider(page, "Move x₂").focus()
    page.keyboard.press("Home")
    setting = Setting("bowl", 3, (15, -15))
    said, named = expected(setting)
    assert page.evaluate(TOLD) == said
    assert "x.grad = 1 × [3, −3] + 0.3 × [−1.5, 1.5] = [2.55, −2.55]" in said["sum"]
    assert slider(page, "Turn v").get_attribute("aria-valuetext") == named["v"]
    assert slider(page, "Move x₁").get_attribute("aria-valuetext") == "x₁ = 1.5"
    assert page.url.endswith(address(setting))
    kept = page.url
    page.goto("about:blank")
    page.goto(kept)
    assert page.evaluate(TOLD) == said


def test_softmax_goes_flat_with_ones_and_says_so(landscape: Visit) -> None:
    page = landscape.page
    page.locator("vtj-landscape select").select_option("softmax")
    assert picture(page, "land").locator("path[data-k]").count() > 2
    page.get_by_role("button", name="v = ones").click()
    assert picture(page, "land").locator("path[data-k]").count() == 0
    assert picture(page, "land").get_by_text("flat: v·y = 1").is_visible()
    status = page.locator("vtj-landscape [role=status]").inner_text()
    assert "= [0, 0]" in status
    assert "Flat: v·y is 1 wherever x is." in status
    page.get_by_role("button", name="Turn v around").click()
    assert "v = [−1, −1]" in page.locator("vtj-landscape [role=status]").inner_text()


def test_v_and_x_are_dragged(landscape: Visit) -> None:
    page = landscape.page
    page.locator("vtj-landscape select").select_option("mix")
    for of, share, said in (
        ("v", (0.5, 0.15), "v = [0, 1], "),
        ("land", (0.5 + 1 / 6, 0.5 + 1 / 12), "x = [1, −0.5], "),
    ):
        svg = picture(page, of)
        svg.scroll_into_view_if_needed()
        hold: Any = svg.locator(".landscape-hold").bounding_box()
        box: Any = svg.bounding_box()
        page.mouse.move(hold["x"] + hold["width"] / 2, hold["y"] + hold["height"] / 2)
        page.mouse.down()
        to = box["x"] + box["width"] * share[0], box["y"] + box["height"] * share[1]
        page.mouse.move(*to, steps=4)
        page.mouse.up()
        assert said in page.evaluate(TOLD)["numbers"]
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        assert said in page.evaluate(TOLD)["numbers"]  # let go


def test_a_finger_takes_the_dot_and_elsewhere_scrolls_the_page(landscape: Visit) -> None:
    page = landscape.page
    finger = page.context.new_cdp_session(page)
    land = picture(page, "land")

    def stroke(x: float, y: float) -> float:
        """Draw a finger upward from there, and return how far the page has scrolled."""
        before = page.evaluate("scrollY")
        for kind, up in [("touchStart", 0), *(("touchMove", up) for up in (12, 24, 36, 48, 60))]:
            points = [{"x": x, "y": y - up}]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(100)
        return float(page.evaluate("scrollY") - before)

    land.evaluate("(svg) => svg.scrollIntoView({ block: 'center' })")
    before = page.evaluate(TOLD)
    box: Any = land.bounding_box()
    hold: Any = land.locator(".landscape-hold").bounding_box()
    # with touch-action alone, Chromium took the finger away after some pixels, and scrolled
    assert stroke(hold["x"] + hold["width"] / 2, hold["y"] + hold["height"] / 2) == 0
    moved = page.evaluate(TOLD)
    assert moved["numbers"] != before["numbers"]
    assert stroke(box["x"] + 20, box["y"] + box["height"] - 20) > 20
    assert page.evaluate(TOLD) == moved


@pytest.mark.parametrize(
    "hash",
    [
        "landscape=nothing&turn=10&x=1,1",
        "landscape=constructor",
        "landscape=mix&turn=900&x=99,1",
        "landscape=mix&turn=1e1&x=1,2,3",
        "landscape=mix&turn=<img src=x onerror=alert(1)>&x=<b>,<b>",
    ],
)
def test_an_address_that_says_nonsense_changes_nothing_else(landscape: Visit, hash: str) -> None:
    page = landscape.page
    before = page.evaluate(TOLD)["numbers"].partition(", y =")[0]
    page.evaluate(GO, hash)
    assert page.evaluate(TOLD)["numbers"].startswith(before)
    assert page.locator("vtj-landscape :is(img, b)").count() == 0


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
@pytest.mark.parametrize("of", ["bowl", "softmax"])
def test_accessible_and_as_wide_as_the_screen(
    landscape: Visit, axe_source: str, theme: Literal["light", "dark"], width: int, of: str
) -> None:
    page = landscape.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    page.locator("vtj-landscape select").select_option(of)
    page.get_by_role("button", name="v = ones").click()
    page.evaluate(axe_source)
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("page", PAGES)
def test_without_scripts_torchs_numbers_and_pictures_stand_there(
    scriptless: Page, site: Path, page: str
) -> None:
    scriptless.goto((site / page).as_uri())
    name = BEGIN[Path(page).stem]
    f = FUNCTIONS[name]
    said, named = expected(Setting(name, f.way, f.x))
    assert scriptless.evaluate(TOLD) == said
    assert [
        scriptless.locator("vtj-landscape svg").nth(i).get_attribute("aria-label") for i in range(3)
    ] == list(named.values())
    assert scriptless.locator("vtj-landscape path[data-k]").count() > 2
    assert scriptless.locator("vtj-landscape :is(button, input)").count() == 0
    assert "With JavaScript you can turn v" in scriptless.locator("vtj-landscape").inner_text()


def test_on_paper_the_pictures_stand_there_and_no_control(landscape: Visit) -> None:
    landscape.page.emulate_media(media="print")
    assert all(picture(landscape.page, of).is_visible() for of in ("v", "land", "sum"))
    assert not landscape.page.get_by_role("button", name="v = ones").is_visible()
    assert not slider(landscape.page, "Turn v").is_visible()


@pytest.mark.parametrize("page", PAGES)
def test_all_of_it_is_small(site: Path, page: str) -> None:
    held = re.findall("<vtj-landscape.*</vtj-landscape>", (site / page).read_text("utf-8"), re.S)
    files = [
        (site / "_static" / name).read_text("utf-8") for name in ("landscape.js", "landscape.css")
    ]
    assert len(held) == 1
    assert sum(len(gzip.compress(part.encode())) for part in [*held, *files]) <= 12_000
