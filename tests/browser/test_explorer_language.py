"""Your own function in the explorer, in Chromium: right against torch, or refused as text."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Literal
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from devices.explorer.language import FAMILIES, ask, doubles, function, gradient
from playwright.sync_api import Browser, Page

from tests.browser.test_explorer_element import VIOLATIONS, values
from tests.browser.visiting import Visit, visit
from tests.extensions.devices.expressions import REFUSED, RIGHT
from tests.extensions.devices.texts import texts

NOT_FINITE = "At this x, y or a slope is not finite. Choose another x."
GO = """async (hash) => {
  history.replaceState(null, "", "#"); // so that the same address is a change too
  const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = hash;
  await changed;
  const all = (of) => [...document.querySelectorAll(`vtj-explorer ${of}`)];
  const numbers = (of) => all(`${of} data`).map((data) => +data.value);
  return {
    refused: all("#vtj-refused")[0].innerText,
    shown: all(".vtj-products").some((part) => part.checkVisibility()),
    y: numbers(".vtj-jacobian tbody th"), J: numbers(".vtj-jacobian td"),
    total: numbers(".vtj-total"), modes: all(".vtj-modes").map((part) => part.innerText)[0],
    grad: numbers(".vtj-products tfoot"), code: all("pre")[0].textContent,
    elements: document.querySelectorAll("*").length,
    markup: all(":is(img, script, iframe, a)").length,
  };
}"""

TYPE = """(box, text) => {
  box.value = text;
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const [seen, heard] = ["#vtj-refused", "vtj-explorer [role=status]"].map((of) =>
    document.querySelector(of).textContent);
  return { seen, heard };
}"""


@pytest.fixture(scope="session")
def where(site: Path) -> str:
    pages = sorted(site.rglob("*.html"))
    found = [page for page in pages if "<vtj-explorer" in page.read_text(encoding="utf-8")]
    assert found, "no page of the site holds the explorer"
    return found[0].as_uri()


@pytest.fixture
def yours(browser: Browser, where: str) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    opened = visit(context)
    opened.page.goto(where)
    yield opened
    assert opened.errors == []
    context.close()


def go(page: Page, text: str, point: dict[str, Any], weights: str = "v") -> dict[str, Any]:
    """Open a function at a point by the address; return what is shown."""
    listed = {key: ",".join(map(str, point[key])) for key in ("x", weights) if key in point}
    shown: dict[str, Any] = page.evaluate(GO, urlencode({"f": "yours", "y": text, **listed}))
    return shown


def refusal(page: Page) -> str:
    return page.locator("#vtj-refused").inner_text()


def near(shown: list[float], true: Any, size: float = 0.0) -> None:
    np.testing.assert_allclose(shown, np.ravel(true), rtol=1e-9, atol=1e-9 * max(1.0, size))


def test_what_a_reader_writes_shows_what_torch_computes(yours: Visit) -> None:
    drawn, compared = Random(1), 0
    for family in [*FAMILIES] * 3:
        question = ask(drawn, family)
        point = question["points"][0]
        with doubles():
            _, y, grad = gradient(function(question["text"]), point)
        weights = point["v"][: y.numel()]
        shown = go(yours.page, question["text"], {**point, "v": weights})
        if not shown["shown"]:
            assert shown["modes"] == NOT_FINITE
            continue
        near(shown["y"], y.detach())
        near(shown["grad"], grad, np.abs(shown["J"]).max() * np.abs(weights).max())
        assert " agree: " in shown["modes"]
        compared += 1
    assert compared >= 50


@pytest.mark.filterwarnings(r"ignore:`torch\.jit\.script` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("weights", ["v", "u"])
def test_the_code_to_copy_gives_the_numbers_above(yours: Visit, weights: str) -> None:
    for text in ("x[0] * sin(x[1]), 2, [1, 10] @ x", "exp(x) / sum(exp(x))", "x @ x"):
        shown = go(yours.page, text, {"x": [0.5, -1.25], "u": [1, -2]}, weights)
        printed: list[torch.Tensor] = []
        with doubles():
            exec(compile(shown["code"], "<copied>", "exec"), {"print": printed.append})
        near(shown["total"] if weights == "u" else shown["grad"], printed[0])


def test_a_hundred_expressions_are_right_or_refused(yours: Visit) -> None:
    for text, (n, by_hand) in RIGHT.items():
        point = {"x": [0.5, 1.25, 2, 3][:n]}
        shown = go(yours.page, text, point)
        assert (shown["refused"], shown["shown"]) == ("", True), text
        with doubles():
            near(shown["y"], function(by_hand)(torch.tensor(point["x"])))
    for text, said in REFUSED.items():
        shown = go(yours.page, text, {"x": [1, 2]})
        assert (shown["refused"], shown["shown"]) == (said, False)


def test_what_is_typed_pasted_or_in_the_address_is_text_and_never_runs(yours: Visit) -> None:
    page = yours.page
    page.evaluate("() => { window.alert = () => { throw new Error('it ran'); }; }")
    elements = go(page, "2x", {"x": [1, 2]})["elements"]
    box = page.get_by_label("y =")
    for i, text in enumerate(texts(Random(2), 150)):
        typed = text.replace("\ud800", "").replace("\x00", "").replace("\n", " ")
        shown = go(page, typed, {"x": [1, 2]})
        assert shown["markup"] == 0
        if shown["refused"]:
            assert shown["elements"] == elements  # none came from the text
        if i < 30:
            box.fill("2x")
            box.fill(typed)
            assert refusal(page) == shown["refused"]
    assert page.evaluate("[({}).polluted, Object.keys(Object.prototype).length]") == [None, 0]


def test_by_keyboard_a_function_is_written_heard_and_stands_in_the_address(yours: Visit) -> None:
    page = yours.page
    page.locator("vtj-explorer select").focus()
    page.keyboard.type("your")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.vtj-yours input')")
    page.keyboard.press("Control+A")
    page.keyboard.type("[[1, 2], [3, 4]] @ x + 0*x[0]")
    assert page.evaluate("document.activeElement.selectionStart") == 29  # typing is not disturbed
    page.locator("vtj-explorer [role=status]", has_text="x.grad = [31, 42]").wait_for()
    page.wait_for_url(re.compile(r"#f=yours&y=.*%40\+x\+%2B\+0\*x%5B0%5D&x=1,2&v=1,10$"))
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert values(page.locator(".vtj-products tfoot")).tolist() == [31, 42]
    assert page.get_by_label("y =").input_value() == "[[1, 2], [3, 4]] @ x + 0*x[0]"


def test_a_refusal_is_seen_at_once_and_heard_when_typing_stops(yours: Visit) -> None:
    page = yours.page
    page.locator("vtj-explorer select").select_option("yours")
    box = page.get_by_label("y =")
    at_once = box.evaluate(TYPE, "foo(x)")
    assert at_once["seen"].startswith(
        "`foo` at character 1 is not known here; known are x, pi, sin"
    )
    assert "foo" not in at_once["heard"]
    assert box.get_attribute("aria-invalid") == "true"
    assert "vtj-refused" in (box.get_attribute("aria-describedby") or "")
    status = page.locator("vtj-explorer [role=status]")
    status.filter(has_text="`foo` at character 1 ").wait_for(state="attached")
    page.get_by_label("Predict first").check()
    page.get_by_label("J·u (forward)").check()
    box.fill("3 * x")
    assert box.get_attribute("aria-invalid") is None
    page.get_by_role("button", name="Show it").click()
    assert status.inner_text() == "It is this: J·u = [3, 30]"


def test_x_gets_as_many_elements_as_are_chosen(yours: Visit) -> None:
    page = yours.page
    go(page, "sum(x) + x[2]", {"x": [1, 2]})
    assert refusal(page) == "`2` at character 12 is no index of 2 elements; the last is 1."
    page.get_by_label("Elements of x").select_option("3")
    assert refusal(page) == ""
    assert values(page.locator(".vtj-products tfoot")).tolist() == [1, 1, 2]


def test_where_a_slope_is_not_finite_this_is_said_instead(yours: Visit) -> None:
    page = yours.page
    go(page, "sqrt(x)", {"x": [0, 1]})
    assert page.locator(".vtj-modes").inner_text() == NOT_FINITE
    assert not page.locator(".vtj-jacobian").is_visible()
    assert not page.locator(".vtj-products").is_visible()
    page.get_by_label("x₁, exactly").fill("0.25")
    assert values(page.locator(".vtj-products tfoot")).tolist() == [1, 5]


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
@pytest.mark.parametrize("text", ["x[0] * sin(x[1]), x[0] ** 2", "f" * 290, "sqrt(-x)"])
def test_accessible_and_as_wide_as_the_screen(
    yours: Visit, axe_source: str, theme: Literal["light", "dark"], width: int, text: str
) -> None:
    page = yours.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    go(page, text, {"x": [1, 2]})
    page.evaluate(axe_source)
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_the_numbers_and_the_code_stand_there_and_no_box(yours: Visit) -> None:
    go(yours.page, "3 * x", {"x": [1, 2]})
    yours.page.emulate_media(media="print")
    assert yours.page.locator(".vtj-products").is_visible()
    assert "y = 3 * x" in yours.page.locator(".vtj-code").inner_text()
    assert not yours.page.get_by_label("y =").is_visible()
