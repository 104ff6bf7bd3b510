"""A site with marks: what its readers get, and what ends its build."""

import re
from pathlib import Path
from typing import Any

import pytest
import statements
from bs4 import BeautifulSoup
from sphinx.errors import ExtensionError

from tests.extensions.conftest import built
from vtj_site.statements.sentences import HOW

ALLOWED = "unchecked.json"
SETTINGS = {"extensions": ["myst_nb", "statements"], "html_theme": "basic"}
PAGE = """# Page

`backward` {word}`never <adds; of backward>` overwrites `.grad`.

When an operation needed what it saved and the count has changed,
`backward` raises.{statement}`count that has changed`

It frees the graph. Pass it on. Pass it on, and it frees the graph.
"""
LIST = """# List

```{list-of-statements}
```

```{count-of-statements}
```
"""
PAGES = {"page": PAGE, "reference/statements": LIST}


def settings(folder: Path) -> dict[str, Any]:
    """Allow two sentences that nothing checks."""
    return SETTINGS | {"statements_unchecked": str(folder / ALLOWED)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pages."""
    folder = tmp_path_factory.mktemp("site")
    (folder / ALLOWED).write_text('{"page": 2}', encoding="utf-8")
    assert built(folder, PAGES, settings(folder)) == ""
    return folder


def read(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def test_a_word_opens_what_it_rests_on(site: Path) -> None:
    page = read(site / "html/page.html")
    word, sign = page.select("button.statement")
    assert word.text == "never"
    assert sign["aria-label"] == "What this sentence rests on"
    opened = page.select_one(f"#{word['popovertarget']}")
    assert opened is not None
    assert opened.has_attr("popover")
    said = opened.text
    assert opened.find_parent("p") is None
    assert "Asked: whether .grad has become the old one and the gradient" in said
    assert len(opened.select("details:not([open]) > code")) == 2
    assert re.search(r"\d+ cases \(of backward\), and none speaks against it", said)
    assert "x.grad = given" in said
    assert "def adds" in said
    link = opened.a
    assert link is not None
    there, _, anchor = str(link["href"]).partition("#")
    assert read(site / "html" / there).select(f"#{anchor}")


def test_one_page_lists_them_all(site: Path) -> None:
    listed = read(site / "html/reference/statements.html")
    rows = [row.text for row in listed.select("ul.statements > li")]
    assert ["backward never overwrites .grad." in row for row in rows] == [True, False]
    assert "torch.tanh" in rows[1]


def test_the_statements_without_a_mark_are_counted_page_by_page(site: Path) -> None:
    listed = read(site / "html/reference/statements.html")
    site_wide, by_page = (
        [[cell.text for cell in row.select("th, td")] for row in found.select("tr")]
        for found in listed.select("table.vtj")
    )
    numbers = ["1", "0", "0", "1", "0", "0", "2"]
    pairs = [*zip(HOW, numbers, strict=True), ("together", "4")]
    assert site_wide == [["checked", "how many"], *map(list, pairs)]
    assert by_page == [
        ["page", "statements", *HOW],
        ["All pages", "0", "0", "0", "0", "0", "0", "0", "0"],
        ["Page", "4", *numbers],
        ["List", "0", "0", "0", "0", "0", "0", "0", "0"],
    ]


def test_the_text_of_a_page_has_the_words_alone(site: Path) -> None:
    assert built(site, PAGES, settings(site), builder="text") == ""
    text = (site / "text/page.txt").read_text(encoding="utf-8")
    assert 'has changed,\n"backward" raises.\n' in text
    assert '"backward" never overwrites ".grad".' in text


def test_zoo_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejected by statements.facts."""
    monkeypatch.setattr(statements.sys, "executable", "/bin/false")
    with pytest.raises(ExtensionError, match="the zoo of cases did not run to its end"):
        built(tmp_path, PAGES, SETTINGS)
