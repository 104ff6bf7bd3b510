"""The record of gradients by release: packed without loss, true of today, told as it changed."""

import copy
import json
import re
import warnings
from collections.abc import Mapping
from functools import partial

import pytest
import torch

from vtj_site.outcomes.gradients import (
    by_element,
    capability,
    operations,
    questions,
    written,
)
from vtj_site.outcomes.operations import GROUPS
from vtj_site.outcomes.tables import release
from vtj_site.outcomes.trials import attempt
from vtj_site.records import differences as record_of_differences
from vtj_site.records import differences_tables
from vtj_site.records.changes import (
    ORIGIN,
    RECORDED,
    SCHEMA,
    Key,
    Row,
    in_lines,
    packed,
    same,
    unpacked,
)
from vtj_site.records.differences import (
    BY_PROCESSOR,
    Change,
    between,
    changes,
    died,
    differences,
    kind_of,
    recorded,
    script,
    typed,
    unchanged,
)
from vtj_site.records.differences_tables import (
    RecordError,
    hold_today_against_the_record,
    shown_answers,
    when,
)

CLAMP = Key("one number", "x.clamp(0,1)", "x", "float32", "ones")


def test_the_record_is_of_its_schema() -> None:
    content = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert list(content) == ["schema", "questions", "errors", "releases"]
    assert content["schema"] == SCHEMA
    for found in content["releases"]:
        assert list(found) == [*ORIGIN, "digest", "calls", "warnings", "gradients"]
        assert found["wheel"].startswith(f"torch-{found['torch']}")
        assert len(found["sha256"]) == 64
    names = [found["torch"] for found in content["releases"]]
    assert {release(), "2.15.0"} < set(names)
    assert names == sorted(names, key=lambda name: [int(part) for part in name.split(".")])


def test_every_release_was_asked_every_question_of_the_table() -> None:
    asked = {Key(*each) for operation in operations() for each in questions(*operation)}
    assert all(row.answers.keys() == asked for row in recorded().values())


def test_the_record_is_what_would_be_written_of_its_rows() -> None:
    text = RECORDED.read_text(encoding="utf-8")
    assert in_lines(packed(unpacked(json.loads(text)).values())) + "\n" == text


def test_no_line_of_torch_s_sources_is_recorded() -> None:
    content = json.loads(RECORDED.read_text(encoding="utf-8"))
    texts = [*content["errors"], *(text for row in recorded().values() for text in row.warnings)]
    assert len(texts) > 100
    assert [text for text in texts if re.search(r"\.(cpp|h|cu)\b", text)] == []


def test_an_answer_that_was_changed_in_the_file_is_refused() -> None:
    content = json.loads(RECORDED.read_text(encoding="utf-8"))
    planted = copy.deepcopy(content)
    planted["releases"][-1]["gradients"]["one number"]["x.abs()"][0] = "1 2 3"
    with pytest.raises(ValueError, match=r"^torch 2\.15\.0: the answers have digest .*, recorded"):
        unpacked(planted)
    with pytest.raises(ValueError, match="has schema 0; expected 1"):
        unpacked({**content, "schema": 0})


@pytest.mark.parametrize(
    ("one", "other", "dtype", "alike"),
    [
        pytest.param("1 nan -inf", "1 nan -inf", "float32", True, id="special values"),
        pytest.param("1", "1.000001", "float32", True, id="a last digit"),
        pytest.param("1", "1.000001", "float64", False, id="not a last digit in float64"),
        pytest.param("1", "1.003", "float16", True, id="a last digit of a half"),
        pytest.param("1e+30", "1.0001e+30", "float32", False, id="relative"),
        pytest.param("nan", "0", "float32", False, id="nan"),
        pytest.param("inf", "-inf", "float32", False, id="the sign of infinity"),
        pytest.param("1 2", "1 2 3", "float32", False, id="more elements"),
        pytest.param("1 / 2", "1 2 /", "float32", False, id="another leaf"),
        pytest.param("inf+nanj", "nan+nanj", "complex64", False, id="a part of a complex number"),
        pytest.param("1+0j", "1+1e-7j", "complex64", True, id="a part that is rounding"),
        pytest.param("1", "RuntimeError: 1", "float32", False, id="an error"),
        pytest.param("RuntimeError: 1", "RuntimeError: 2", "float32", False, id="another error"),
    ],
)
def test_what_counts_as_the_same(one: str, other: str, dtype: str, alike: bool) -> None:
    assert same(one, other, dtype) is alike
    assert same(other, one, dtype) is alike


def row(version: str, answers: Mapping[str, str]) -> Row:
    """A row whose group has three codes, each asked at two points."""
    origin = dict.fromkeys(ORIGIN, "") | {"torch": version}
    every = {
        Key("g", code, point, "float32", "ones"): answers.get(code, "1")
        for code in ("f", "g", "h")
        for point in ("a", "b")
    }
    return Row(origin, every, {"call": "1"}, {})


