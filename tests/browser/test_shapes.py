"""What fits which shapes, in Chromium: what is written is answered as torch does."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Literal
from urllib.parse import urlencode

import pytest
from devices.shapes.answers import PASSED, Setting, draw, expected
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit, visit

PAGE = "reference/outcomes.html"
TOLD = """() => Object.fromEntries([...document.querySelectorAll("vtj-shapes [data-of]")]
  .map((held) => [held.dataset.of, held.textContent]))"""
GO = """async (hash) => {
  const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = hash;
  await changed;
}"""
VIOLATIONS = """axe.run("vtj-shapes", { preload: false }).then((results) =>
  results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} ${node.html.slice(0, 200)}`)))"""
NO_SHAPES = [
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "'; alert(1); '",
    "${alert(1)}",
    "2;alert(1)",
    "-1, 2",
    "9" * 400,
    "(" * 5000 + "x",
    "1," * 5000 + "x",
    "2\u202e3",
]


@pytest.fixture
def shapes(browser: Browser, site: Path) -> Iterator[Visit]:
    context = browser.new_context()
    opened = visit(context)
    opened.page.goto((site / PAGE).as_uri())
    yield opened
    assert opened.errors == []
    context.close()


def address(setting: Setting) -> str:
    written = {f"shape-{name}": ", ".join(map(str, getattr(setting, name))) for name in "xyv"}
    kind = "complex" if setting.complex else "real"
    return urlencode({**written, "pass": setting.passed, "y-is": kind})


@pytest.mark.parametrize("passed", PASSED)
def test_fifty_settings_are_answered_as_torch_does(shapes: Visit, passed: str) -> None:
    drawn = Random(1)
    for _ in range(50):
        setting = draw(drawn, passed)
        shapes.page.evaluate(GO, address(setting))
        told = shapes.page.evaluate(TOLD)
        true = expected(setting, told)
        refused = true.pop("refused")
        assert {name: told[name] for name in true} == true, setting
        assert shapes.page.get_by_text("Instead", exact=True).is_visible() is refused


def test_by_keyboard_a_shape_is_written_and_stands_in_the_address(shapes: Visit) -> None:
    page = shapes.page
    page.get_by_label("Shape of y").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("2, 3")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("a t")  # the select's option that begins so
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("(3,)")
    answer = page.locator('vtj-shapes [role="status"]')
    said = "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a"
    assert said in answer.inner_text()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert said in answer.inner_text()
    assert page.locator('[data-of="instead"]').inner_text() == "y.backward(torch.ones(2, 3))"


def test_what_is_no_shape_is_told_as_text_and_never_runs(shapes: Visit) -> None:
    page = shapes.page
    page.evaluate("() => { window.alert = () => { throw new Error('it ran'); }; }")
    for text in NO_SHAPES:
        page.get_by_label("Shape of y").fill(text)
        said = page.locator("vtj-shapes [role=alert]").inner_text()
        assert said.startswith(text[:40]) or "more than" in said or "is no shape" in said
        assert page.get_by_label("Shape of y").get_attribute("aria-invalid") == "true"
        assert not page.locator("vtj-shapes dl").is_visible()
        page.evaluate(GO, urlencode({"shape-y": text, "pass": text}))
        assert page.locator("vtj-shapes [role=alert]").inner_text() == said
        assert page.locator("vtj-shapes :is(img, script, b)").count() == 0
    page.get_by_label("Shape of y").fill("3")
    assert page.locator("vtj-shapes dl").is_visible()


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
@pytest.mark.parametrize("text", ["3", "no shape"])
def test_accessible_and_as_wide_as_the_screen(
    shapes: Visit, axe_source: str, theme: Literal["light", "dark"], width: int, text: str
) -> None:
    page = shapes.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_label("Shape of y").fill(text)
    page.evaluate(axe_source)
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", [PAGE, "index.html"])
def test_without_scripts_one_setting_stands_there(scriptless: Page, site: Path, name: str) -> None:
    scriptless.goto((site / name).as_uri())
    told = scriptless.locator("vtj-shapes").inner_text()
    assert "grad can be implicitly created only for scalar outputs" in told
    assert "y.backward(torch.ones(3))" in told
    assert "x (2,), y (3,)" in told


def test_on_paper_what_is_told_stands_there_and_no_field(shapes: Visit) -> None:
    shapes.page.emulate_media(media="print")
    assert shapes.page.locator("vtj-shapes dl").is_visible()
    assert shapes.page.get_by_text("x (2,), y (3,)").is_visible()
    assert not shapes.page.get_by_label("Shape of y").is_visible()


def test_script_and_style_are_small(site: Path) -> None:
    files = [site / "_static" / name for name in ("shapes.js", "shapes.css")]
    assert sum(file.stat().st_size for file in files) <= 12_000
