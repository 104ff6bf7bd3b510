"""What a reader gets of a small site: addresses, folds, names for the ear, and no dead weight."""

import json
import platform
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from reading import data

from tests.extensions.reading.conftest import PAGES, Site


def test_it_is_built_without_a_warning(site: Site) -> None:
    assert site.warnings == []


def test_rows_and_figures_have_addresses_and_links_to_them(site: Site) -> None:
    article = site.soup("tables").select("article")[0]
    rows = article.select("tbody tr")
    assert [row["id"] for row in rows] == [
        *("table-1-y-backward-v", "table-1-same", "table-1-same-2", "table-2-side"),
        *("mine", "linked", "table-3-row"),
    ]
    for row in rows:
        (link,) = row.select(f'a[href="#{row["id"]}"]')
        assert link.find_parent(["td", "th"]) is row.find(["td", "th"])
    figures = article.select(".vtj-figure")
    assert [figure["id"] for figure in figures] == ["figure-1", "figure-2"]
    assert [figure.select("a")[0]["href"] for figure in figures] == ["#figure-1", "#figure-2"]
    assert not article.select("thead a")


def test_the_named_sections_fold_and_no_others(site: Site) -> None:
    page = site.soup("questions")
    folds = page.select("details.fold")
    assert [fold.parent["id"] for fold in folds if fold.parent] == ["faq-first", "faq-second"]
    for fold, question, answer in zip(folds, ("First?", "Second?"), ("Yes.", "No."), strict=True):
        summary = fold.select("summary")[0].get_text()
        assert question in summary
        assert answer not in summary
        assert answer in fold.get_text()


def test_what_furo_and_docutils_leave_undone_is_done(site: Site) -> None:
    for page in (*PAGES, "index", "search", "genindex"):
        shown = site.soup(page)
        assert [region.get("aria-label") for region in shown.select("aside")] == [
            "Site",
            "This page",
        ]
        tools = shown.select('[role="region"][aria-label="Page tools"]')
        assert len(tools) == 1
    corner, head = site.soup("tables").select("table")[1].select("tr")[0].find_all(["td", "th"])
    assert (corner.name, head.get_text()) == ("td", "head")
    handle = site.soup("runs").select("details.hide.above-input")[0]
    assert not handle.select(".admonition-title")
    assert not handle.select("summary[aria-label]")


FILES = (
    *("mystnb.", "sphinx-design.min.css", "design-tabs.js", "clipboard.min.js", "copybutton.js"),
    *("copybutton.css", "furo-extensions.css", "figures.css", "tables.css", "filter.js", "fold.js"),
)
DESIGN = {"sphinx-design.min.css", "furo-extensions.css"}
COPY = {"clipboard.min.js", "copybutton.js", "copybutton.css"}


@pytest.mark.parametrize(
    ("page", "loaded"),
    [
        ("still", set()),
        ("search", set()),
        ("tabs", {"design-tabs.js", *DESIGN}),
        ("cards", {*DESIGN, *COPY}),
        ("deep/code", COPY),
        ("tables", {"tables.css", "filter.js", "figures.css"}),
        ("questions", {"fold.js"}),
    ],
)
def test_a_page_loads_what_it_uses_and_no_more(site: Site, page: str, loaded: set[str]) -> None:
    text = site.text(f"{page}.html")
    assert "/doctools.js" in text
    assert {file for file in FILES if f"/{file}" in text} == loaded


def test_code_loses_the_spans_that_change_nothing(site: Site) -> None:
    page = site.text("deep/code.html")
    assert '<code class="docutils literal notranslate">y.backward(v)</code> <i>now</i>' in page
    assert 'x <span class="o">=</span> f(<span class="mi">1</span>)' in page
    styles = site.text("_static/pygments.css")
    plain = re.findall(r"^(.*)\.highlight \{.*color: (#\w+) \}", styles, re.MULTILINE)
    assert len(plain) == 3  # light, chosen dark, the system's dark
    for theme, color in plain:
        for name in "npw":
            assert f"{theme}.highlight .{name} {{ color: {color} }}" in styles


def test_the_data_of_a_page_lie_beside_it(site: Site) -> None:
    text = site.text("deep/code.json")
    assert json.loads(text) == {"y": ["x²", platform.python_implementation()]}
    assert text.splitlines()[:3] == ["{", ' "y": [', '  "x²",']
    assert text.endswith("}\n")
    assert len(list((site.folder / "html").rglob("*.json"))) == 1


def test_a_number_that_json_has_not_is_refused(tmp_path: Path) -> None:
    config = SimpleNamespace(page_data={"page": f"{__name__}:no_number"})
    app: Any = SimpleNamespace(config=config, outdir=tmp_path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        data.write(app, "page")
    assert not list(tmp_path.iterdir())


def no_number() -> float:
    return float("nan")