def test_a_row_comes_back_but_for_its_last_digits() -> None:
    rows = [
        row("1.0.0", {"f": "Error: no", "g": "1.000001"}),
        row("1.1.0", {"f": "2", "g": "1.000002"}),
        row("1.2.0", {"h": "Error: no"}),
    ]
    back = unpacked(json.loads(in_lines(packed(rows))))
    assert list(back) == ["1.0.0", "1.1.0", "1.2.0"]
    told = {
        version: [found.answers[Key("g", code, "b", "float32", "ones")] for code in "fgh"]
        for version, found in back.items()
    }
    assert told == {
        "1.0.0": ["Error: no", "1", "1"],
        "1.1.0": ["2", "1", "1"],
        "1.2.0": ["1", "1", "Error: no"],
    }


def test_rows_of_other_questions_are_not_packed() -> None:
    other = row("1.0.0", {})
    other.answers[CLAMP] = "1"
    with pytest.raises(ValueError, match=r"^torch 1\.0\.0 was asked 7 questions, torch 1\.1\.0 6"):
        packed([other, row("1.1.0", {})])


@pytest.mark.parametrize(
    ("before", "since", "kind"),
    [
        ("1", "0", "gradient"),
        ("1", "RuntimeError: no", "refused"),
        ("RuntimeError: no", "1", "taken"),
        ("AttributeError: module 'torch' has no attribute 'sgn'", "1", "new"),
        ("TypeError: gelu() got an unexpected keyword argument 'approximate'", "1", "new"),
        ("RuntimeError: no", "RuntimeError: No.", "wording"),
    ],
)
def test_kinds_of_change(before: str, since: str, kind: str) -> None:
    assert kind_of(before, since) == kind


def test_clamp_at_its_bounds_is_among_the_changes() -> None:
    (found,) = (
        change
        for change in changes("gradient")
        if change.codes == (CLAMP.code,) and change.before >= "2.13.0"
    )
    told = {str(place) for place in found.places}
    assert "x = [-0.0, 0.0, 1.0]: x.grad 1 → 0" in told
    x = torch.tensor([-0.0, 0.0, 1.0], requires_grad=True)
    x.clamp(0, 1).sum().backward()
    assert x.grad is not None
    new = [int(part) for part in release().split(".")] >= [2, 14]
    assert x.grad.tolist() == ([0, 0, 0] if new else [1, 1, 1])


def test_today_agrees_with_the_record_in_a_sample() -> None:
    every = [Key(*each) for operation in operations() for each in questions(*operation)]
    deadly = died(release())
    with warnings.catch_warnings(action="ignore"):
        answers = {key: written(key) for key in every[::20] if key not in deadly}
    assert len(answers) > 1000
    assert differences(answers, release()) == []


LOGIT = Key("one number", "x.logit()", "x", "float32", "1, 2, 3, …")


def test_what_another_processor_s_vectors_answer_is_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = GROUPS[LOGIT.group].points[LOGIT.point][0]
    alone, in_vectors = by_element(LOGIT, 1), by_element(LOGIT, 128)
    minus_zero = [str(each) for each in points].index("-0.0")
    assert (alone[minus_zero], in_vectors[minus_zero]) == (["inf"], ["-inf"])
    answers = [" ".join(each[0] for each in way) for way in (alone, in_vectors)]
    for machine in ("another", capability()):
        origin = {**recorded()[release()].origin, "capability": machine}
        row = recorded()[release()]._replace(origin=origin)
        monkeypatch.setattr(record_of_differences, "recorded", lambda row=row: {release(): row})
        found = [differences({LOGIT: answer}, release()) for answer in answers]
        assert sum(map(bool, found)) == (machine == capability())
        assert differences({LOGIT: answers[0].replace("48", "47")}, release())
        assert differences({LOGIT: "RuntimeError: no"}, release())


def test_what_the_processor_decides_is_no_difference() -> None:
    row = recorded()[release()].answers
    decided = [key for key in row if (key.code, key.point) in BY_PROCESSOR]
    assert {(key.code, key.point) for key in decided} == BY_PROCESSOR
    assert differences(dict.fromkeys(decided, "1 2"), release()) == []
    assert not any(
        (code, key.point) in BY_PROCESSOR
        for change in changes("gradient")
        for code in change.codes
        for key in change.keys
    )


def test_a_planted_difference_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded_answer = recorded()[release()].answers[CLAMP]
    assert differences({CLAMP: "0 1"}, release()) == [
        f"x.clamp(0, 1) at x, float32, v = ones: recorded {recorded_answer!r}, now '0 1'"
    ]
    assert "agree with its record" in hold_today_against_the_record()
    monkeypatch.setattr(
        differences_tables,
        "written",
        lambda key: "0 1" if key == CLAMP else recorded()[release()].answers[key],
    )
    with pytest.raises(RecordError, match=r"1 answers differ; x\.clamp\(0, 1\) at x, float32"):
        hold_today_against_the_record()
    monkeypatch.setattr(differences_tables, "release", lambda: "9.9.9")
    with pytest.raises(RecordError, match=r"torch 9\.9\.9 has no recorded row: run nox -s changes"):
        hold_today_against_the_record()


