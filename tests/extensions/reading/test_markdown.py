"""The pages as plain Markdown, from what the HTML build ran."""

import pytest

from tests.extensions.reading.conftest import PAGES, Site, make


@pytest.fixture(scope="module")
def markdown(site: Site) -> Site:
    """The same site by the other builder."""
    return make(site.folder, "markdown")


def test_nothing_is_read_or_runs_again(site: Site, markdown: Site) -> None:
    written = (site.folder / "html" / "index.html").stat().st_mtime_ns
    doctrees = list((site.folder / "doctrees").rglob("*.doctree"))
    assert len(doctrees) == len(PAGES) + 1
    # at once, as far as the clock of files tells
    assert all(file.stat().st_mtime_ns <= written for file in doctrees)
    assert markdown.warnings == []


def text(markdown: Site, name: str) -> str:
    return (markdown.folder / "markdown" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "holds"),
    [
        ("runs", "```python\nprint(sys.last_value)\n```\n\n```text\nas it should\n```"),
        ("first", "```text\nplain words\n```"),
        ("first", "$$\n\\displaystyle x_1\n$$"),
        ("first", "> **Beware**\n\n> Of *this*."),
        ("cards", "Learn"),
        ("cards", "In order"),
        ("cards", "VJP and JVP"),
        ("cards", "```\nno language\n```"),
        ("deep/code", "```python\nx = f(1)\n```"),
    ],
)
def test_a_page_holds_what_ran(markdown: Site, page: str, holds: str) -> None:
    assert holds in text(markdown, f"{page}.md")


def test_what_only_a_browser_shows_is_left_out_for_markdown_alone(site: Site) -> None:
    assert "<b>html</b>" in site.text("first.html")
    assert "only in" in site.text("cards.html")
    assert not (site.folder / "html" / "llms.txt").exists()


def test_it_is_left_out_of_markdown(markdown: Site) -> None:
    assert "<b>html</b>" not in text(markdown, "first.md")
    assert "only in" not in text(markdown, "cards.md")
    assert "a browser" not in text(markdown, "cards.md")


def test_the_lists_name_every_page_and_say_what_it_is_about(markdown: Site) -> None:
    lines = text(markdown, "llms.txt").splitlines()
    assert lines[:4] == ["# A site", "", "> ", ""]
    assert lines[4:8] == [
        "- [All pages](index.md)",
        "- [A page](runs.md): It has a link and a site.",
        "- [First](first.md): About the “first”.",
        "- [Still](still.md): No cell.",
    ]
    assert len(lines) == 4 + 1 + len(PAGES)
    full = text(markdown, "llms-full.txt")
    places = [full.index(f"# {title}\n") for title in ("All pages", "A page", "Still", "Questions")]
    assert places == sorted(places)
