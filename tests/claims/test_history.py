"""What was recorded on old releases, and today's answers against the record."""

import re
from typing import Any

import pytest

from vtj.claims import history
from vtj.claims.history import (
    Answers,
    Environments,
    RecordError,
    changed,
    hold_today_against_the_record,
    questions,
    recorded,
    spans,
)
from vtj.claims.outcomes import release
from vtj.claims.since import QUESTIONS, answers, seed_the_node_received
from vtj.claims.timeline import Timeline, short

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
    rows = ({"torch": "1.0.0", "outcomes": {}}, {"torch": "1.1.0", "outcomes": {"a": "b"}})
    monkeypatch.setattr(history, "recorded", lambda: rows)
    assert [span.answer for span in spans("a")] == ["not asked", "b"]


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


def test_a_release_without_a_record_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "release", lambda: "9.9.9")
    with pytest.raises(RecordError, match=r"torch 9\.9\.9 has no recorded row: run nox -s history"):
        hold_today_against_the_record()


def test_the_answers_as_a_table() -> None:
    html = Answers((VECTOR,))._repr_html_()
    assert '<th scope="row" rowspan="2"><code>vector gradient' in html
    assert "<td>torch 1.0.0 … 1.2.0</td><td><code>tensor(2222.)</code></td>" in html
    assert repr(Answers((VECTOR,))) == str(Answers((VECTOR,)))


def test_the_environments_as_a_table() -> None:
    html = Environments()._repr_html_()
    assert html.count("<tr>") == len(recorded()) + 1
    assert recorded()[0]["sha256"] in html
    assert repr(Environments()) == str(Environments())


def test_the_timeline_draws_a_bar_for_each_span() -> None:
    figure = Timeline((VECTOR, "y (3,), gradient int64 (3,)"))
    svg = figure._repr_html_()
    drawn = len(spans(VECTOR)) + len(spans("y (3,), gradient int64 (3,)"))
    assert svg.count("<rect") == drawn
    assert all(f">{row['torch']}</text>" in svg for row in recorded())
    assert svg.count("stroke-dasharray") == drawn - 2
    assert "<title>torch 1.0.0 … 1.2.0: tensor(2222.)</title>" in svg
    assert repr(figure) == str(figure)


def test_a_bar_that_is_too_narrow_has_no_text() -> None:
    one = spans("y (3,), gradient bool (3,)")[1]
    assert (str(one), short(one)) == ("1.2.0", "RuntimeError")
    svg = Timeline(("y (3,), gradient bool (3,)",))._repr_html_()
    assert svg.count(">RuntimeError</text>") < svg.count("<rect")


def test_what_changed_is_a_part_of_what_was_asked() -> None:
    assert VECTOR in changed()
    assert "y (3,), gradient float32 (3,)" not in changed()


def test_a_fitting_seed_is_what_the_node_receives() -> None:
    assert seed_the_node_received(10.0) == 10
