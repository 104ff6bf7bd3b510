"""Sections that fold: the named ones, whole, and no others."""

import re
from pathlib import Path

import pytest
from folded_sections import folded

from tests.extensions.conftest import Build

CONFIG = {"html_theme": "furo", "html_js_files": ["fold.js"], "extensions": ["myst_nb"]}
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
        **CONFIG,
        "extensions": ["myst_nb", "folded_sections", "light_pages"],
        "folded_sections": pages,
    }


def test_the_named_sections_fold_and_no_others(build: Build, tmp_path: Path) -> None:
    assert (
        build(
            "folded_sections",
            config=settings(page=["faq-*"]),
            page=PAGE,
            other=LABELS.sub("", PAGE),
        )
        == ""
    )
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
    assert "fold" not in other.partition("<article")[2]
    assert "fold.js" not in other


@pytest.mark.parametrize("pattern", ["absent-*", "some"])
def test_a_pattern_that_folds_nothing_stops_the_build(
    build: Build, tmp_path: Path, pattern: str
) -> None:
    with pytest.raises(Exception, match=rf"page has no section '{pattern[:4]}.*without sections"):
        build("folded_sections", config=settings(page=[pattern]), page=PAGE)


def test_a_section_with_sections_in_it_stays() -> None:
    body = '<section id="a">\n<h2>A</h2>\n<section id="b">\n<h3>B</h3>\n</section>\n</section>'
    assert folded(body, "a") == (body, 0)
    assert folded(body, "b")[1] == 1
