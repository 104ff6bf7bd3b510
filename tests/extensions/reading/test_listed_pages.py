"""A list of pages, and their place in the navigation, from what the pages say of themselves."""

from pathlib import Path

import pytest
from reading.listed_pages import entry

from tests.extensions.conftest import built

PAGES = {"lessons/index": "# Tutorials\n\n```{listed-pages}\n```\n"}
SETTINGS = {
    "extensions": ["myst_nb", "reading"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}


def written(folder: Path, name: str, listed: str, title: str = "Title: more") -> Path:
    file = folder / "docs/lessons" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nlisted: {listed}\n---\n\n# {title}\n", encoding="utf-8")
    return file


@pytest.mark.filterwarnings("ignore:.*MystReferenceResolver.app' is deprecated")
def test_pages_are_listed_in_their_order_and_a_new_one_needs_no_edit(tmp_path: Path) -> None:
    index = tmp_path / "html/lessons/index.html"
    written(tmp_path, "a", '{order: 20, about: "the **second**."}')
    written(tmp_path, "b", '{order: 10, short: First, about: "see [it](a.md)."}')
    assert built(tmp_path, PAGES, SETTINGS) == ""
    html = index.read_text(encoding="utf-8")
    first, second = html.index(">First</a>: see"), html.index(">Title</a>: the <str")
    assert html.index("<ol") < first < second < html.index("</ol>")
    after_b = (tmp_path / "html/lessons/b.html").read_text(encoding="utf-8")
    assert 'rel="next" title="Title: more" href="a.html"' in after_b
    written(tmp_path, "c", '{order: 15.5, about: "in between."}', "New")
    assert built(tmp_path, PAGES, SETTINGS, fresh=False) == ""
    html = index.read_text(encoding="utf-8")
    assert first < html.index(">New</a>: in between.") < html.index(">Title</a>: the <str")


def test_what_a_page_says_is_read(tmp_path: Path) -> None:
    said = entry(written(tmp_path, "a", '{order: 1, about: "that."}', "A `b` c: d"), "a")
    assert said == {"page": "a", "short": "A `b` c", "order": 1, "about": "that."}
