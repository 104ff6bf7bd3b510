"""The explorer in Chromium: every number it shows is torch's, and everyone can use it."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, Page

from tests.browser.visiting import Visit, visit

POINTS = 25
SENT = ("explorer.js", "explorer-language.js", "explorer.css")
RTOL = 1e-12
TORCH_OWN = pytest.mark.filterwarnings(  # what torch.func imports uses what torch has deprecated
    r"ignore:`torch\.jit\.script` is deprecated:DeprecationWarning"
)


@pytest.fixture(scope="session")
def where(site: Path) -> str:
    pages = sorted(site.rglob("*.html"))
    found = [page for page in pages if "<vtj-explorer" in page.read_text(encoding="utf-8")]
    assert found, "no page of the site holds the explorer"
    return found[0].as_uri()


@pytest.fixture(scope="session")
def opened(browser: Browser, where: str) -> Iterator[Visit]:
    context = browser.new_context(reduced_motion="reduce")
    shown = visit(context)
    shown.page.goto(where)
    yield shown
    context.close()


@pytest.fixture(scope="session")
def functions(opened: Visit) -> dict[str, dict[str, Any]]:
    """Name to code, shape, x and v, as the built site says."""
    text: str = opened.page.evaluate("JSON.stringify(window.VTJ_FUNCTIONS)")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def compute(code: str) -> Any:
    return eval(compile(f"lambda x: {code}", "<page>", "eval"), {"torch": torch})


def values(parent: Locator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The whole value of every number shown, whose text, as a reader sees it, is nearly that."""
    pairs: list[list[str]] = parent.locator("data").evaluate_all(
        "(all) => all.map((data) => [data.value, data.textContent])"
    )
    for value, text in pairs:
        # Five digits are shown; JavaScript and Python round halves alike but for the last one.
        near = {"rel": 6e-5 if text.startswith("≈") else 1e-12, "abs": 1e-300}
        number = float(text.removeprefix("≈").replace("−", "-"))
        assert number == pytest.approx(float(value), **near)
    return np.array([float(value) for value, _ in pairs])


def close(shown: np.ndarray[Any, np.dtype[np.float64]], expected: Any, size: float = 0.0) -> None:
    """Compare with rtol 1e-12; ``size`` is that of the terms which were added up."""
    np.testing.assert_allclose(shown, np.ravel(expected), rtol=RTOL, atol=RTOL * size)


def fill(page: Page, legend: str, point: list[float]) -> None:
    boxes = page.get_by_role("group", name=legend).get_by_role("spinbutton")
    filled = boxes.evaluate_all(  # at once: hundreds of points are tried
        """(boxes, texts) => boxes.map((box, i) => {
          box.value = texts[i];
          box.dispatchEvent(new InputEvent("input", { bubbles: true }));
        }).length""",
        [repr(number) for number in point],
    )
    assert filled == len(point)


def choose(page: Page, function: str, mode: str) -> None:
    page.locator("vtj-explorer select").select_option(function)
    page.locator(f"vtj-explorer input[value={mode}]").check()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "function" in metafunc.fixturenames:
        script = metafunc.config.getoption("--site") / "_static" / "explorer-functions.js"
        text = script.read_text(encoding="utf-8")
        metafunc.parametrize("function", re.findall(r'^"(\w+)": {', text, re.MULTILINE))


def test_the_functions_that_readers_are_promised(functions: dict[str, dict[str, Any]]) -> None:
    code = " ".join(function["code"] for function in functions.values())
    for promised in ("torch.stack", "3 * x ** 2", "sum(", "cumsum", "softmax"):
        assert promised in code


