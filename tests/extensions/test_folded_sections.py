"""Sections that fold: the named ones, whole, and no others."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from folded_sections import folded

from tests.extensions.conftest import Build

PAGE = """\
# Questions

## Some

(faq-first)=
### First?

Yes.

(faq-second)=
### Second?

No.

## Others

(other)=
### Third?

Perhaps.
"""
LABELS = re.compile(r"^\(.*\)=\n", re.MULTILINE)


def settings(**pages: list[str]) -> dict[str, object]:
    return {
        "html_theme": "basic",
        "html_js_files": ["fold.js"],
        "extensions": ["myst_nb", "folded_sections", "light_pages"],
        "folded_sections": pages,
        "nb_execution_mode": "off",
    }


def test_the_named_sections_fold_and_no_others(build: Build, tmp_path: Path) -> None:
    config, other = settings(page=["faq-*"]), LABELS.sub("", PAGE)
    assert build("folded_sections", config=config, page=PAGE, other=other) == ""
    page = (tmp_path / "html" / "page.html").read_text("utf-8")
    assert page.count('<details class="fold">') == page.count("</details></section>") == 2
    for name, question, answer in (("first", "First?", "Yes."), ("second", "Second?", "No.")):
        section = page.partition(f'<section id="faq-{name}">')[2].partition("</section>")[0]
        summary = section.partition("<summary>")[2].partition("</summary>")[0]
        assert question in summary
        assert answer not in summary
        assert answer in section.partition("</summary>")[2].partition("</details>")[0]
    assert "fold.js" in page
    other = (tmp_path / "html" / "other.html").read_text("utf-8")
    assert "<details" not in other
    assert "fold.js" not in other


def test_sections_fold_as_soon_as_conf_py_names_them(build: Build, tmp_path: Path) -> None:
    still = {"html_theme": "basic", "nb_execution_mode": "off"}
    assert build("folded_sections", config=still, page=PAGE) == ""
    page = tmp_path / "html" / "page.html"
    assert "<details" not in page.read_text("utf-8")
    config = still | {"folded_sections": {"page": ["faq-*", "other"]}}
    assert build("folded_sections", config=config, fresh=False, page=PAGE) == ""
    assert page.read_text("utf-8").count('<details class="fold">') == 3


def test_who_looks_for_text_in_a_page_finds_it_unfolded(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = []

    def look(app: object, page: str, template: str, context: dict[str, Any], tree: object) -> None:
        bodies.append(context.get("body", ""))

    other = ModuleType("other")
    other.setup = lambda app: app.connect("html-page-context", look) and {}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other", other)
    config = settings(page=["faq-*"]) | {"extensions": ["myst_nb", "folded_sections", "other"]}
    assert build("folded_sections", config=config, page=PAGE) == ""
    assert any("Second?" in body for body in bodies)
    assert not any("<details" in body for body in bodies)


@pytest.mark.parametrize("pattern", ["absent-*", "some"])
def test_a_pattern_that_folds_nothing_stops_the_build(
    build: Build, tmp_path: Path, pattern: str
) -> None:
    said = f"folded_sections: page has no section {pattern!r} without sections in it"
    with pytest.raises(Exception, match=re.escape(said)):
        build("folded_sections", config=settings(page=[pattern]), page=PAGE)


def test_a_section_with_sections_in_it_stays() -> None:
    body = '<section id="a">\n<h2>A</h2>\n<section id="b">\n<h3>B</h3>\n</section>\n</section>'
    assert folded(body, "a") == (body, 0)
    assert folded(body, "b")[1] == 1


def test_every_section_that_matches_folds_whole() -> None:
    body = "".join(
        f'<section id="{name}">\n<span id="more"></span><h2>{name}</h2>\n<p>Text.</p>\n</section>\n'
        for name in ("a-1", "b", "a-2")
    )
    new, number = folded(body, "a-*")
    assert number == 2
    one, other, two = new.splitlines()[:4], new.splitlines()[4:8], new.splitlines()[8:]
    assert one == [
        '<section id="a-1">',
        '<span id="more"></span><details class="fold"><summary><h2>a-1</h2></summary>',
        "<p>Text.</p>",
        "</details></section>",
    ]
    assert other == body.splitlines()[4:8]
    assert two == [line.replace("a-1", "a-2") for line in one]
