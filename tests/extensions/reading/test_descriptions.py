"""Every page says what it is about, for search engines and previews of links."""

from html import escape
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from reading.descriptions import describe

from tests.extensions.reading.conftest import PAGES, Site


def described(text: str, *more: nodes.Node, **context: Any) -> Any:
    """Return what the template of a page is given, whose text is reStructuredText."""
    app: Any = SimpleNamespace(config=SimpleNamespace(html_title="The site"))
    tree = publish_doctree(text, settings_overrides={"doctitle_xform": False})
    tree += more
    describe(app, "page", "page.html", context, tree)
    return context


def tag(text: str) -> str:
    return f'\n<meta name="description" content="{text}">'


TITLE, FORMULA = "Title\n=====\n\n", "A formula :math:`x`.\n\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{TITLE}The *first* paragraph.\n\nAnother.", "The first paragraph."),
        (f"{TITLE}{FORMULA}The second.", "The second."),
        (f"{TITLE}Part\n----\n\nNot about the page.", "A <b> – The site"),
        (f"{TITLE}- a list\n", "A <b> – The site"),
        (f"{TITLE}{FORMULA}Two\n===\n\nNot about the page.", "A <b> – The site"),
        (f"{TITLE}Say x < y & more.", "Say x < y & more."),
        (TITLE + "word " * 60, "word " * 31 + "…"),
        ("no title", "A <b> – The site"),
    ],
)
def test_a_page_is_described_by_its_first_paragraph_or_its_title(text: str, said: str) -> None:
    context = described(text, title="A <i>&lt;b&gt;</i>")
    assert context["metatags"] == tag(escape(said))
    assert context["meta"] == {"og:description": said}


KEYWORDS = nodes.meta(name="keywords", content="x y")
OWN = nodes.meta(name="description", content="Its &quot;own&quot;.")


@pytest.mark.parametrize(
    ("more", "tags", "said"),
    [
        ([KEYWORDS], f"<meta>{tag('The first.')}", "The first."),
        ([KEYWORDS, OWN], "<meta>", 'Its "own".'),
    ],
)
def test_what_a_page_says_of_itself_stays(more: list[nodes.Node], tags: str, said: str) -> None:
    context = described(f"{TITLE}The first.", *more, metatags="<meta>", meta={"more": "a"})
    assert context["metatags"] == tags
    assert context["meta"] == {"more": "a", "og:description": said}


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("cards", "Plain words of cards(v)."),
        ("first", "About the “first”."),
        ("search", "Search – A site"),
        ("genindex", "Index – A site"),
    ],
)
def test_search_engines_and_link_previews_are_told_once(site: Site, page: str, said: str) -> None:
    shown = site.soup(page)
    assert [tag["content"] for tag in shown.select('meta[name="description"]')] == [said]
    previews = [tag["content"] for tag in shown.select('meta[property="og:description"]')]
    assert previews == ([said] if page in PAGES else [])  # no link leads to the others
