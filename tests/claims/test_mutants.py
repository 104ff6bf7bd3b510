"""The record of planted faults as the page shows it."""

from typing import Any

import pytest

from vtj.claims import mutants
from vtj.claims.mutants import Library, Reasons, by_file, by_kind, made_with

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
            "kinds": {"library": {"planted": 41, "check": 39, "equivalent": 1, "through": 1}},
            "date": "2026-11-21",
        },
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


def test_a_table_has_its_rows_and_their_sum() -> None:
    html = by_file("")._repr_html_()
    assert '<th scope="row"><code>src/b.py</code></th><td>1,200</td>' in html
    assert '<th scope="row">all</th><td>1,204</td>' in html


def test_reasons_are_counted_also_those_that_nothing_needed() -> None:
    assert repr(Reasons()) == "input, 1: Another input.\nseed, 0: Other random numbers."
    assert "<td>Another input.</td><td>1</td>" in Reasons()._repr_html_()


def test_modules_of_the_library_have_their_share_of_what_are_faults() -> None:
    assert repr(Library()).splitlines() == [
        "src/vtj/contraction.py: planted 41, caught 39, equivalent 1",
        "all 1: planted 41, caught 39, equivalent 1",
    ]
    assert Library()._repr_html_().count("<td>97.5 %</td>") == 2
    assert repr(Library(each=False)) == "all 1: planted 41, caught 39, equivalent 1"


def test_it_says_when_and_with_what_it_was_made() -> None:
    assert made_with("documentation") == (
        "Planted 2026-11-21 to 2026-11-22, torch 2.13.0, NumPy 2.4.0, Python 3.11.7, 3.12.1, "
        "3 minutes of one core"
    )


def test_one_day_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    day = {**RECORD, "documentation": {"docs/a.md": RECORD["documentation"]["docs/a.md"]}}
    monkeypatch.setattr(mutants, "recorded", lambda: day)
    assert made_with("documentation").startswith("Planted 2026-11-21, torch 2.13.0, ")


def test_what_was_not_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "recorded", lambda: {"library": {}})
    assert made_with("library") == "Not run yet"
