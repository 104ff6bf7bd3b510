"""The record of planted faults as the page shows it."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from vtj_site.records import mutants
from vtj_site.records.mutants import (
    Counts,
    Library,
    Reasons,
    by_file,
    by_kind,
    made_with,
    most,
    percent,
)

Table = Counts | Library | Reasons

RECORD: dict[str, Any] = {
    "documentation": {
        "docs/a.md": {
            "kinds": {
                "sign": {"planted": 3, "check": 2, "equivalent": 1},
                "row": {"planted": 1, "shown": 1},
            },
            "reasons": {"input": 1},
            "seconds": 90.0,
            "date": "2026-11-21",
            "torch": "2.13.0",
            "numpy": "2.4.0",
            "python": "3.11.7",
        },
        "src/b.py": {
            "kinds": {"sign": {"planted": 1200, "check": 1200}},
            "reasons": {},
            "seconds": 90.0,
            "date": "2026-11-22",
            "torch": "2.13.0",
            "numpy": "2.4.0",
            "python": "3.12.1",
        },
    },
    "library": {
        "src/vtj/contraction.py": {
            "kinds": {
                "library": {
                    "planted": 41,
                    "left out": 9,
                    "check": 39,
                    "equivalent": 1,
                    "through": 1,
                }
            },
            "reasons": {"input": 1002},
            "date": "2026-11-21",
        },
        "src/vtj/calling/quiet.py": {"kinds": {}, "reasons": {}, "date": "2026-11-21"},
    },
    "reasons": {"input": "Another input.", "seed": "Other random numbers."},
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "recorded", lambda: RECORD)


def test_counts_of_files_and_kinds_add_up() -> None:
    assert str(by_file("")).splitlines() == [
        "docs/a.md: planted 4, check 2, shown 1, equivalent 1, through 0",
        "src/b.py: planted 1200, check 1200, shown 0, equivalent 0, through 0",
        "all: planted 1204, check 1202, shown 1, equivalent 1, through 0",
    ]
    assert by_file("docs/").rows.keys() == {"docs/a.md"}
    assert repr(by_kind()).splitlines()[:2] == [
        "row: planted 1, check 0, shown 1, equivalent 0, through 0",
        "sign: planted 1203, check 1202, shown 0, equivalent 1, through 0",
    ]


@pytest.mark.parametrize(
    ("table", "caption", "row"),
    [
        (
            lambda: by_file(""),
            "Faults planted in each file",
            {
                "file": "docs/a.md",
                "planted": "4",
                "caught by a check": "2",
                "caught by what it showed before": "1",
                "no fault": "1",
                "got through": "0",
            },
        ),
        (
            by_kind,
            "Faults of each kind",
            {"kind": "row", "planted": "1", "caught by what it showed before": "1"},
        ),
        (
            Reasons,
            "Planted changes that are no faults",
            {"name": "input", "why": "Another input.", "documentation": "1", "library": "1,002"},
        ),
        (
            Library,
            "Mutants of the library and the extensions",
            {
                "module": "src/vtj/contraction.py",
                "written": "50",
                "planted": "41",
                "caught": "39",
                "no fault": "1",
                "got through": "1",
                "share": "97.5 %",
            },
        ),
    ],
    ids=["by_file", "by_kind", "Reasons", "Library"],
)
def test_a_table_says_what_it_shows_and_what_stands_in_its_columns(
    table: Callable[[], Table], caption: str, row: dict[str, str]
) -> None:
    html = ElementTree.fromstring(table()._repr_html_())[0]
    assert html.findtext("caption") == caption
    headings = [cell.text or "" for cell in html.iterfind("thead/tr/th")]
    first = ["".join(cell.itertext()) for cell in next(html.iterfind("tbody/tr"))]
    assert len(first) == len(headings)
    assert row.items() <= dict(zip(headings, first, strict=True)).items()


def test_what_is_a_path_stands_as_code_and_their_sum_does_not() -> None:
    assert '<th scope="row"><code>src/vtj/contraction.py</code></th>' in Library()._repr_html_()
    assert '<th scope="row">all 1</th>' in Library()._repr_html_()
    assert '<th scope="row">all</th>' in by_kind()._repr_html_()


def test_a_table_has_its_rows_and_their_sum() -> None:
    html = by_file("")._repr_html_()
    assert '<th scope="row"><code>src/b.py</code></th><td>1,200</td>' in html
    assert '<th scope="row">all</th><td>1,204</td>' in html


def test_reasons_are_counted_also_those_that_nothing_needed() -> None:
    assert (
        repr(Reasons()) == "input, 1 and 1002: Another input.\nseed, 0 and 0: Other random numbers."
    )
    assert "<td>Another input.</td><td>1</td><td>1,002</td>" in Reasons()._repr_html_()


def test_modules_of_the_library_have_their_share_of_what_are_faults() -> None:
    assert repr(Library()).splitlines() == [
        "src/vtj/contraction.py: planted 41 of 50, caught 39, equivalent 1",
        "all 1: planted 41 of 50, caught 39, equivalent 1",
    ]
    assert Library()._repr_html_().count("<td>97.5 %</td>") == 2
    assert repr(Library(each=False)) == "all 1: planted 41 of 50, caught 39, equivalent 1"


def test_a_module_of_which_nothing_was_planted_has_no_row() -> None:
    assert "quiet" not in repr(Library())
    assert most() == 41


def test_nothing_was_planted_where_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "recorded", lambda: {"library": {}})
    assert most() == 0


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"planted": 1, "check": 1}, "100.0 %"),
        ({"planted": 8, "check": 6, "through": 2}, "75.0 %"),
        ({"planted": 8, "check": 6, "equivalent": 2}, "100.0 %"),
        ({"planted": 2, "equivalent": 2}, "0.0 %"),
    ],
)
def test_the_share_is_that_of_what_are_faults(counts: dict[str, int], said: str) -> None:
    assert percent(Counter(counts)) == said


def test_it_says_when_and_with_what_it_was_made() -> None:
    assert made_with("documentation") == (
        "Planted 2026-11-21 to 2026-11-22, torch 2.13.0, NumPy 2.4.0, Python 3.11.7, 3.12.1, "
        "3 minutes of one core"
    )


def test_one_day_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    day = {**RECORD, "documentation": {"docs/a.md": RECORD["documentation"]["docs/a.md"]}}
    monkeypatch.setattr(mutants, "recorded", lambda: day)
    assert made_with("documentation").startswith("Planted 2026-11-21, torch 2.13.0, ")


def test_of_several_days_the_first_and_the_last_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**RECORD["documentation"]["docs/a.md"], "seconds": 3600.0}
    days = {day: {**row, "date": day} for day in ("2026-11-23", "2026-11-20", "2026-11-21")}
    monkeypatch.setattr(mutants, "recorded", lambda: {"documentation": days})
    said = made_with("documentation")
    assert said.startswith("Planted 2026-11-20 to 2026-11-23, torch 2.13.0, ")
    assert said.endswith(", 180 minutes of one core")


def test_what_was_not_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "recorded", lambda: {"library": {}})
    assert made_with("library") == "Not run yet"
