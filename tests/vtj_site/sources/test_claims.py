"""From what a run showed to a verdict, and from claims to their tables.

Every claim is run by the page of the sources itself, which fails where a verdict differs.
"""

import re
from dataclasses import replace

import pytest
import torch

from vtj_site.records.releases import hold_to_the_record
from vtj_site.sources.agreement import equals, one_is_enough
from vtj_site.sources.by_examples_printed import PRINTED
from vtj_site.sources.by_examples_printed import claims as printed_claims
from vtj_site.sources.claim import TITLES, Claim, VerdictError
from vtj_site.sources.ledger import claims, rerun, table_of
from vtj_site.sources.transcripts import EXAMPLES, transcript
from vtj_site.sources.verdict import (
    Broken,
    Evidence,
    Held,
    Printed,
    Renamed,
    Verdict,
    compare,
    decide,
)

TODAY = Printed("tensor([[2., 0., 0., 0.]])")
CLAIM = Claim("blog-01", "blog", 43, "2 0 0 0", "cosmetic", "Another form.", lambda: TODAY)
EVERY = [claim for document in TITLES for claim in claims(document)]


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
    assert Held({"a": True, "b": False, "c": True}).text == "yes: a; c. no: b"
    assert Held({"b": False}, "TypeError: no").text == "no: b. TypeError: no"
    assert Broken("lost", Printed("2")).text == "lost. Fixed: 2"


def test_another_verdict_than_the_declared_one_is_an_error_that_shows_both() -> None:
    assert CLAIM.examine().evidence == TODAY
    with pytest.raises(VerdictError) as raised:
        replace(CLAIM, run=lambda: Printed("tensor([[3., 0., 0., 0.]])")).examine()
    assert str(raised.value) == (
        "blog-01 (blog, line 43) is declared 'cosmetic' but running it leads to 'no longer holds': "
        "the source says '2 0 0 0', today: 'tensor([[3., 0., 0., 0.]])'"
    )


@pytest.mark.parametrize(
    ("gradient", "values", "same"),
    [([1.0, 2.0], [1, 2], True), ([1.0, 2.0], [1, 3], False), (None, 0, False)],
)
def test_every_entry_of_a_gradient_must_be_there(
    gradient: object, values: object, same: bool
) -> None:
    assert equals(None if gradient is None else torch.tensor(gradient), values) is same


def test_a_gradient_of_one_entry_does_for_one_shape_alone() -> None:
    assert [shape for shape in ((1,), (), (1, 1)) if one_is_enough(shape)] == [(1,)]


def test_every_claim_has_a_name_of_its_own_one_sentence_of_reason_and_few_words() -> None:
    assert len({claim.id for claim in EVERY}) == len(EVERY) == 164
    for claim in EVERY:
        assert re.fullmatch(r"[A-Z].*\.", claim.reason), claim.id
        assert ". " not in claim.reason, claim.id
        assert len(claim.words) <= 60, claim.id


def test_a_release_in_a_reason_is_a_recorded_one() -> None:
    reasons = " ".join(claim.reason for claim in EVERY)
    spans = re.findall(r"[Ss]ince torch [\d.]+\d|from torch [\d.]+ through [\d.]+\d", reasons)
    for words in {*spans}:
        hold_to_the_record(words, "vector gradient for a scalar y = x**2")
    assert len(re.findall(r"\d\.\d", " ".join(spans))) == len(re.findall(r"\b\d\.\d", reasons))


def test_every_printed_line_of_an_example_is_a_claim() -> None:
    printed = {example: len(lines) for example, lines in PRINTED.items()}
    assert printed == {example: len(transcript(example)) for example in EXAMPLES}
    claimed = [(claim.line, claim.words) for claim in printed_claims()]
    assert claimed == [line[:2] for lines in PRINTED.values() for line in lines]


def test_what_is_cosmetic_in_a_printed_line_is_its_white_space() -> None:
    for claim in printed_claims():
        if claim.declared == "cosmetic":
            assert "".join(claim.examine().evidence.text.split()) == "".join(claim.words.split())


def test_a_row_shows_the_source_and_what_is_printed_today() -> None:
    found = r'<tr id="by-examples-01" data-value="reproduces".*?</tr>'
    (row,) = re.findall(found, table_of("by-examples").html)
    source = "<code>x: tensor(1., requires_grad=True)</code>"
    link = '<a href="#by-examples-01">01</a>'
    assert re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)[:4] == [link, "41", source, source]


def test_rows_stand_in_the_order_of_the_document() -> None:
    lines = [found.claim.line for found in rerun("forum")]
    assert lines == sorted(lines)
