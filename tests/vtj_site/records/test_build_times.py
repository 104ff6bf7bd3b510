"""The recorded build times as the site shows them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from vtj_site.records import build_times
from vtj_site.records.build_times import measured, recorded, table_of_targets, where


def row(key: str, what: str, measured: float, unit: str = "", *target: Any) -> dict[str, Any]:
    limit = dict(zip(("target", "kept"), target or [""], strict=False))
    return {"key": key, "what": what, "measured": measured, "unit": unit, **limit}


RECORDING = {
    "command": "nox -s bench-docs",
    "machine": {
        "cores": 2,
        "processor": "a processor",
        "memory_gib": 24,
        "python": "3.11.7",
        "torch": "2.13.0",
        "sphinx": "9.0.4",
        "myst-nb": "1.4.0",
    },
    "parts": {
        "published": {
            "date": "2026-11-22",
            "load": 0.5,
            "rows": [
                row("cold", "cold", 9.5, "s"),
                row("edited", "one page < all", 0.6, "", "<= 0.5", False),
                row("saved", "all / one page", 15.8, "", ">= 10", True),
            ],
        },
        "scale": {
            "date": "2026-11-21",
            "load": 0.25,
            "rows": [
                row("256 pages", "256 pages", 40.0, "s"),
                row("256 pages memory", "256 pages", 1.5, "GiB"),
                row("16 pages", "16 pages", 4.0, "s"),
                row("64 pages", "64 pages", 12.5, "s"),
                row("slope", "a further page", 0.15, "s", "<= 0.15", True),
            ],
        },
    },
}


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_times, "recorded", lambda: RECORDING)


@pytest.mark.usefixtures("recording")
def test_it_says_when_and_where_it_was_measured() -> None:
    assert where() == (
        "Recorded on 2026-11-21 and 2026-11-22 by nox -s bench-docs: 2 cores of a processor, "
        "24 GiB, Python 3.11.7, torch 2.13.0, sphinx 9.0.4, myst-nb 1.4.0; "
        "load when a part began: 0.5, 0.25."
    )


@pytest.mark.usefixtures("recording")
def test_the_table_names_each_target_and_whether_it_was_kept() -> None:
    assert str(table_of_targets()).splitlines() == [
        "one page < all: 0.60, target ≤ 0.5: missed",
        "all / one page: 15.80, target ≥ 10: kept",
        "a further page: 0.15 s, target ≤ 0.15 s: kept",
    ]
    html = table_of_targets().html
    assert '<th scope="row">one page &lt; all</th><td>0.60</td><td>≤ 0.5</td><td>missed' in html


@pytest.mark.usefixtures("recording")
def test_a_number_that_was_not_measured_is_refused() -> None:
    assert measured("cold") == "9.50 s"
    with pytest.raises(ValueError, match=r"'warm' was not measured; expected one of \['16 pages'"):
        measured("warm")


def test_what_is_recorded_is_what_the_benchmark_writes() -> None:
    parts: dict[str, Any] = recorded()["parts"]
    assert list(parts) == ["published", "live", "imports", "others", "scale"]
    assert [pages for pages, _ in build_times.scale("memory")] == [16, 64, 256]
    for row in (row for part in parts.values() for row in part["rows"]):
        if limit := re.fullmatch(r"([<>])= (.*)", row["target"]):
            above = row["measured"] - float(limit[2])
            assert row["kept"] is (above <= 0 if limit[1] == "<" else above >= 0)