def test_backward_shows_what_torch_leaves_in_x_grad(
    opened: Visit, functions: dict[str, dict[str, Any]], function: str
) -> None:
    page, said = opened.page, functions[function]
    f = compute(said["code"])
    rng = random.Random(f"backward {function}")
    choose(page, function, "v")
    for _ in range(POINTS):
        at = [rng.uniform(-3, 3) for _ in said["x"]]
        weights = [rng.uniform(-10, 100) for _ in said["v"]]
        fill(page, "x, the point", at)
        fill(page, "v, one weight for each output", weights)
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        v = torch.tensor(weights, dtype=torch.float64).reshape(said["shape"])
        y = f(x)
        y.backward(v)
        slopes = torch.func.jacrev(f)(x.detach()).reshape(-1, len(at)).numpy()
        terms = v.reshape(-1, 1).numpy() * slopes
        rows = len(weights)

        first = values(page.locator(".vtj-jacobian")).reshape(rows, 1 + len(at))
        close(first[:, 0], y.detach().numpy())
        close(first[:, 1:].ravel(), slopes, np.abs(slopes).max())
        body = values(page.locator(".vtj-products tbody")).reshape(rows, 1 + len(at))
        close(body[:, 0], weights)
        close(body[:, 1:].ravel(), terms, np.abs(terms).max())
        assert x.grad is not None
        close(values(page.locator(".vtj-products tfoot")), x.grad, np.abs(terms).max())


@TORCH_OWN
def test_forward_shows_what_torch_calls_jvp(
    opened: Visit, functions: dict[str, dict[str, Any]], function: str
) -> None:
    page, said = opened.page, functions[function]
    f = compute(said["code"])
    rng = random.Random(f"forward {function}")
    choose(page, function, "u")
    for _ in range(POINTS):
        at = [rng.uniform(-3, 3) for _ in said["x"]]
        weights = [rng.uniform(-10, 100) for _ in said["x"]]
        fill(page, "x, the point", at)
        fill(page, "u, one weight for each input", weights)
        x = torch.tensor(at, dtype=torch.float64)
        u = torch.tensor(weights, dtype=torch.float64)
        product = torch.func.jvp(f, (x,), (u,))[1]
        slopes = torch.func.jacfwd(f)(x).reshape(-1, len(at)).numpy()
        terms = slopes * u.numpy()
        size = np.abs(terms).max()

        close(values(page.locator(".vtj-products thead")), weights)
        body = values(page.locator(".vtj-products tbody")).reshape(-1, len(at) + 1)
        close(body[:, :-1].ravel(), terms, size)
        close(body[:, -1], product.numpy(), size)


