"""What was recorded on old releases, and today's answers against the record."""

import re
from typing import Any

import pytest

from vtj_site.outcomes import release
from vtj_site.records import history
from vtj_site.records.history import (
    Answers,
    Environments,
    RecordError,
    changed,
    hold_today_against_the_record,
    questions,
    recorded,
    spans,
)
from vtj_site.since import QUESTIONS, answers

VECTOR = "vector gradient for a scalar y = x**2"


def test_the_releases_that_must_be_there() -> None:
    names = [row["torch"] for row in recorded()]
    assert {"1.0.0", "1.2.0", "1.3.0", "1.3.1", "1.5.1", "1.6.0", "1.7.1"} <= set(names)
    assert {"1.13.1", "2.0.1", release()} <= set(names)
    assert names == sorted(names, key=lambda name: [int(part) for part in name.split(".")])


def test_every_row_says_where_it_comes_from() -> None:
    for row in recorded():
        assert list(row) == ["torch", "python", "wheel", "sha256", "date", "outcomes"]
        assert row["wheel"].startswith(f"torch-{row['torch']}")
        assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"])
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"])
        assert row["python"].startswith("3.")


def test_every_release_was_asked_every_question() -> None:
    assert set(questions()) == set(answers())
    assert set(QUESTIONS) < set(questions())
    assert all(set(row["outcomes"]) == set(questions()) for row in recorded())


def test_a_vector_gradient_for_a_scalar_ended_with_1_3_0() -> None:
    worked, raises = spans(VECTOR)
    assert (worked.first, worked.last, worked.answer) == ("1.0.0", "1.2.0", "tensor(2222.)")
    assert raises.first == "1.3.0"
    assert raises.answer.startswith("RuntimeError: Mismatch in shape")
    assert spans("what the node of y = x**2 received")[0].answer == "tensor(1111.)"
    assert spans("vector gradient for a scalar y = sum(x)")[0].answer == "tensor([1111., 1111.])"


def test_other_dtypes_are_cast_since_1_3_0_and_1_6_0() -> None:
    def accepted_since(kind: str) -> str:
        found = spans(f"y (3,), gradient {kind} (3,)")
        assert [span.answer.startswith("tensor") for span in found].count(True) == 1
        return found[-1].first

    assert accepted_since("float64") == "1.3.0"
    assert accepted_since("int64") == accepted_since("bool") == "1.6.0"


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(ValueError, match="'what now' was never asked; expected one of"):
        spans("what now")


def test_a_question_that_a_release_was_not_asked_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(
        {"torch": name, "outcomes": outcomes}
        for name, outcomes in [("1.0.0", {}), ("1.1.0", {}), ("1.2.0", {"a": "b"})]
    )
    monkeypatch.setattr(history, "recorded", lambda: rows)
    assert [(str(span), span.answer) for span in spans("a")] == [
        ("1.0.0 … 1.1.0", "not asked"),
        ("1.2.0", "b"),
    ]


def test_today_agrees_with_the_record() -> None:
    assert hold_today_against_the_record() == (
        f"{len(questions())} answers of torch {release()} agree with its record"
    )


def planted(monkeypatch: pytest.MonkeyPatch, outcomes: dict[str, Any]) -> None:
    row = {"torch": release(), "outcomes": outcomes}
    monkeypatch.setattr(history, "recorded", lambda: (row,))


def test_an_answer_that_differs_from_the_record_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted(monkeypatch, {**answers(), VECTOR: "tensor(2222.)"})
    with pytest.raises(RecordError, match=r"recorded 'tensor\(2222\.\)', today 'RuntimeError"):
        hold_today_against_the_record()


def test_a_question_without_a_record_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    known = answers()
    del known[VECTOR]
    planted(monkeypatch, known)
    with pytest.raises(RecordError, match="recorded 'not asked'"):
        hold_today_against_the_record()


def test_a_recorded_question_that_is_no_longer_asked_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted(monkeypatch, {**answers(), "what now": "tensor(1.)"})
    with pytest.raises(RecordError, match=r"'what now': recorded .*, today 'not asked'"):
        hold_today_against_the_record()


def test_a_release_without_a_record_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "release", lambda: "9.9.9")
    with pytest.raises(RecordError, match=r"torch 9\.9\.9 has no recorded row: run nox -s history"):
        hold_today_against_the_record()


def test_the_answers_as_a_table() -> None:
    html = Answers((VECTOR,))._repr_html_()
    assert '<th scope="row" rowspan="2"><code>vector gradient' in html
    assert "<td>torch 1.0.0 … 1.2.0</td><td><code>tensor(2222.)</code></td>" in html
    assert "<tr><td>torch 1.3.0 … " in html
    assert repr(Answers((VECTOR,))) == str(Answers((VECTOR,)))


def test_the_answers_to_several_questions_follow_each_other() -> None:
    same = "y (3,), gradient float32 (3,)"
    lines = str(Answers((VECTOR, same))).splitlines()
    assert lines[:2] == [VECTOR, "  1.0.0 … 1.2.0: tensor(2222.)"]
    assert lines[2].startswith("  1.3.0 … ")
    assert lines[3:] == [same, f"  1.0.0 … {release()}: tensor([ 2.,  8., 18.])"]


def test_the_environments_as_a_table() -> None:
    html = Environments()._repr_html_()
    assert html.count("<tr>") == len(recorded()) + 1
    for row in recorded():
        assert f'<tr><th scope="row">{row["torch"]}</th><td>{row["python"]}</td>' in html
        assert f"<td>{row['date']}</td><td><code>{row['wheel']}</code></td>" in html
        assert f"<td><code>{row['sha256']}</code></td></tr>" in html
    lines = repr(Environments()).splitlines()
    assert len(lines) == len(recorded())
    assert lines[0] == (
        "torch 1.0.0: Python 3.7.16, torch-1.0.0-cp37-cp37m-manylinux1_x86_64.whl, "
        + recorded()[0]["date"]
    )


def test_what_changed_is_a_part_of_what_was_asked() -> None:
    assert VECTOR in changed()
    assert "y (3,), gradient float32 (3,)" not in changed()
