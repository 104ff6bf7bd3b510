"""Every page says what it is about, for search engines and previews of links."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from page_descriptions import describe

Build = Callable[..., str]
STILL = {"html_theme": "basic", "nb_execution_mode": "off"}  # no cells here


def description(html: Path) -> str:
    text = html.read_text(encoding="utf-8")
    before, meta, _ = re.split(r'(<meta[^>]*name="description"[^>]*>)', text)
    assert before.rstrip().endswith(">")  # no word of it stands beside the tag
    found = re.search('content="([^"]*)"', meta)
    assert found is not None
    return found[1]


def described(text: str = "", *more: nodes.Node, name: str = "page", **context: Any) -> Any:
    """Return what the template of a page is given, whose text is reStructuredText."""
    app: Any = SimpleNamespace(config=SimpleNamespace(html_title="The site"))
    tree = publish_doctree(text, settings_overrides={"doctitle_xform": False}) if text else None
    if tree:
        tree += more
    describe(app, name, "page.html", context, tree)
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


def test_what_describes_a_page_itself_stays() -> None:
    own = nodes.meta(name="description", content="Its &quot;own&quot;.")
    other = nodes.meta(name="keywords", content="x y")
    context = described(f"{TITLE}The first.", other, own, metatags="<meta>", meta={"more": "a"})
    assert context["metatags"] == "<meta>"
    assert context["meta"] == {"more": "a", "og:description": 'Its "own".'}


def test_what_else_a_page_says_of_itself_stays_too() -> None:
    other = nodes.meta(name="keywords", content="x y")
    context = described(f"{TITLE}The first.", other, metatags="<meta>", meta={"more": "a"})
    assert context["metatags"] == f"<meta>{tag('The first.')}"
    assert context["meta"] == {"more": "a", "og:description": "The first."}


@pytest.mark.parametrize(
    ("name", "context", "said"),
    [
        ("search", {}, "Search – The site"),
        ("genindex", {"meta": None}, "Index – The site"),
        ("extra", {}, "extra – The site"),
        ("extra", {"title": "More"}, "More – The site"),
    ],
)
def test_a_page_without_a_source_is_described_by_its_title_or_its_name(
    name: str, context: dict[str, Any], said: str
) -> None:
    assert described(name=name, **context)["metatags"] == tag(said)


def test_a_page_is_described_as_it_is_written(build: Build, tmp_path: Path) -> None:
    text = "# Title\n\nA formula $x$.\n\nSay *x* < y."
    warnings = build("page_descriptions", config={"html_title": "The site", **STILL}, page=text)
    assert warnings == ""
    assert description(tmp_path / "html" / "page.html") == "Say x &lt; y."


def test_a_page_that_describes_itself_is_left_alone(build: Build, tmp_path: Path) -> None:
    own = {"myst_html_meta": {"keywords": "x", "description lang=en": "Its own."}}
    build("page_descriptions", config={**own, **STILL}, page="# Title\n\nThe first paragraph.")
    assert description(tmp_path / "html" / "page.html") == "Its own."


def test_generated_pages_are_described_too(build: Build, tmp_path: Path) -> None:
    config = {"html_title": "The site", "html_additional_pages": {"extra": "search.html"}}
    build("page_descriptions", config={**config, **STILL}, page="# Title\n")
    assert description(tmp_path / "html" / "extra.html") == "extra – The site"
    assert description(tmp_path / "html" / "search.html") == "Search – The site"
    assert description(tmp_path / "html" / "genindex.html") == "Index – The site"


def test_link_previews_show_the_description(build: Build, tmp_path: Path) -> None:
    settings = {
        "extensions": ["myst_nb", "sphinxext.opengraph", "page_descriptions"],
        "ogp_site_url": "https://example.org/",
        "ogp_social_cards": {"enable": False},
        **STILL,
    }
    (tmp_path / "docs").mkdir()
    own = '---\norphan: true\n"og:title": Of its own\n---\n# Own\n\n$x$\n\nOwn words.\n'
    (tmp_path / "docs/own.md").write_text(own)
    build("page_descriptions", config=settings, page="# Title\n\nSome $\\frac12$.\n\nPlain words.")
    page = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<meta property="og:description" content="Plain words." />' in page
    page = (tmp_path / "html" / "own.html").read_text(encoding="utf-8")
    assert '<meta property="og:description" content="Own words." />' in page
    assert '<meta property="og:title" content="Of its own" />' in page
