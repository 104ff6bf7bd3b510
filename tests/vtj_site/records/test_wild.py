"""What was said of torch's own code: complete, judged by a person, and shown as it is."""

import re
from typing import Any

import pytest

from vtj_site.records import wild
from vtj_site.records.wild import (
    KINDS,
    RIGHT,
    SAID,
    WAYS,
    count,
    judged,
    judgment,
    judgments,
    recorded,
    said_of,
    share,
    table_of_counts,
    table_of_judgments,
    unjudged,
)

# A refusal that says what to do.
REFUSALS = ("TypeError: x[0] has layout", "ValueError: f reads memory beyond x")
NO_NUMBER = re.compile(
    r"undecided: [xy](\[[\d,]+\])* is (nan|-?inf): (there is no|nothing to comp)"
)
DEVICES = pytest.mark.parametrize("device", ["cpu", "cuda"])
OF_VTJ, OF_GRADCHECK = ("check", "certify"), ("slow", "fast")


@DEVICES
def test_the_record_is_of_the_schema_and_everything_is_counted(device: str) -> None:
    record = recorded(device)
    assert record["schema"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])
    assert re.fullmatch(r"[0-9a-f]{7,40}", record["commit"])
    assert record["kinds"].keys() == {"operator", "module"}
    for kind, found in record["kinds"].items():
        assert found["samples"] > found["entries"] > 100
        for way in WAYS:
            assert sum(count(kind, way, said, device) for said in SAID) == found["samples"], way


@DEVICES
def test_every_sample_with_a_disagreement_is_listed(device: str) -> None:
    for kind, found in recorded(device)["kinds"].items():
        listed = [one for one in recorded(device)["listed"] if one["kind"] == kind]
        for way in WAYS:
            other = [one for one in listed if one[way]["said"] not in SAID["correct"]]
            assert len(other) == found["samples"] - count(kind, way, "correct", device), (kind, way)


@DEVICES
def test_every_disagreement_is_judged(device: str) -> None:
    assert not [*unjudged(recorded(device)["listed"])]


def test_no_judgment_is_of_something_that_is_not_said() -> None:
    listed = recorded()["listed"] + recorded("cuda")["listed"]
    for one in judgments():
        for name in one.names:
            assert [sample for sample in listed if sample["name"] == name and one.is_of(sample)], (
                f"{name}: nothing in the record is as wild.yaml judges it; take the name out"
            )
        for said in one.said:
            assert [sample for sample in listed if said_of(sample) == said and one.is_of(sample)], (
                f"{one.names}: {said!r} is said of none of them; take it out of wild.yaml"
            )


def test_the_judgments_are_of_known_kinds_and_of_those_who_can_be_right() -> None:
    for one in judgments():
        assert one.kind in KINDS, one
        assert one.right in RIGHT, one
        for said in one.said:
            words = dict(zip(WAYS, said.split(", "), strict=True))
            assert {words[way] for way in OF_VTJ} <= {
                "correct",
                "wrong",
                "undecided",
                "raised",
                "late",
            }
            assert {words[way] for way in OF_GRADCHECK} <= {"pass", "fail", "raised", "late"}
            accused = "wrong" in {words[way] for way in OF_VTJ}
            # what vtj calls wrong is a finding in torch, or a false alarm; nothing else is
            assert accused == (one.kind in {"finding", "false alarm"}), one
            if one.kind == "formula":
                assert "undecided" in {words[way] for way in OF_VTJ}, one


def test_the_targets_that_are_met_stay_met() -> None:
    """Not one false alarm, nothing late, no error that is no refusal, and hardly one undecided."""
    assert judged("false alarm") == judged("miss") == 0
    for sample in recorded()["listed"]:
        for way in OF_VTJ:
            assert sample[way]["said"] != "late", sample["name"]
            if sample[way]["said"] == "raised":
                assert sample[way]["text"].startswith(REFUSALS), sample
            one = judgment(sample)
            if one is not None and one.kind == "no number":
                assert NO_NUMBER.match(sample[way]["text"]), sample
    for way in OF_VTJ:
        assert float(share(way, "formula", "no number").removesuffix(" %")) <= 0.5
    assert {one["name"] for one in recorded()["listed"] if one["check"]["said"] == "wrong"} >= {
        "nn.functional.hardsigmoid", "native_group_norm"
    }  # fmt: skip


def listed(name: str, *said: str, text: str = "") -> dict[str, Any]:
    answers = {way: {"said": one, "text": text} for way, one in zip(WAYS, said, strict=True)}
    return {"kind": "operator", "name": name, "sample": 0, **answers}


def test_a_verdict_that_nobody_judged_says_what_to_do() -> None:
    changed = listed("nn.functional.hardsigmoid", "correct", "correct", "fail", "fail")
    assert judgment(changed) is None
    (told,) = unjudged([changed])
    assert "correct, correct, fail, fail: find out who is right (nox -s wild -- nn.func" in told
    assert "src/vtj_site/records/wild.yaml" in told


def test_the_tables_show_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = {
        way: {
            "said": {"correct" if way in OF_VTJ else "pass": 2, "raised": 1},
            "calls": {"sum": 9, "median": 2, "most": 5000},
            "seconds": {"sum": 9, "median": 0.25, "most": 3.0},
        }
        for way in WAYS
    }
    text = "undecided: dy/dx[0]: backward 1, numeric 2: nobody to decide between them"
    sample = listed("digamma", "undecided", "correct", "pass", "pass", text=text)
    kinds = {"operator": {"samples": 3, "entries": 2, "ways": ways}}
    monkeypatch.setattr(wild, "recorded", lambda *_: {"kinds": kinds, "listed": [sample, sample]})
    counts = table_of_counts("operator")
    assert "correct, 2, 2, 2, 2\n" in str(counts)
    assert "raised, 1, 1, 1, 1\n" in str(counts)
    assert str(counts).endswith("calls of f, 2, 2, 2, 2\nat most, 5,000, 5,000, 5,000, 5,000")
    assert "What was said of 3 samples of 2 operators" in counts.html
    shown = table_of_judgments("formula")
    said = "check: undecided, certify: correct; gradcheck: pass"
    assert f"digamma, {said}, nobody" in str(shown)
    assert "tolerance: backward 1, numeric 2" in str(shown)
    assert "digamma" not in str(table_of_judgments("finding"))
    assert share("check", "formula") == "0.0 %"
    assert share("check") == "66.7 %"
