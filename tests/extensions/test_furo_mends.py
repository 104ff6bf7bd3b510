"""What the theme leaves undone for screen readers is mended, or the build stops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from furo_mends import MENDS, Mend, mended
from sphinx.errors import ThemeError

Build = Callable[..., str]
STILL = {"nb_execution_mode": "off"}  # no cells here
WHOLE = "\n".join(mend.old for mend in MENDS)


def test_every_mend_is_made_in_furo_as_it_is(build: Build, tmp_path: Path) -> None:
    warnings = build(
        "furo_mends", config={"html_theme": "furo", **STILL}, page="# Title\n\nText.\n"
    )
    assert warnings == ""
    page = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<aside class="sidebar-drawer" aria-label="Site">' in page
    assert '<aside aria-label="This page" class="toc-drawer' in page
    assert 'role="region" aria-label="Page tools"' in page


def test_what_is_no_page_stays_as_it_is(build: Build, tmp_path: Path) -> None:
    config = {"html_theme": "furo", "html_use_opensearch": "https://example.org", **STILL}
    assert build("furo_mends", config=config, page="# Title\n") == ""
    assert (tmp_path / "html/_static/opensearch.xml").exists()


def test_a_summary_is_named_by_its_own_text() -> None:
    assert "Toggle hidden content" not in mended(WHOLE, "page")


def test_the_empty_corner_of_a_table_is_no_heading(build: Build, tmp_path: Path) -> None:
    page = "# Title\n\n|  | head |\n|---|---|\n| side | cell |\n"
    build("furo_mends", config={"html_theme": "furo", **STILL}, page=page)
    written = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<tr class="row-odd"><td></td>\n<th class="head"><p>head</p></th>' in written


def test_the_empty_corner_of_a_printed_table_is_no_heading_either() -> None:
    assert '<tr><td></td><th scope="col">a</th>' in mended(
        WHOLE + '<tr><th scope="col"></th><th scope="col">a</th></tr>', "page"
    )


def test_a_folded_cell_is_no_warning(build: Build, tmp_path: Path) -> None:
    page = "# Title\n\n```{code-cell} python\n:tags: [hide-input]\n1\n```\n"
    build("furo_mends", config={"html_theme": "furo", **STILL}, page=page)
    written = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert '<details class="hide above-input">' in written
    assert "admonition" not in written.partition("<article")[2].partition("</article>")[0]


@pytest.mark.parametrize("mend", [mend for mend in MENDS if mend.times])
def test_markup_that_is_gone_stops_the_build(mend: Mend) -> None:
    with pytest.raises(ThemeError, match=r"how-to/errors: expected 1 × <.* and found 0"):
        mended(WHOLE.replace(mend.old, "<div>"), "how-to/errors")
    with pytest.raises(ThemeError, match="found 2"):
        mended(WHOLE + mend.old, "how-to/errors")


def test_a_theme_without_that_markup_stops_the_build(build: Build) -> None:
    with pytest.raises(
        ThemeError, match=r"furo_mends: (genindex|index|page|search): expected 1 × "
    ):
        build("furo_mends", config={"html_theme": "basic", **STILL}, page="# Title\n")
