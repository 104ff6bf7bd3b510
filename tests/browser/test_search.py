"""The search of the built site: it finds the section that answers, and shows the sentence."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HERE, ROOT, THEMES, pages_of
from tests.browser.finding.scoring import Query, asked, places, reached_by, table
from tests.browser.test_finding import known
from tests.browser.test_pages import look, violations
from tests.browser.test_server import HEAVIEST
from tests.browser.visiting import Visit, visit

LISTS = sorted((HERE / "finding").glob("*.yaml"))
LISTS_OF_WORDS = {"genindex.html", "py-modindex.html", "search.html"}  # they lead to answers
LOST = {"404.html"}  # shown for an address that is not there; no page links to it
COLORS = "runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}"
RESULTS = "#site-search ol > li > a"
BY_TITLES = """() => vtjSearch().then(({ find, sections }) => Object.fromEntries(sections.map(
  ({ url, titles }) => {
    const question = [titles[titles.length - 1], titles[0]].join(" ");
    return [url, find(question).findIndex((one) => one.url === url) + 1];
  })))"""

FIRST_BY_TITLE = """() => vtjSearch().then(({ find, sections }) => Object.fromEntries(sections
  .filter(({ url, titles }) => url.startsWith("faq") && titles.length === 3)
  .map(({ url, titles }) => [url, find(titles[2])[0].url])))"""


def search(opened: Visit, address: str, question: str) -> Page:
    """Search as the box beside every page does, and wait for the answer."""
    opened.go(f"{address}/search.html?q={quote(question)}")
    expect(opened.page.get_by_role("status")).not_to_be_empty()
    return opened.page


@pytest.fixture(scope="session")
def search_tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_the_right_section_is_first_or_near_it(search_tab: Page, site: Path, file: Path) -> None:
    """A page that comes may take a place or two; where that is right, the list is to say so."""
    found = places(search_tab, site, asked(file))
    assert len(found) >= 20
    assert reached_by(found, 1) >= 0.8 * len(found), table(found)
    assert reached_by(found, 3) >= 0.93 * len(found), table(found)


def test_an_address_that_leads_nowhere_is_named(search_tab: Page, site: Path) -> None:
    with pytest.raises(LookupError, match=re.escape("faq.html#gone leads to no section")):
        places(search_tab, site, [Query("why", ("faq.html#gone",))])


def test_each_section_is_found_by_its_titles(search_tab: Page, site: Path) -> None:
    """From home to any section in two loads: the box beside the page, and the result."""
    search_tab.goto((site / "search.html").as_uri())
    found: dict[str, int] = search_tab.evaluate(BY_TITLES)
    assert len(found) >= 400
    # What to read next and an exercise share their words with what they are about.
    lost = [url for url, place in found.items() if not place and not re.search("#(next|pre)", url)]
    assert len(lost) <= 0.02 * len(found), lost
    assert sum(0 < place <= 3 for place in found.values()) >= 0.85 * len(found)


def test_who_asks_in_the_words_of_a_title_is_led_to_that_section(
    search_tab: Page, site: Path
) -> None:
    """A title that is a message leads to the section that explains the message instead."""
    search_tab.goto((site / "search.html").as_uri())
    first: dict[str, str] = search_tab.evaluate(FIRST_BY_TITLE)
    assert len(first) >= 60
    explained = {one["url"] for one in known(site) if not one["shown"]}
    assert [url for url, found in first.items() if found != url and found not in explained] == []


def test_a_pasted_message_finds_its_explanation(search_tab: Page, site: Path) -> None:
    errors = known(site)
    queries = [Query(one["pattern"].replace("{…}", "[4, 2]"), (one["url"],)) for one in errors]
    found = places(search_tab, site, queries)
    assert reached_by(found, 3) >= 0.95 * len(queries), table(found)


def pages_linked_from(site: Path, page: str) -> set[str]:
    """Return the pages that a page links to."""
    soup = BeautifulSoup((site / page).read_text(encoding="utf-8"), "html.parser")
    hrefs = [urljoin(f"http://site/{page}", str(link["href"])) for link in soup.select("a[href]")]
    links = [urlsplit(href) for href in hrefs]
    found = {unquote(link.path)[1:] for link in links if link.netloc == "site"}
    return {link for link in found if (site / link).is_file()}


def test_any_answer_is_two_loads_from_home_by_links(
    site: Path, pytestconfig: pytest.Config
) -> None:
    """The front page is there already: each link is a load."""
    one = pages_linked_from(site, "index.html")
    pages = {page for page in one if page.endswith(".html")}
    two = {link for page in pages for link in pages_linked_from(site, page)}
    assert set(pages_of(pytestconfig)) - LISTS_OF_WORDS - LOST <= one | two | {"index.html"}


SENTENCES = [
    ("why is x.grad none", "faq.html", "faq-grad-is-none"),
    ("jacobain", "reference/glossary.html", "term-Jacobian"),
    ("can't call numpy() on tensor that requires grad", "how-to/errors.html", "error-numpy"),
    ("vtj.check", "reference/api.html", "vtj.check"),
    ("gradient reversal", "how-to/change-v-with-hooks.html", "reverse-the-gradient"),
]


@pytest.mark.parametrize("served", [False, True], ids=["from disk", "from a server"])
@pytest.mark.parametrize(("question", "page", "anchor"), SENTENCES)
def test_a_result_opens_its_section_with_the_sentence_in_sight(
    fresh: Visit, site: Path, server: str, question: str, page: str, anchor: str, *, served: bool
) -> None:
    shown = search(fresh, server if served else site.as_uri(), question)
    link = shown.locator(f"{RESULTS}[href*='{page}'][href$='#{anchor}']")
    sentence = link.locator("xpath=../p[@class='search-sentence']").inner_text()
    link.click()
    shown.wait_for_url(f"**/{page}?*#{anchor}")
    found = shown.locator(".found")
    expect(found).to_be_in_viewport()
    assert found.get_attribute("tabindex") == "-1"
    assert " ".join(sentence.split())[:60] in " ".join(found.inner_text().split())
    assert fresh.errors == []


def test_a_result_for_a_message_says_its_cause_and_not_the_message_again(
    fresh: Visit, site: Path
) -> None:
    message = "grad can be implicitly created only for scalar outputs"
    shown = search(fresh, site.as_uri(), message)
    assert shown.locator(RESULTS).first.inner_text() == message
    said = shown.locator(".search-sentence").first.inner_text()
    assert said.startswith("For a tensor with several elements, you cannot omit v. ")


@pytest.mark.parametrize("question", ["qqqqzzzz", "€"])
def test_nothing_found_says_what_to_do(fresh: Visit, site: Path, question: str) -> None:
    shown = search(fresh, site.as_uri(), question)
    assert shown.locator(RESULTS).count() == 0
    assert shown.get_by_role("status").inner_text().startswith("No section holds these words.")
    links = shown.locator(".search-help a")
    targets = links.evaluate_all("(all) => all.map((a) => a.href)")
    assert len(targets) == 4
    for target in targets:
        assert Path(target.removeprefix("file://")).is_file()


def test_by_keyboard_from_the_question_to_the_answer(fresh: Visit, site: Path) -> None:
    page = fresh.page
    page.goto((site / "search.html").as_uri())
    page.get_by_label("Your question, in your words").focus()
    page.keyboard.insert_text("retain_graph or create_graph")
    expect(page.get_by_role("status")).to_contain_text("Sections found")
    page.keyboard.press("Tab")  # the button
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#site-search ol a')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/faq.html?*#faq-retain-create")
    expect(page.locator(".found")).to_be_focused()


@pytest.mark.parametrize("served", [False, True], ids=["from disk", "from a server"])
def test_who_comes_back_from_a_result_finds_the_question_again(
    fresh: Visit, site: Path, server: str, *, served: bool
) -> None:
    shown = search(fresh, server if served else site.as_uri(), "retain_graph")
    shown.get_by_label("Your question, in your words").fill("why is x.grad none")
    shown.wait_for_url("**/search.html?q=why%20is%20x.grad%20none")
    shown.locator(RESULTS).first.click()
    shown.wait_for_url("**/faq.html?*")
    shown.go_back()
    expect(shown.get_by_label("Your question, in your words")).to_have_value("why is x.grad none")
    expect(shown.locator(RESULTS).first).to_have_text("Why is x.grad None?")


def test_from_another_page_the_box_leads_to_the_answers(fresh: Visit, site: Path) -> None:
    page = fresh.page
    page.goto((site / "how-to" / "errors.html").as_uri())
    page.locator("input.sidebar-search").fill("cotangent")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=cotangent*")
    expect(page.locator(RESULTS).first).to_be_visible()
    assert page.get_by_label("Your question, in your words").input_value() == "cotangent"


def test_the_words_of_the_site_load_when_somebody_searches(
    browser: Browser, server: str, site: Path
) -> None:
    context = browser.new_context()
    opened = visit(context)
    for page in ("index.html", "search.html"):
        opened.go(f"{server}/{page}")
        assert not any("search-data" in url for url in opened.requests)
    before = opened.weight(site, server)
    search(opened, server, "jacobian")
    words = opened.weight(site, server).items() - before.items()
    assert "_static/search-data.js" in dict(words)
    assert sum(dict(words).values()) <= HEAVIEST
    context.close()


@pytest.mark.parametrize("width", [375, 1440])
@pytest.mark.parametrize("theme", THEMES)
def test_answers_can_be_seen_and_heard(
    fresh: Visit, site: Path, theme: str, width: int, axe_source: str
) -> None:
    shown = search(fresh, site.as_uri(), "why is x.grad none")
    look(fresh, theme, width)
    assert violations(shown, axe_source) == []
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    shown.locator(RESULTS).first.click()
    shown.locator(".found").wait_for()
    look(fresh, theme, width)
    assert violations(shown, axe_source, COLORS) == []


def test_without_scripts_the_page_says_what_to_use_instead(scriptless: Page, site: Path) -> None:
    scriptless.goto((site / "search.html").as_uri())
    said = scriptless.locator("#site-search").inner_text()
    assert "scripts are off" in said
    assert scriptless.locator(".search-help a").count() == 4


def test_the_library_is_the_one_of_the_lock(tmp_path: Path) -> None:
    """Made again by terser from the package that npm installed."""
    made = tmp_path / "minisearch.min.js"
    modules = HERE / "node_modules"
    source = modules / "minisearch"
    options = ["--compress", "--mangle", "--comments", "false", "--output", str(made)]
    script = str(source / "dist" / "umd" / "index.js")
    subprocess.run([modules / ".bin" / "terser", script, *options], check=True, timeout=60)
    kept = ROOT / "conf" / "static" / "minisearch"
    assert (kept / "minisearch.min.js").read_bytes() == made.read_bytes()
    assert (kept / "LICENSE.txt").read_bytes() == (source / "LICENSE.txt").read_bytes()