@TORCH_OWN
@pytest.mark.parametrize("mode", ["v", "u"])
def test_the_code_beneath_gives_the_number_above(
    opened: Visit, function: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened.page
    choose(page, function, mode)
    inputs = page.locator(".vtj-jacobian thead th").count() - 1
    fill(page, "x, the point", [0.5, -1.25, 2.0][:inputs])
    code = page.locator(".vtj-code pre").inner_text()
    exec(compile(code, "<copied>", "exec"), {})
    printed = re.findall(r"-?\d+\.?\d*(?:e[+-]\d+)?", capsys.readouterr().out)
    shown = values(page.locator(".vtj-total"))
    np.testing.assert_allclose([float(number) for number in printed], shown, rtol=1e-3, atol=1e-3)


def test_rows_are_added_one_by_one(opened: Visit) -> None:
    page = opened.page
    choose(page, "three_outputs_stacked", "v")
    page.get_by_role("button", name="v = e₁").click()
    page.get_by_role("button", name="[1, 10, 100]").click()
    fill(page, "x, the point", [1.0, 2.0])
    steps = page.locator(".vtj-steps button")
    totals = []
    for _ in range(4):
        steps.click()
        totals.append(values(page.locator(".vtj-products tfoot")).tolist())
    assert totals == [[0, 0], [6, 0], [26, 240], [26, 1240]]
    assert steps.evaluate("(button) => button === document.activeElement")


def test_buttons_set_the_weights(opened: Visit) -> None:
    page = opened.page
    choose(page, "three_outputs_stacked", "v")
    fill(page, "x, the point", [1.0, 2.0])
    grads = []
    for name in ("v = e₁", "v = e₂", "v = e₃", "ones", "[1, 10, 100]"):
        page.get_by_role("button", name=name).click()
        grads.append(values(page.locator(".vtj-products tfoot")).tolist())
    assert grads == [[6, 0], [2, 24], [0, 10], [8, 34], [26, 1240]]


def test_shapes_tell_the_two_products_apart(opened: Visit) -> None:
    page = opened.page
    choose(page, "three_outputs_stacked", "v")
    told = page.locator(".vtj-shapes").inner_text()
    assert told == "v has the shape of y, (3,); x.grad has the shape of x, (2,)."
    choose(page, "three_outputs_stacked", "u")
    told = page.locator(".vtj-shapes").inner_text()
    assert told == "u has the shape of x, (2,); J·u has the shape of y, (3,)."


@pytest.fixture
def other(browser: Browser, where: str) -> Iterator[Visit]:
    """The explorer in a tab of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    shown = visit(context)
    shown.page.goto(where)
    yield shown
    assert shown.errors == []
    context.close()


def test_the_address_holds_the_state(other: Visit, where: str) -> None:
    page = other.page
    page.goto(where + "#f=three_outputs_stacked&x=2,-1.5&v=0,1,0")
    page.reload()
    assert values(page.locator(".vtj-products tfoot")).tolist() == [4, 13.5]
    fill(page, "x, the point", [1.0, 2.0])
    page.wait_for_url(re.compile(r"#f=three_outputs_stacked&x=1,2&v=0,1,0$"))
    page.goto(page.url)
    assert values(page.locator(".vtj-products tfoot")).tolist() == [2, 24]
    page.evaluate("location.hash = '#f=three_outputs_stacked&x=1,2&u=1,10'")
    page.wait_for_selector(".vtj-total >> nth=2")
    assert values(page.locator(".vtj-total")).tolist() == [6, 242, 100]


@pytest.mark.parametrize(
    "address",
    [
        "#a-heading",
        "#f=nothing&x=1",
        "#f=constructor&x=1",
        "#f=__proto__",
        "#f=three_outputs_stacked&x=1&v=a,b,c",
        "#f=three_outputs_stacked&x=1e9,0",
    ],
)
def test_an_address_that_makes_no_sense_changes_nothing(
    other: Visit, where: str, address: str
) -> None:
    other.page.goto(where + address)
    other.page.reload()
    assert values(other.page.locator(".vtj-products tfoot")).tolist() == [26, 1240]


def test_predict_first_hides_the_answer_until_it_is_typed(other: Visit) -> None:
    page = other.page
    page.get_by_label("Predict first").check()
    page.wait_for_timeout(700)
    explorer = page.locator("vtj-explorer")
    assert not page.locator(".vtj-products").is_visible()
    assert not page.locator(".vtj-bars").is_visible()
    assert "1240" not in explorer.inner_text()
    assert "1240" not in page.locator(".vtj-status").inner_text()
    first, second = page.get_by_label("x.grad, element 1"), page.get_by_label("x.grad, element 2")
    first.fill("26")
    second.fill("240")
    page.keyboard.press("Enter")
    assert "Not yet" in page.locator(".vtj-status").inner_text()
    assert second.get_attribute("aria-invalid") == "true"
    assert first.get_attribute("aria-invalid") is None
    second.fill("1240")
    page.keyboard.press("Enter")
    assert page.locator(".vtj-status").inner_text() == "Right: x.grad = [26, 1240]"
    assert page.locator(".vtj-products").is_visible()
    page.get_by_label("x₁, exactly").fill("2")
    assert not page.locator(".vtj-products").is_visible()
    page.get_by_role("button", name="Show it").click()
    assert page.locator(".vtj-status").inner_text() == "It is this: x.grad = [52, 1240]"


def test_it_works_by_keyboard_alone(other: Visit) -> None:
    page = other.page
    page.locator("vtj-explorer select").focus()
    order = []
    for _ in range(14):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.ariaLabel"))
    names = ["x₁", "x₂", "v₁", "v₂", "v₃"]
    assert order[2:12] == [label for name in names for label in (name, f"{name}, exactly")]
    page.get_by_label("x₁", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert values(page.locator(".vtj-products tfoot"))[0] == pytest.approx(26 * 1.1)
    page.locator("input[value=v]").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".vtj-total").count() == 3
    assert page.evaluate("document.activeElement.value") == "u"


def test_a_screen_reader_hears_the_result_once_when_changes_stop(other: Visit) -> None:
    page = other.page
    page.evaluate(
        """() => {
          window.heard = [];
          const status = document.querySelector("vtj-explorer [role=status]");
          new MutationObserver(() => window.heard.push(status.textContent)).observe(status, {
            childList: true, characterData: true, subtree: true,
          });
        }"""
    )
    slider = page.get_by_label("x₂", exact=True)
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(800)
    # x₂ is 1.5 now: 10 · 6 · 1.5² + 100 · 10
    assert page.evaluate("window.heard") == ["x.grad = [26, 1135]"]


def test_what_is_no_number_is_said_and_changes_nothing(other: Visit) -> None:
    page = other.page
    box = page.get_by_label("x₁, exactly")
    for typed in ("", "1000"):
        box.fill(typed)
        assert box.get_attribute("aria-invalid") == "true"
        told = page.locator(".vtj-status").inner_text()
        assert told == "x₁ must be a number from −100 to 100."
        assert values(page.locator(".vtj-products tfoot")).tolist() == [26, 1240]
    box.fill("0")
    assert box.get_attribute("aria-invalid") is None
    assert values(page.locator(".vtj-products tfoot")).tolist() == [0, 1240]


def test_motion_is_for_those_who_want_it(other: Visit) -> None:
    page = other.page
    page.evaluate(
        """() => {
          window.moved = 0;
          Element.prototype.animate = () => { window.moved += 1; };
        }"""
    )
    steps = page.locator(".vtj-steps button")
    page.emulate_media(reduced_motion="reduce")
    steps.click()
    steps.click()
    assert page.evaluate("window.moved") == 0
    page.emulate_media(reduced_motion="no-preference")
    steps.click()
    assert page.evaluate("window.moved") > 0


def test_the_code_can_be_copied(other: Visit) -> None:
    page = other.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".vtj-copy").click()
    page.wait_for_function("document.querySelector('.vtj-copy').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".vtj-code pre").inner_text()
    assert copied.startswith("import torch\n")


def test_without_a_clipboard_the_code_is_copied_the_old_way(other: Visit) -> None:
    page = other.page
    page.evaluate(
        """() => {
          navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
          document.execCommand = (command) => {
            window.command = [command, String(getSelection())];
          };
        }"""
    )
    page.locator(".vtj-copy").click()
    page.wait_for_function("window.command")
    command, selected = page.evaluate("window.command")
    assert command == "copy"
    assert selected == page.locator(".vtj-code pre").inner_text()


VIOLATIONS = """axe.run("vtj-explorer", { preload: false }).then((results) =>
  results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id} ${node.html.slice(0, 200)}`)))"""


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 375)])
def test_accessible_in_every_state(
    other: Visit,
    axe_source: str,
    functions: dict[str, dict[str, Any]],
    theme: Literal["light", "dark"],
    width: int,
) -> None:
    page = other.page
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(axe_source)
    found: dict[tuple[str, str, bool | str], list[str]] = {}
    for function in functions:
        for mode in ("v", "u"):
            choose(page, function, mode)
            for predict in (True, False):
                page.get_by_label("Predict first").set_checked(predict)
                found[function, mode, predict] = page.evaluate(VIOLATIONS)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.locator(".vtj-steps button").click()
            found[function, mode, "steps"] = page.evaluate(VIOLATIONS)
    assert {state: said for state, said in found.items() if said} == {}


def test_without_javascript_torchs_numbers_stand_there(scriptless: Page, where: str) -> None:
    scriptless.goto(where)
    explorer = scriptless.locator("vtj-explorer")
    text = " ".join(explorer.inner_text().split())
    assert "x.grad 26 1240" in text
    assert "y₂ = 17 2 24" in text
    assert explorer.locator("input, select, button").count() == 0
    box = explorer.bounding_box()
    assert box is not None
    assert box["height"] < 500  # no room is kept for what will not come


def test_scripts_and_style_are_small(site: Path) -> None:
    files = [site / "_static" / name for name in SENT]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= 15_000
