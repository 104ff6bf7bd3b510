from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

Build = Callable[..., str]
STILL = {"nb_execution_mode": "off"}  # no cells here


def description(html: Path) -> str:
    found = re.findall(
        r'<meta[^>]*content="([^"]*)"[^>]*>',
        "".join(
            re.findall(r'<meta[^>]*name="description"[^>]*>', html.read_text(encoding="utf-8"))
        ),
    )
    assert len(found) == 1
    return str(found[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Title\n\nThe *first* paragraph.\n\nAnother.", "The first paragraph."),
        ("# Title\n\nA formula $x$.\n\nThe second.", "The second."),
        ("# The `title`\n\n## Part\n\nNot about the page.", "The title – The site"),
        ("# Title\n\n- a list\n", "Title – The site"),
        ("# Title\n\nSay x < y & more.", "Say x &lt; y &amp; more."),
        ("# Title\n\n" + "word " * 60, "word " * 31 + "…"),
        ("no title", "&lt;no title&gt; – The site"),
    ],
)
def test_a_page_is_described_by_its_first_paragraph(
    text: str, said: str, build: Build, tmp_path: Path
) -> None:
    warnings = build("page_descriptions", config={"html_title": "The site", **STILL}, page=text)
    assert "page_descriptions" not in warnings
    assert description(tmp_path / "html" / "page.html") == said


def test_a_page_that_describes_itself_is_left_alone(build: Build, tmp_path: Path) -> None:
    own = {"myst_html_meta": {"keywords": "x", "description lang=en": "Its own."}}
    build("page_descriptions", config={**own, **STILL}, page="# Title\n\nThe first paragraph.")
    assert description(tmp_path / "html" / "page.html") == "Its own."


def test_generated_pages_are_described_too(build: Build, tmp_path: Path) -> None:
    build("page_descriptions", config={"html_title": "The site", **STILL}, page="# Title\n")
    assert description(tmp_path / "html" / "search.html") == "Search – The site"
    assert description(tmp_path / "html" / "genindex.html") == "Index – The site"


def test_link_previews_show_the_description(build: Build, tmp_path: Path) -> None:
    settings = {
        "extensions": ["myst_nb", "page_descriptions", "sphinxext.opengraph"],
        "ogp_site_url": "https://example.org/",
        "ogp_social_cards": {"enable": False},
        **STILL,
    }
    build("page_descriptions", config=settings, page="# Title\n\nSome $\\frac12$.\n\nPlain words.")
    page = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<meta property="og:description" content="Plain words." />' in page
