import pytest

from vtj_site.sources.verdict import (
    VERDICTS,
    Broken,
    Evidence,
    Held,
    Printed,
    Renamed,
    Verdict,
    compare,
    decide,
)


def test_there_are_five_verdicts() -> None:
    assert VERDICTS == (
        "reproduces",
        "cosmetic",
        "no longer holds",
        "imprecise",
        "broken as printed",
    )


@pytest.mark.parametrize(
    ("printed", "today", "verdict"),
    [
        ("J:", "J:", "reproduces"),
        ("[ 0. 12.]]", " [ 0. 12.]]", "cosmetic"),
        ("J :", "J:", "cosmetic"),
        ("J:", "J :", "cosmetic"),
        ("10  10  10", "tensor([[10., 10., 10.],", "cosmetic"),
        ("x.grad: tensor(2.)", "x.grad: tensor(3.)", "no longer holds"),
        ("x.grad: tensor(2.)", "x.grad: tensor(-2.)", "no longer holds"),
        ("2 0 0 0", "2 0 0", "no longer holds"),
        ("no number", "another", "no longer holds"),
        ("a: PowBackward0", "a: AddBackward0", "no longer holds"),
    ],
)
def test_texts_are_compared_exactly_then_by_white_space_then_by_numbers(
    printed: str, today: str, verdict: Verdict
) -> None:
    assert compare(printed, today) == verdict


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Printed("2"), "reproduces"),
        (Held({"a": True, "b": True}), "reproduces"),
        (Held({"a": True, "b": False}), "imprecise"),
        (Held({"a": False}), "no longer holds"),
        (Renamed("two", same=True), "cosmetic"),
        (Renamed("two", same=False), "no longer holds"),
        (Broken("lost", Printed("2")), "broken as printed"),
        (Broken("lost", Printed("2.")), "broken as printed"),
        (Broken("lost", Printed("3")), "no longer holds"),
        (Broken("lost", Held({"a": False})), "no longer holds"),
    ],
)
def test_the_evidence_decides(evidence: Evidence, verdict: Verdict) -> None:
    assert decide("2", evidence) == verdict


def test_a_statement_without_a_case_is_refused() -> None:
    with pytest.raises(ValueError, match="no case was tried for 'always'"):
        decide("always", Held({}))


def test_the_text_names_what_holds_and_what_does_not() -> None:
    assert Held({"a": True, "b": False, "c": True}).text == "holds: a; c. does not hold: b"
    assert Held({"b": False}, "TypeError: no").text == "does not hold: b. TypeError: no"
    assert Broken("lost", Printed("2")).text == "lost. Mended: 2"
