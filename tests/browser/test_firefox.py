"""Every page in Firefox too: quiet, as wide as the screen; the devices by keyboard alone."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import numpy as np
import pytest
from devices.explorer.language import FAMILIES, ask, doubles, function, gradient

from tests.browser.conftest import WIDTHS, pages_of
from tests.browser.firefox import Firefox, firefox

ONE = pytest.mark.xdist_group("firefox")  # of several processes, one starts it
OPEN_ALL = """new Promise((done) => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
TOTALS = """[...document.querySelectorAll("vtj-explorer tfoot data")].map((data) => data.value)"""

GO = """new Promise((done) => {{
  addEventListener("hashchange", done, {{ once: true }});
  location.hash = {};
}})"""
FINITE = """document.querySelector("vtj-explorer .vtj-products").checkVisibility()"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", pages_of(metafunc.config))


@pytest.fixture(scope="session")
def fox() -> Iterator[Firefox]:
    with firefox() as running:
        yield running


@ONE
def test_no_error_no_request_outside_and_no_scrolling_sideways(
    fox: Firefox, site: Path, path: str
) -> None:
    fox.go((site / path).as_uri())
    for width in WIDTHS:
        fox.resize(width)
        fox.evaluate(OPEN_ALL)
        reach = fox.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert reach[0] <= reach[1] == width
    outside = [url for url in fox.requests if not url.startswith((site.as_uri(), "data:"))]
    assert (fox.errors, outside) == ([], [])


@ONE
@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("<script>throw new Error('a fault')</script>", "Error: a fault"),
        ("<script>console.warn('a doubt')</script>", "a doubt"),
        ("<img src='https://example.invalid/a.png' alt=''>", "https://example.invalid/a.png"),
        ("<p style='position: absolute; left: 5000px'>far</p>", "5"),
    ],
    ids=["an error", "a warning", "a request", "too wide"],
)
def test_a_fault_is_found(fox: Firefox, tmp_path: Path, fault: str, found: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title>A page</title>{fault}", encoding="utf-8")
    fox.resize(375)
    fox.go(page.as_uri())
    seen = [*fox.errors, *fox.requests, str(fox.evaluate("document.documentElement.scrollWidth"))]
    assert any(said.startswith(found) for said in seen)


@pytest.fixture
def home(fox: Firefox, site: Path) -> Firefox:
    fox.resize(375)
    fox.go((site / "index.html").as_uri())
    return fox


def tab_to(fox: Firefox, selector: str) -> None:
    """Reach what is meant with the keyboard alone."""
    for _ in range(80):
        fox.press("Tab")
        if fox.evaluate(f"document.activeElement.matches({selector!r})"):
            return
    raise AssertionError(f"80 tabs did not reach {selector}")


@ONE
def test_the_explorer_by_keyboard(home: Firefox) -> None:
    assert home.evaluate(TOTALS) == ["26", "1240"]
    tab_to(home, "vtj-explorer [aria-label='x₂, exactly']")
    home.press("Tab", 2)
    home.press("1")
    assert home.evaluate("document.activeElement.ariaLabel") == "v₁, exactly"
    value = home.evaluate("document.activeElement.value")
    assert value in {"1", "11"}  # a box that is reached by Tab has its number selected, or not
    assert home.evaluate(TOTALS) == [str(20 + 6 * int(value)), "1240"]


@ONE
def test_a_function_of_your_own_by_keyboard(home: Firefox) -> None:
    tab_to(home, "vtj-explorer select")
    for character in "your":  # the option of the menu that begins so
        home.press(character)
    tab_to(home, "vtj-explorer .vtj-yours input")
    home.press("Home")
    for character in "x[1] + ":
        home.press(character)
    # y is x₂ + x₁ sin x₂ and x₁², at x = [1, 2], weighted by 1 and 10
    expected = [math.sin(2) + 10 * 2, 1 + math.cos(2)]
    assert [float(value) for value in home.evaluate(TOTALS)] == pytest.approx(expected)


@ONE
def test_functions_of_your_own_show_what_torch_computes(home: Firefox) -> None:
    drawn, compared = Random(1), 0
    for family in [*FAMILIES] * 3:
        question = ask(drawn, family)
        point = question["points"][0]
        with doubles():
            _, y, grad = gradient(function(question["text"]), point)
        x, v = (",".join(map(str, point[key])) for key in "xv")
        weights = ",".join(v.split(",")[: y.numel()])
        address = urlencode({"f": "yours", "y": question["text"], "x": x, "v": weights})
        home.evaluate(GO.format(json.dumps(address)))
        totals = [float(value) for value in home.evaluate(TOTALS)]
        if home.evaluate(FINITE):
            size = 1e-9 * max(1, *map(abs, totals))
            np.testing.assert_allclose(totals, grad, rtol=1e-9, atol=size)
            compared += 1
    assert compared >= 50


@ONE
def test_the_error_box_by_keyboard(home: Firefox) -> None:
    tab_to(home, "vtj-error-box textarea")
    for character in "grad can be implicitly created only for scalar outputs":
        home.press(character)
    home.evaluate("new Promise((done) => setTimeout(done, 300))")  # the box waits for 200 ms
    assert home.evaluate("document.querySelector('vtj-error-box a').hash").startswith("#error-")


@ONE
def test_the_shapes_by_keyboard(home: Firefox) -> None:
    tab_to(home, "vtj-shapes label:nth-of-type(2) input")
    home.press("End")
    for character in ", 4":
        home.press(character)
    said = home.evaluate("document.querySelector('vtj-shapes [data-of=J]').textContent")
    assert said == "(3, 4, 2): 24 entries, 96 bytes as float32"


@ONE
def test_the_steps_by_keyboard(fox: Firefox, site: Path) -> None:
    fox.resize(375)
    fox.go((site / "tutorials" / "relay.html").as_uri())
    told = """[...document.querySelectorAll("vtj-steps li")]
      .filter((step) => step.checkVisibility()).map((step) => step.textContent.trim())"""
    tab_to(fox, "vtj-steps input[type=range]")
    fox.press("End")
    (last,) = fox.evaluate(told)
    assert last.startswith("x gets [44, 163], the sum of 5 parts, and backward adds it")
    fox.press("Home")
    (first,) = fox.evaluate(told)
    assert first.startswith("Forward: x = [1, 2] goes down to y = [8, 12]")


@ONE
def test_the_painter_by_keyboard(fox: Firefox, site: Path) -> None:
    fox.resize(375)
    fox.go((site / "tutorials" / "image.html").as_uri())
    tab_to(fox, "vtj-painter [role=application]")
    status = "document.querySelector('vtj-painter [role=status]').textContent"
    heard = []
    for key in ("Right", "Down", " ", " "):  # takes the paint away, and puts it back
        fox.press(key)
        heard.append(fox.evaluate(status))
    assert [re.findall(r"At \[5, 10\]: .*, v = (\d), x\.grad = ", said) for said in heard[1:]] == [
        ["1"],
        ["0"],
        ["1"],
    ]


@ONE
@pytest.mark.parametrize("page", ["weighted_sum", "mixing"])
def test_the_landscape_by_keyboard(fox: Firefox, site: Path, page: str) -> None:
    fox.resize(375)
    fox.go((site / "tutorials" / f"{page}.html").as_uri())
    fox.evaluate("location.replace('#landscape=softmax&turn=9&x=5,-5')")
    tab_to(fox, "vtj-landscape .landscape-sliders label:first-child input")
    told = """[...document.querySelectorAll("vtj-landscape [data-line]")]
      .map((line) => line.textContent)"""
    lines = "document.querySelectorAll('vtj-landscape path[data-k]').length"
    assert fox.evaluate(told)[0].startswith("v = [1, 0.9], x = [0.5, −0.5], y = [≈0.73106, ")
    assert fox.evaluate(lines) == 1
    fox.press("Right")
    assert fox.evaluate(told)[1].endswith(" + 1 × [≈−0.19661, ≈0.19661] = [0, 0]")
    assert fox.evaluate(told)[2].startswith("Flat: v·y is 1 wherever x is.")
    assert fox.evaluate(lines) == 0
    fox.press("Tab")
    fox.press("Home")
    assert ", x = [−1.5, −0.5], " in fox.evaluate(told)[0]
    assert fox.evaluate("location.hash") == "#landscape=softmax&turn=10&x=-15,-5"
