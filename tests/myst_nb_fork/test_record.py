"""What a page took is remembered, and said."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from myst_nb_fork.messages import Ended, Result, Step
from myst_nb_fork.record import CellRecord, PageRecord, record_of, slowest, write_profile

DIGESTS = {"a.py": "aa", "b.py": "bb"}
STEPS = [
    Step("cell", "\n first = 1 \nsecond = 2", line=7),
    Step("eval", "first"),
    Step("cell", "third = 3", line=None),
    Step("cell", "fourth = 4", line=20),
    Step("cell", "fifth = 5", line=30),
]
RESULTS = [Result(seconds=0.5), Result(seconds=4.0), Result(seconds=0.25), Result(ran=False)]
CELLS = (CellRecord(7, 0.5, "first = 1 "), CellRecord(None, 0.25, "third = 3"))


def finished(ended: Ended | None) -> Any:
    return SimpleNamespace(steps=STEPS, results=RESULTS, ended=ended)


@pytest.mark.parametrize("failed", [True, False])
def test_a_page_is_remembered_with_the_files_that_it_used(failed: bool) -> None:
    def ended(started_processes: bool) -> Any:
        return finished(Ended(6.0, 1024, frozenset({"b.py"}), started_processes))

    used = PageRecord(failed, 6.0, 1024, CELLS, {"b.py": "bb"}, False)
    assert record_of(ended(False), DIGESTS, failed=failed) == used
    every = PageRecord(failed, 6.0, 1024, CELLS, DIGESTS, True)
    assert record_of(ended(True), DIGESTS, failed=failed) == every
    cut = PageRecord(failed, 0.75, 0, CELLS, DIGESTS, True)
    assert record_of(finished(None), DIGESTS, failed=failed) == cut


def page(seconds: float, *cells: tuple[int, float, str]) -> PageRecord:
    return PageRecord(False, seconds, 1 << 20, tuple(CellRecord(*c) for c in cells), {}, False)


def test_the_slowest_come_first() -> None:
    records = {
        "a": page(1.0, (3, 0.25, "x = 1"), (9, 0.75, "y = 2")),
        "b": page(12.25, (5, 12.0, "z = 3")),
        "c": page(0.5),
    }
    assert slowest(records) == [
        "the slowest of 3 pages and of 3 cells that ran:",
        "   12.25 s  b",
        "    1.00 s  a",
        "    0.50 s  c",
        "   12.00 s  b:5 z = 3",
        "    0.75 s  a:9 y = 2",
        "    0.25 s  a:3 x = 1",
    ]
    assert slowest(records, 1)[1:] == [slowest(records)[1], slowest(records)[4]]
    assert slowest({}) == []
    many = {str(n): page(n, (n, n, "x")) for n in range(8)}
    assert [line.split()[2] for line in slowest(many)[1:]] == [
        *("7", "6", "5", "4", "3"),
        *("7:7", "6:6", "5:5", "4:4", "3:3"),
    ]


def test_the_profile_has_all_pages_by_name(tmp_path: Path) -> None:
    records = {"ü": page(2.123456, (3, 0.123456, "x = 'é'")), "a": page(1.0)}
    file = tmp_path / "new/folder/profile.json"
    for _ in range(2):
        write_profile(file, records, 9.876543)
    text = file.read_text(encoding="utf-8")
    cell = {"line": 3, "seconds": 0.1235, "source": "x = 'é'"}
    first = {"seconds": 1.0, "peak_bytes": 1 << 20, "failed": False, "cells": []}
    second = {"seconds": 2.1235, "peak_bytes": 1 << 20, "failed": False, "cells": [cell]}
    assert json.loads(text) == {"seconds": 9.8765, "pages": {"a": first, "ü": second}}
    assert list(json.loads(text)["pages"]) == ["a", "ü"]
    assert text.startswith('{\n "seconds": 9.8765,\n "pages": {\n')
    assert text.endswith("}\n")
