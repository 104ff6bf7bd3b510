"""What was recorded on old releases, and today's answers against the record."""

import hashlib
import json
import re
from contextlib import nullcontext

import pytest

from vtj_site.outcomes.since import QUESTIONS, answers
from vtj_site.outcomes.tables import release
from vtj_site.records import history, quotations, releases
from vtj_site.records.history import (
    RecordError,
    hold_today_against_the_record,
    table_of_answers,
    table_of_environments,
)
from vtj_site.records.releases import hold_to_the_record, questions, recorded, spans

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


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(ValueError, match="'what now' was never asked; expected one of"):
        spans("what now")


def test_a_question_that_a_release_was_not_asked_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(
        {"torch": name, "outcomes": outcomes}
        for name, outcomes in [("1.0.0", {}), ("1.1.0", {}), ("1.2.0", {"a": "b"})]
    )
    monkeypatch.setattr(releases, "recorded", lambda: rows)
    assert [(str(span), span.answer) for span in spans("a")] == [
        ("1.0.0 … 1.1.0", "not asked"),
        ("1.2.0", "b"),
    ]


SECOND = "a second backward"  # its answer changed between releases that do not follow each other


@pytest.mark.parametrize(
    ("words", "question", "said"),
    [
        ("since torch 1.3.0", VECTOR, None),
        ("Since torch 1.3.0", VECTOR, None),
        ("from torch 1.0.0 through 1.2.0", VECTOR, None),
        ("since torch 9.9.9", VECTOR, r"of 1\.0\.0 … 1\.2\.0: tensor\(2222\.\); 1\.3\.0 … "),
        ("since torch 1.3.1", VECTOR, "'since torch 1.3.1' is no recorded span of 'vector"),
        ("since torch 1.2.0", VECTOR, "is no recorded span"),
        ("since torch 1.0.0", VECTOR, "is no recorded span"),
        ("from torch 1.0.0 through 1.3.0", VECTOR, "is no recorded span"),
        ("from torch 1.0.1 through 1.2.0", VECTOR, "is no recorded span"),
        (f"from torch 1.3.0 through {release()}", VECTOR, "is no recorded span"),
        ("through torch 1.2.0", VECTOR, "expected 'since torch A' for the last, or 'from torch A"),
        ("before torch 1.3.0", VECTOR, "is no recorded span"),
        ("until torch 1.3.0", VECTOR, "is no recorded span"),
        ("since torch 1.0.0", "y (3,), gradient float32 (3,)", "is no recorded span"),
        ("from torch 1.0.0 through 1.5.1", SECOND, None),
        ("since torch 1.10.2", SECOND, r"between torch 1\.9\.1 and 1\.10\.2 have no record"),
        ("from torch 1.6.0 through 1.7.1", SECOND, r"between torch 1\.7\.1 and 1\.8\.1 have no"),
    ],
)
def test_a_sentence_names_the_recorded_span_and_no_other(
    words: str, question: str, said: str | None
) -> None:
    with pytest.raises(ValueError, match=said) if said else nullcontext():
        hold_to_the_record(words, question)


def test_an_excerpt_that_was_changed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"a#1": {"text": "never", "sha256": hashlib.sha256(b"always").hexdigest()}}
    monkeypatch.setattr(json, "loads", lambda _: changed)
    with pytest.raises(ValueError, match=r"a#1 has digest .*, recorded was"):
        quotations.excerpts.__wrapped__()


def test_today_agrees_with_the_record() -> None:
    assert hold_today_against_the_record() == (
        f"{len(questions())} answers of torch {release()} agree with its record"
    )


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (VECTOR, "tensor(2222.)", r"recorded 'tensor\(2222\.\)', today 'RuntimeError"),
        (VECTOR, None, "recorded 'not asked', today 'RuntimeError"),
        ("what now", "tensor(1.)", r"'what now': recorded .*, today 'not asked'"),
    ],
)
def test_an_answer_that_is_not_as_recorded_is_an_error(
    question: str, answer: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {**answers(), question: answer}
    row = {
        "torch": release(),
        "outcomes": {name: told for name, told in outcomes.items() if told is not None},
    }
    monkeypatch.setattr(history, "recorded", lambda: (row,))
    with pytest.raises(RecordError, match=said):
        hold_today_against_the_record()


def test_a_release_without_a_record_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "release", lambda: "9.9.9")
    with pytest.raises(RecordError, match=r"torch 9\.9\.9 has no recorded row: run nox -s history"):
        hold_today_against_the_record()


def test_the_answers_to_several_questions_follow_each_other() -> None:
    same = "y (3,), gradient float32 (3,)"
    shown = table_of_answers((VECTOR, same))
    assert '<th scope="row" rowspan="2"><code>vector gradient' in shown.html
    assert "<td>torch 1.0.0 … 1.2.0</td><td><code>tensor(2222.)</code></td>" in shown.html
    last = recorded()[-1]["torch"]
    kept = '<data value="torch 1.3.0 … 2.13.0">'  # an address does not change with a new release
    assert f"<tr><td>{kept}torch 1.3.0 … {last}</data></td>" in shown.html
    lines = repr(shown).splitlines()
    assert lines[:2] == [VECTOR, "  1.0.0 … 1.2.0: tensor(2222.)"]
    assert lines[2].startswith("  1.3.0 … ")
    assert lines[3:] == [same, f"  1.0.0 … {last}: tensor([ 2.,  8., 18.])"]


def test_every_environment_has_its_row() -> None:
    for row, line in zip(recorded(), str(table_of_environments()).splitlines(), strict=True):
        assert line.startswith(f"torch {row['torch']}: Python {row['python']}, {row['wheel']}, ")
