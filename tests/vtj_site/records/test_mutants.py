"""The record of planted faults: complete in itself, and shown as it is."""

from collections import Counter

import pytest

from vtj_site.records import extent, mutants
from vtj_site.records.mutants import (
    by_file,
    by_kind,
    contraries,
    made_with,
    reasons,
    recorded,
    releases,
    rewordings,
)  # fmt: skip

KINDS = {
    "claim", "error", "figure", "formula", "inline", "number", "ones", "retain_graph", "row", "sign"
}  # fmt: skip


def test_faults_of_every_kind_were_planted_and_none_got_through() -> None:
    found: dict[str, Counter[str]] = {}
    for kinds in recorded()["documentation"]["files"].values():
        for kind, counts in kinds.items():
            found.setdefault(kind, Counter()).update(counts)
    assert found.keys() == KINDS
    for counts in found.values():
        assert counts["planted"] == counts["check"] + counts["shown"] + counts["no fault"]
        assert counts["through"] == 0
    no_fault = sum(counts["no fault"] for counts in found.values())
    assert no_fault == sum(n for _, n in recorded()["documentation"]["reasons"].values())


def test_at_least_nine_in_ten_faults_in_pictures_were_refused_by_a_check() -> None:
    for name, kinds in recorded()["documentation"]["files"].items():
        if found := kinds.get("figure"):
            assert found["check"] >= 0.9 * found["planted"], name


def test_the_counts_of_a_release_add_up() -> None:
    for row in recorded()["library"]:
        assert row["planted"] == row["caught"] + row["no fault"] + row["got through"]
        assert row["planted"] <= row["written"]


def test_most_contraries_of_computed_words_are_refused() -> None:
    kinds = recorded()["sentences"]["kinds"]
    for found in kinds.values():
        refused = found.get("with a case", 0) + found.get("refused", 0)
        assert found["planted"] == refused + found.get("through", 0)
    assert kinds["computed word"].get("through", 0) <= 0.1 * kinds["computed word"]["planted"]
    assert '<th scope="row">computed word</th>' in contraries().html


def test_the_tables_show_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {
        "sign": {"planted": 3, "check": 2, "no fault": 1},
        "row": {"planted": 1200, "shown": 1200},
    }
    record = {
        "documentation": {
            "date": "2026-11-22",
            "commit": "1a2b3c4",
            "torch": "2.13.0",
            "numpy": "2.4.0",
            "python": "3.11.7",
            "minutes": 9,
            "reasons": {"input": ["Another input.", 1]},
            "files": {"docs/a.md": kinds, "src/b.py": {"sign": {"planted": 1, "check": 1}}},
        },
        "earlier rows": ["table-6-gone"],
        "library": [
            {
                "date": "2026-11-22", "commit": "1a2b3c4", "modules": 2, "written": 2000,
                "planted": 10, "caught": 8, "no fault": 1, "got through": 1,
            }
        ],
    }  # fmt: skip
    monkeypatch.setattr(mutants, "recorded", lambda: record)
    assert str(by_file("docs/")).splitlines() == [
        "docs/a.md: planted 1203, check 2, shown 1200, no fault 1, through 0",
        "all: planted 1203, check 2, shown 1200, no fault 1, through 0",
    ]
    assert str(by_kind()).splitlines() == [
        "row: planted 1200, check 0, shown 1200, no fault 0, through 0",
        "sign: planted 4, check 3, shown 0, no fault 1, through 0",
        "all: planted 1204, check 3, shown 1200, no fault 1, through 0",
    ]
    assert (
        '<th scope="row"><code>row</code></th><td>1,200</td><td>0</td><td>1,200</td>'
        in by_kind().html
    )
    assert "<code>input</code></th><td>Another input.</td><td>1</td>" in reasons().html
    assert "<td><code>1a2b3c4</code></td><td>2</td><td>2,000</td><td>10</td>" in releases().html
    assert '<span id="table-6-gone"></span>' in releases().html
    assert made_with() == (
        "Planted 2026-11-22 at commit 1a2b3c4, torch 2.13.0,\nNumPy 2.4.0, Python 3.11.7"
    )


def test_harmless_rewordings_were_judged_too() -> None:
    kinds = recorded()["rewordings"]["kinds"]
    for found in kinds.values():
        assert found["planted"] == found.get("refused", 0) + found.get("through", 0)
    assert "two clauses exchanged" in rewordings().html
    assert str(rewordings()).splitlines()[0].startswith("another word of the same meaning: ")


def test_of_how_many_pages_the_record_is(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"docs/a.md": {"sign": {"planted": 1}}, "docs/b.md": {}, "docs/gone.md": {"row": {}}}
    monkeypatch.setattr(mutants, "recorded", lambda: {"documentation": {"files": files}})
    monkeypatch.setattr(
        mutants, "cells_of_pages", lambda: {"docs/a.md": 3, "docs/b.md": 2, "docs/new.md": 5}
    )
    assert mutants.covered() == {"pages": (1, 3), "cells": (3, 10)}


def test_files_that_changed_since_the_record_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    run: dict[str, object] = {}
    monkeypatch.setattr(mutants, "recorded", lambda: {"documentation": run})
    assert mutants.changed_since() == "The record does not say which files have changed since"
    page = "docs/index.md"
    run["digests"] = {page: extent.digest(page), "docs/faq.md": "0", "docs/gone.md": "1"}
    assert mutants.changed_since() == "Since that commit 2 of these 3 files have changed"


def test_a_run_without_a_commit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"date": "2026-11-27", "torch": "2.13.0+cpu"}
    monkeypatch.setattr(mutants, "recorded", lambda: {"sentences": run})
    said = "2026-11-27, at a commit that was not recorded, torch 2.13.0"
    assert mutants.made_at("sentences") == said
    run["commit"] = "1a2b3c4"
    assert "at commit 1a2b3c4" in mutants.made_at("sentences")