def expected(change: Change) -> list[str]:
    """What the record of the torch that runs says of the first place of a change, by leaf."""
    key, place = change.keys[0], change.places[0]
    answer = recorded()[release()].answers[key]
    if place.point:
        return answer.split(" / ")
    every = [[str(each) for each in leaf] for leaf in GROUPS[key.group].points[key.point]]
    points = list(zip(*every, strict=True))
    values = [leaf.strip("[]").split(", ") for leaf in place.values]
    where = [points.index(pair) for pair in zip(*values, strict=True)]
    return [" ".join(leaf.split()[each] for each in where) for leaf in answer.split(" / ")]


@pytest.mark.parametrize("change", changes("gradient"), ids=lambda change: change.anchor)
def test_the_code_to_see_a_change_shows_what_is_recorded(
    change: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    key = change.keys[0]
    answer = recorded()[release()].answers[key]
    names: dict[str, torch.Tensor] = {}
    with warnings.catch_warnings(action="ignore"):
        raised = attempt(partial(exec, script(change), names)).raised
    if raised:
        assert answer.startswith(f"{raised}: ")
        return
    assert capsys.readouterr().out.startswith(("tensor(", "None"))
    found = [
        " ".join(str(each) for each in names[leaf].grad.reshape(-1).tolist())  # type: ignore[union-attr]
        for leaf in ("x", "z")
        if leaf in names and names[leaf].grad is not None
    ]
    if key.v == "1, 2, 3, …" and not change.places[0].point:
        return  # fewer elements than were recorded count otherwise
    assert same(" / ".join(found), " / ".join(expected(change)), key.dtype), (
        found,
        typed(key.code),
    )


def test_an_operation_whose_gradient_changed_is_not_counted_as_unchanged() -> None:
    changed = {(key.group, key.code) for each in changes("gradient") for key in each.keys}
    assert 0 < unchanged() <= len(operations()) - len(changed)


def test_a_change_between_releases_that_were_not_run_names_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {name: row(name, {}) for name in ("2.12.1", "2.13.0", "2.14.1")}
    monkeypatch.setattr(differences_tables, "recorded", lambda: rows)
    assert when("2.13.0") == "Since torch 2.13.0"
    assert when("2.14.1") == "From torch 2.13.0 to 2.14.1"


def test_anchors_are_told_apart() -> None:
    kinds = ("gradient", "taken", "refused", "new", "wording")
    anchors = [change.anchor for kind in kinds for change in changes(kind)]
    assert len(anchors) == len(set(anchors))


HALF = "RuntimeError: \"{}_cpu\" not implemented for 'Half'"
TYPE = "RuntimeError: {} is not implemented for type torch.HalfTensor"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            {"f": TYPE.format("_th_f"), "g": TYPE.format("_th_g"), "h": "RuntimeError: singular"},
            {"f": HALF.format("f"), "g": HALF.format("g"), "h": "RuntimeError: U is singular"},
            [
                (
                    ("f", "g"),
                    "RuntimeError: … is not implemented for type …",
                    "RuntimeError: … not implemented for …",
                ),
                (("h",), "RuntimeError: singular", "RuntimeError: U is singular"),
            ],
            id="operations that changed alike",
        ),
        pytest.param(
            {"f": HALF.format("f")},
            {"f": HALF.format("f_backward")},
            [],
            id="the name of a kernel",
        ),
        pytest.param(
            {"f": HALF.format("f"), "g": HALF.format("g")},
            {"f": "1", "g": "2"},
            [(("f", "g"), "RuntimeError: … not implemented for …", "a gradient")],
            id="taken",
        ),
        pytest.param(
            {"f": "RuntimeError: singular"},
            {"f": "_LinAlgError: singular"},
            [(("f",), "RuntimeError: singular", "_LinAlgError: singular")],
            id="the type of an error",
        ),
    ],
)
def test_errors_that_changed_alike_are_one_change(
    old: dict[str, str],
    new: dict[str, str],
    expected: list[tuple[tuple[str, ...], str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"9.1.0": row("9.1.0", old), "9.2.0": row("9.2.0", new)}
    monkeypatch.setattr(record_of_differences, "recorded", lambda: rows)
    found = between.__wrapped__("9.1.0", "9.2.0")
    assert [(change.codes, *change.texts) for change in found] == expected


@pytest.mark.parametrize("series", ["1", "2"])
def test_one_operation_s_words_are_folded_and_nothing_is_left_out(series: str) -> None:
    every = [change for change in changes("wording") if change.since.startswith(f"{series}.")]
    alone = [change for change in every if len(change.codes) == 1]
    html = shown_answers("wording", series).html
    folded = "".join(
        re.findall(r"<summary>\d+ message[^<]* of one operation</summary>(.*?)</dl>", html)
    )
    assert folded.count("<dt") == len(alone)
    assert html.count("<dt") == len(every)
