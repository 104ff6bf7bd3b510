"""On which releases of torch the library's tests have run, and what came of it."""

import re
from typing import Any

import pytest

from vtj import release
from vtj_site.records import torches
from vtj_site.records.torches import recorded, table_of_torches

FORMS = {
    "torch": r"\d+\.\d+\.\d+",
    "numpy": r"\d+\.\d+\.\d+",
    "python": r"\d+\.\d+\.\d+",
    "date": r"\d{4}-\d\d-\d\d",
    "device": r"CPU|NVIDIA .+",
    "commit": r"[0-9a-f]{7,40}",
}


@pytest.mark.parametrize("row", recorded(), ids=lambda row: f"{row['torch']} on {row['python']}")
def test_a_row_is_of_the_schema_and_no_test_failed(row: dict[str, Any]) -> None:
    assert row.keys() == {*FORMS, "passed", "failed", "skipped"}
    for key, form in FORMS.items():
        assert re.fullmatch(form, row[key]), (key, row[key])
    assert row["passed"] > 0
    assert row["failed"] == 0 or row["device"] != "CPU"


def test_the_oldest_release_that_is_told_was_run() -> None:
    told = ".".join(map(str, release.OLDEST))
    assert recorded()[0]["torch"].startswith(f"{told}."), recorded()[0]


def test_the_table_shows_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {
        "torch": "2.4.0", "numpy": "1.26.4", "python": "3.11.7", "device": "CPU",
        "date": "2026-11-22", "commit": "1a2b3c4", "passed": 2300, "failed": 1, "skipped": 0,
    }  # fmt: skip
    monkeypatch.setattr(torches, "recorded", lambda: (row,))
    assert str(table_of_torches()) == (
        "torch 2.4.0: 2300 passed, 1 failed, 0 skipped; "
        "NumPy 1.26.4, Python 3.11.7, CPU, 2026-11-22, commit 1a2b3c4"
    )
    cells = '<th scope="row">2.4.0</th><td>2,300</td><td>1</td><td>0</td><td>1.26.4</td>'
    assert cells in table_of_torches().html
