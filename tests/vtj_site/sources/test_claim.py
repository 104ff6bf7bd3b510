from dataclasses import replace

import pytest

from vtj_site.sources.claim import Claim, Source, VerdictError, digest
from vtj_site.sources.verdict import Evidence, Held, Printed

CLAIM = Claim(
    id="blog-01",
    document="blog",
    line=43,
    words="2 0 0 0",
    digest=digest("2 0 0 0"),
    declared="cosmetic",
    reason="Another form.",
    run=lambda: Printed("tensor([[2., 0., 0., 0.]])"),
)


def test_a_claim_shows_what_is_printed_today() -> None:
    finding = CLAIM.examine()
    assert (finding.verdict, finding.today) == ("cosmetic", "tensor([[2., 0., 0., 0.]])")


def test_another_verdict_than_the_declared_one_is_an_error_that_shows_both() -> None:
    with pytest.raises(VerdictError) as raised:
        replace(CLAIM, run=lambda: Printed("tensor([[3., 0., 0., 0.]])")).examine()
    message = str(raised.value)
    assert message.startswith("blog-01 (blog, line 43) is declared 'cosmetic' but")
    assert "'no longer holds'" in message
    assert "'2 0 0 0'" in message
    assert "'tensor([[3., 0., 0., 0.]])'" in message


def test_a_digest_changes_with_the_line() -> None:
    assert digest("2 0 0 0") != digest("2 0 0 0 ")
    assert len(digest("")) == 16


def test_a_source_keeps_its_claims_in_order() -> None:
    source = Source("forum")

    @source.claim("02", 7, "words", digest("words"), "reproduces")
    def run() -> Evidence:
        """Because."""
        return Held({"here": True})

    (claim,) = source.claims
    assert (claim.id, claim.document, claim.line) == ("forum-02", "forum", 7)
    assert (claim.words, claim.digest) == ("words", digest("words"))
    assert claim.reason == "Because."
    assert claim.examine().verdict == "reproduces"
    assert run() == Held({"here": True})


def test_a_claim_that_does_not_say_why_has_no_reason() -> None:
    source = Source("blog")

    @source.claim("01", 1, "words", digest("words"), "reproduces")
    def run() -> Evidence:
        return Held({"here": True})

    assert source.claims[0].reason == ""
    assert run().text == "holds: here"
