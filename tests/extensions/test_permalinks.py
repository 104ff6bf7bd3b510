"""Every row and every figure has an address, and a link that says it."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from permalinks import linked

from tests.extensions.conftest import Build

STILL = {"nb_execution_mode": "off"}
PAGE = """\
# Page

| call | gives |
| --- | --- |
| `y.backward(v)` | one |
| *same* | two |
| same | three |

<table class="vtj"><thead><tr><th scope="col">a</th></tr></thead><tbody>
<tr id="mine"><th scope="row">1</th></tr>
<tr id="linked"><th scope="row"><a href="#linked">2</a></th></tr>
<tr><td></td></tr>
</tbody></table>

<div class="vtj-figure" style="overflow-x: auto"><svg><text>one</text></svg></div>
<div class="vtj-figure"><svg></svg></div>
"""


def test_rows_and_figures_have_addresses_of_their_own(build: Build, tmp_path: Path) -> None:
    config = {"html_theme": "furo", "extensions": ["myst_nb", "permalinks"], **STILL}
    assert build("permalinks", config=config, page=PAGE) == ""
    page = (tmp_path / "html" / "page.html").read_text("utf-8")
    article = BeautifulSoup(page, "html.parser").find("article")
    assert article is not None
    rows = article.select("tbody tr")
    assert [row["id"] for row in rows] == [
        "table-1-y-backward-v",
        "table-1-same",
        "table-1-same-2",
        "mine",
        "linked",
        "table-2-row",
    ]
    for row in rows:
        links = row.select(f'a[href="#{row["id"]}"]')
        assert len(links) == 1
        assert links[0].find_parent(["td", "th"]) is row.find(["td", "th"])
    figures = article.select(".vtj-figure")
    assert [figure["id"] for figure in figures] == ["figure-1", "figure-2"]
    assert [figure.select_one("a")["href"] for figure in figures] == ["#figure-1", "#figure-2"]  # type: ignore[index]
    assert not article.select("thead a")


def row(name: str) -> str:
    return f'<a class="headerlink" href="#{name}" title="Link to this row">¶</a>'


def figure(name: str) -> str:
    return f'<a class="headerlink" href="#{name}" title="Link to this figure">¶</a>'


TABLE = "<table class='a'><thead><tr><th>h</th></tr></thead>\n<tbody>{}</tbody></table>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<tr><td>one</td><td>two</td></tr>",
            f'<tr id="table-1-one"><td>one{row("table-1-one")}</td><td>two</td></tr>',
        ),
        (
            '<tr class="even">\n<th scope="row"><p>Two <em>words</em></p>\n</th></tr>',
            '<tr class="even" id="table-1-two-words"><th scope="row"><p>Two <em>words</em>'
            f"{row('table-1-two-words')}</p>\n</th></tr>",
        ),
        (
            "<tr><td><i>a</i><i>b</i> &lt; c</td></tr>",
            f'<tr id="table-1-a-b-c"><td><i>a</i><i>b</i> &lt; c{row("table-1-a-b-c")}</td></tr>',
        ),
        (
            "<tr><td>&amp;</td></tr><tr><td></td></tr><tr><td></td></tr>",
            f'<tr id="table-1-row"><td>&amp;{row("table-1-row")}</td></tr>'
            f'<tr id="table-1-row-2"><td>{row("table-1-row-2")}</td></tr>'
            f'<tr id="table-1-row-3"><td>{row("table-1-row-3")}</td></tr>',
        ),
        (
            '<tr id="own" class="a"><td>one\ntwo</td></tr>',
            f'<tr id="own" class="a"><td>one\ntwo{row("own")}</td></tr>',
        ),
        (
            '<tr id="own"><td><a href="#own">one</a></td></tr>',
            '<tr id="own"><td><a href="#own">one</a></td></tr>',
        ),
    ],
)
def test_a_row_is_named_after_its_first_cell(before: str, after: str) -> None:
    assert linked(TABLE.format(before)) == TABLE.format(after)


def test_tables_and_figures_are_counted_in_their_page() -> None:
    drawn = '<div class="vtj-figure"{} style="a"><svg>\n</svg>{}</div>'
    before = f"{drawn.format('', '')}{TABLE.format('')}{drawn.format('', '')}"
    after = "".join(
        (
            drawn.format(' id="figure-1"', figure("figure-1")),
            TABLE.format(""),
            drawn.format(' id="figure-2"', figure("figure-2")),
        )
    )
    rows = "<tr><td>a</td></tr>"
    assert linked(before + TABLE.format(rows)) == after + TABLE.format(
        f'<tr id="table-2-a"><td>a{row("table-2-a")}</td></tr>'
    )


def test_an_address_that_is_taken_is_not_given_again() -> None:
    body = '<p id="figure-1"></p><div class="vtj-figure"><svg></svg></div>'
    assert 'id="figure-1-2"><svg></svg><a class="headerlink" href="#figure-1-2"' in linked(body)
