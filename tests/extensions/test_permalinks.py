"""Every row and every figure has an address, and a link that says it."""

from pathlib import Path

from bs4 import BeautifulSoup
from permalinks import linked

from tests.extensions.conftest import Build

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
    config = {"html_theme": "furo", "extensions": ["myst_nb", "permalinks"]}
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


def test_an_address_that_is_taken_is_not_given_again() -> None:
    body = '<p id="figure-1"></p><div class="vtj-figure"><svg></svg></div>'
    assert 'id="figure-1-2"><svg></svg><a class="headerlink" href="#figure-1-2"' in linked(body)
