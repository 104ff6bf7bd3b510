"""A reader with an error message: the box on a page, and the site's search, from disk."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.visiting import Visit, visit

TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    loss.backward()
  File "/usr/lib/python3.12/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
\x1b[31mRuntimeError\x1b[0m: {message}
"""


def known(site: Path) -> list[dict[str, str]]:
    script = (site / "_static" / "error-messages.js").read_text(encoding="utf-8")
    found: list[dict[str, str]] = json.loads(script[script.index("[") : script.rindex("]") + 1])
    return found


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
    pages = [p for p in site.rglob("*.html") if "<vtj-error-box" in p.read_text(encoding="utf-8")]
    assert pages, "no page of the site holds the error box"
    opened.page.goto(min(pages, key=lambda page: len(page.parts)).as_uri())
    yield opened
    assert opened.errors == []
    context.close()


def answer(opened: Visit, typed: str) -> str:
    opened.page.get_by_label("Paste an error message").fill(typed)
    opened.page.wait_for_timeout(250)
    return opened.page.locator("vtj-error-box [role=status]").inner_text()


def test_every_message_leads_to_its_explanation(
    box: Visit, site: Path, error: dict[str, str]
) -> None:
    bare = re.sub(r"^[\w.]*(?:Error|Warning|Exception): ", "", error["pattern"])
    message = bare.replace("{…}", "[4, 2]")
    said = answer(box, TRACEBACK.format(message=message))
    assert said.startswith("Explained here:")
    links = box.page.locator("vtj-error-box a").evaluate_all("(all) => all.map((a) => a.href)")
    assert f"{site.as_uri()}/{error['url']}" in links
    page, _, anchor = error["url"].partition("#")
    assert f'id="{anchor}"' in (site / page).read_text(encoding="utf-8")


def test_a_message_that_ends_as_an_old_one_does_not_lead_to_the_old_one(box: Visit) -> None:
    custom = "Function XBackward returned an invalid gradient at index 0"
    said = answer(box, f"{custom} - got [4] but expected shape compatible with [3, 4]")
    assert said.startswith("Explained here:")
    assert "returned an incorrect number of gradients, or an invalid gradient" in said
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


def test_too_little_says_nothing(box: Visit) -> None:
    assert answer(box, "error") == ""


def test_without_javascript_the_messages_are_links(scriptless: Page, site: Path) -> None:
    scriptless.goto((site / "how-to" / "errors.html").as_uri())
    assert scriptless.locator("vtj-error-box a").count() == len(known(site))


@pytest.mark.parametrize("query", ["Mismatch in shape", "implicitly created", "retain_graph"])
def test_the_search_finds_error_texts(fresh: Visit, site: Path, query: str) -> None:
    fresh.page.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
    results = fresh.page.locator("ul.search li a")
    results.and_(fresh.page.locator("[href*='how-to/errors.html']")).first.wait_for()
    assert fresh.errors == []
