"""Words about releases lead to the row of the history that they are held to."""

import re
from pathlib import Path

import pytest
from docutils.nodes import make_id
from reading.permalinks import linked
from recorded import CHANGES, CODES, ROW, held

from tests.extensions.conftest import FRONT_MATTER, SETTINGS, built
from vtj_site.records.differences import recorded
from vtj_site.records.history import changed, table_of_answers

ROOT = Path(__file__).parents[2]
HISTORY = FRONT_MATTER + "# History\n\nThe rows.\n"
PAGE = (
    "# Page\n\n{recorded}`Since torch 1.3.0 <vector gradient for a scalar y = sum(x)>` it is so.\n"
)
SAID = re.compile(r"\{recorded\}`[^`<]*<([^>]+)>`")


def test_words_about_releases_lead_to_their_row(tmp_path: Path) -> None:
    settings = {**SETTINGS, "extensions": ["myst_nb", "myst_nb_fork", "recorded"]}
    assert not built(tmp_path, {"explanation/history": HISTORY, "how/page": PAGE}, settings)
    html = (tmp_path / "html" / "how" / "page.html").read_text(encoding="utf-8")
    row = "table-4-vector-gradient-for-a-scalar-y-sum-x"
    assert f'href="../explanation/history.html#{row}"' in html


def test_words_about_an_operation_lead_to_its_row(tmp_path: Path) -> None:
    settings = {**SETTINGS, "extensions": ["myst_nb", "myst_nb_fork", "recorded"]}
    changes = FRONT_MATTER + "# Changes\n\nThe rows.\n"
    page = "# Page\n\n{recorded}`Since torch 2.14.0 <x.clamp(0,1)>` it is so.\n"
    assert not built(tmp_path, {"explanation/changes": changes, "page": page}, settings)
    html = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert 'href="explanation/changes.html#changed-one-number-x-clamp-0-1-2-14-0"' in html


def test_the_changes_of_each_series_of_releases_have_their_page() -> None:
    assert CHANGES.keys() == {release.partition(".")[0] for release in recorded()}
    for series, page in CHANGES.items():
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        assert f'shown_gradients("{series}")' in text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param("since torch 2.13.0", "x.clamp(0,1)", id="another release"),
        pytest.param("from torch 1.0.0 through 2.13.0", "x.clamp(0,1)", id="no last span"),
        pytest.param("since torch 2.14.0", "x.sin()", id="an operation that did not change"),
        pytest.param("since torch 2.10.0", "torch.atan2(x,z)", id="others before it were not run"),
    ],
)
def test_words_about_an_operation_that_the_record_does_not_bear_out(words: str, code: str) -> None:
    with pytest.raises(ValueError, match=r"is not since when .* leaves another gradient"):
        held(words, code)


def test_without_a_history_they_are_words_alone(tmp_path: Path) -> None:
    settings = {**SETTINGS, "extensions": ["myst_nb", "myst_nb_fork", "recorded"]}
    assert not built(tmp_path, {"page": PAGE}, settings)
    assert "table-4" not in (tmp_path / "html" / "page.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> set[str]:
    """The ids of the last table of the history; before it stand three others."""
    page = (ROOT / "docs" / "explanation" / "history.md").read_text(encoding="utf-8")
    tables = re.findall(r"^table_of_answers\((.*)\)$", page, re.MULTILINE)
    assert tables[-1] == "changed()"
    assert f"table-{len(tables)}-" == ROW
    others = "<table></table>" * (len(tables) - 1)
    return set(re.findall(r'id="([^"]+)"', linked(others + table_of_answers(changed()).html)))


@pytest.mark.parametrize(
    "question",
    sorted(
        {q for page in (ROOT / "docs").rglob("*.md") for q in SAID.findall(page.read_text("utf-8"))}
        - CODES
    ),
)
def test_the_row_of_each_question_that_a_page_names_is_there(question: str, rows: set[str]) -> None:
    assert ROW + make_id(question) in rows
