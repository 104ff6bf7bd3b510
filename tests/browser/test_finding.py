"""A reader with an error message: the box on a page, from disk."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit, visit

TRACEBACKS = yaml.safe_load(
    (Path(__file__).parents[1] / "extensions" / "errors" / "tracebacks.yaml").read_text("utf-8")
)
TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    loss.backward()
  File "/usr/lib/python3.12/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
\x1b[31mRuntimeError\x1b[0m: {message}
"""


def known(site: Path) -> list[dict[str, Any]]:
    script = (site / "_static" / "error-messages.js").read_text(encoding="utf-8")
    return [
        {"pattern": pattern, "url": url, "shown": shown, "elsewhere": elsewhere}
        for url, _, shown, *messages in json.loads(script[script.index("[") : script.rindex(";")])
        for pattern, elsewhere in messages
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "error" in metafunc.fixturenames:
        site = metafunc.config.getoption("--site").resolve()
        errors = known(site)
        ids = [f"{i}-{error['url'].partition('#')[2]}" for i, error in enumerate(errors)]
        metafunc.parametrize("error", errors, ids=ids)


@pytest.fixture(scope="session")
def box(browser: Browser, site: Path) -> Iterator[Visit]:
    context = browser.new_context()
    opened = visit(context)
    opened.page.clock.install(time=0)
    pages = [p for p in site.rglob("*.html") if "<vtj-error-box" in p.read_text(encoding="utf-8")]
    assert pages, "no page of the site holds the error box"
    opened.page.goto(min(pages, key=lambda page: len(page.parts)).as_uri())
    opened.page.clock.pause_at(3_600_000)  # time goes on when a test says so
    yield opened
    assert opened.errors == []
    context.close()


def answer(opened: Visit, typed: str) -> str:
    opened.page.get_by_label("Paste an error message").fill(typed)
    opened.page.clock.run_for(250)  # the box answers 200 ms after the last key
    return opened.page.locator("vtj-error-box [role=status]").inner_text()


def test_every_message_leads_to_its_explanation(
    box: Visit, site: Path, error: dict[str, Any]
) -> None:
    bare = re.sub(r"^[\w.]*(?:Error|Warning|Exception): ", "", error["pattern"])
    message = bare.replace("{…}", "[4, 2]")
    said = answer(box, TRACEBACK.format(message=message))
    lead = "Shown here:" if error["shown"] else "Explained here:"
    assert said.startswith("Perhaps:" if error["elsewhere"] else lead)
    links = box.page.locator("vtj-error-box a").evaluate_all("(all) => all.map((a) => a.href)")
    assert f"{site.as_uri()}/{error['url']}" in links
    page, _, anchor = error["url"].partition("#")
    assert f'id="{anchor}"' in (site / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            "RuntimeError: The size of tensor a (32) must match the size of tensor b (10) at "
            "non-singleton dimension 1",
            "torch.ones(32) + torch.ones(10)",
        ),
        (
            "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
            "bool(torch.ones(2))",
        ),
        ("TypeError: 'int' object is not iterable", "list(5)"),
        (
            "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number",
            "torch.tensor(1.0)[0]",
        ),
        (
            "NotImplementedError: Cannot copy out of meta tensor; no data!",
            "torch.empty(2, device='meta').cpu()",
        ),
        (
            "ValueError: Default process group has not been initialized, please make sure to call "
            "init_process_group.",
            "torch.distributed.get_rank()",
        ),
        (
            "UserWarning: To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than torch.tensor(sourceTensor).",
            "torch.tensor(torch.ones(2))",
        ),
    ],
    ids=["a + b", "if tensor", "for i in 5", "loss[0]", "a meta tensor", "no group", "a copy"],
)
def test_what_plain_torch_raises_too_is_told_as_such(box: Visit, message: str, line: str) -> None:
    said = answer(box, TRACEBACK.format(message=message))
    assert "Explained here" not in said
    assert "Shown here" not in said
    assert f"{line} raises this message too, without any backward." in said


@pytest.mark.parametrize("case", TRACEBACKS, ids=[case["what"] for case in TRACEBACKS])
def test_what_people_paste_leads_to_the_right_place_or_to_none(
    box: Visit, site: Path, case: dict[str, Any]
) -> None:
    said = answer(box, case["text"].replace("␛", "\x1b"))
    links = box.page.locator("vtj-error-box a").evaluate_all("(all) => all.map((a) => a.href)")
    if case["right"] == "none":
        assert said.startswith("No page explains this message.")
        assert len(links) == 1
        return
    assert links[0] == f"{site.as_uri()}/{case['right']}"
    if "line" in case:
        assert f"{case['line']} raises this message too, without any backward." in said
    else:
        assert said.startswith("Perhaps:") == case.get("roughly", False)


def test_an_old_wording_inside_another_message_is_not_taken_for_it(box: Visit) -> None:
    said = answer(
        box,
        "RuntimeError: Function MineBackward returned an invalid gradient at index 2 - "
        "got [0, 0, 3] but expected shape compatible with [0, 16, 3]",
    )
    assert said.startswith("Explained here:")
    assert "returned an incorrect number of gradients" in said
    assert "Mismatch in shape" not in said
    old = answer(box, "invalid gradient at index 0 - got [4] but expected shape compatible with []")
    assert "Mismatch in shape" in old


def test_a_message_told_roughly_is_guessed(box: Visit) -> None:
    said = answer(box, "grads can be created implicitly for scalar outputs only")
    assert said.startswith("Perhaps:")
    assert "implicitly created" in said


def test_a_message_nobody_explains_leads_to_the_search(box: Visit) -> None:
    said = answer(box, "CUDA driver version is insufficient")
    assert "Search the site" in said
    link = box.page.locator("vtj-error-box a").last.get_attribute("href")
    assert link is not None
    assert link.endswith(f"search.html?q={quote('CUDA driver version is insufficient')}")


def test_under_each_link_stands_what_its_section_answers_first(box: Visit) -> None:
    answer(box, TRACEBACK.format(message="grad can be implicitly created only for scalar outputs"))
    beside = box.page.locator("vtj-error-box li p")
    beside.first.wait_for()
    assert "loss.mean().backward()" in beside.first.inner_text()


def test_a_few_words_are_a_question(box: Visit, site: Path) -> None:
    answer(box, "why is x.grad none")
    link = box.page.locator("vtj-error-box li a").first
    link.wait_for()
    href = link.evaluate("link => link.href")
    assert href == f"{site.as_uri()}/faq.html#faq-grad-is-none"
    assert "The search finds:" in box.page.locator("vtj-error-box").inner_text()
    assert box.page.locator("vtj-error-box li p").first.inner_text()


def test_too_little_says_nothing(box: Visit) -> None:
    assert answer(box, "error") == ""


def test_without_javascript_the_sections_are_links(scriptless: Page, site: Path) -> None:
    scriptless.goto((site / "how-to" / "errors.html").as_uri())
    explained = {error["url"] for error in known(site) if not error["shown"]}
    assert scriptless.locator("vtj-error-box a").count() == len(explained)
