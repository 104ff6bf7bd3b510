"""Every claim of the three documents is there, and running it leads to its verdict."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from vtj_site.sources import ledger
from vtj_site.sources.by_examples_printed import PRINTED
from vtj_site.sources.by_examples_printed import claims as printed_claims
from vtj_site.sources.claim import TITLES, Claim, Document, VerdictError
from vtj_site.sources.ledger import Ledger, Verdicts, claims, count, findings
from vtj_site.sources.transcripts import EXAMPLES, transcript
from vtj_site.sources.verdict import VERDICTS, Printed, Verdict

NUMBERS = {
    "blog": {f"blog-{n:02}" for n in range(1, 22)},
    "forum": {f"forum-{n:02}" for n in range(1, 40)},
    "by-examples": {f"by-examples-{n:02}" for n in range(1, 81)}
    | {f"by-examples-p{n:02}" for n in range(1, 25)},
}
COUNTS: dict[Document, dict[Verdict, int]] = {
    "blog": {"reproduces": 15, "cosmetic": 5, "imprecise": 1},
    "forum": {"reproduces": 23, "cosmetic": 3, "imprecise": 9, "broken as printed": 4},
    "by-examples": {
        "reproduces": 69,
        "cosmetic": 18,
        "no longer holds": 4,
        "imprecise": 2,
        "broken as printed": 11,
    },
}
EVERY = [claim for document in TITLES for claim in claims(document)]


@pytest.mark.parametrize("document", TITLES)
def test_no_claim_is_missing(document: Document) -> None:
    assert {claim.id for claim in claims(document)} == NUMBERS[document]
    assert len(claims(document)) == len(NUMBERS[document])


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: claim.id)
def test_running_a_claim_leads_to_its_declared_verdict(claim: Claim) -> None:
    assert claim.examine().verdict == claim.declared


@pytest.mark.parametrize("document", TITLES)
def test_the_counts(document: Document) -> None:
    counted = {verdict: count(document, verdict) for verdict in VERDICTS}
    assert {verdict: n for verdict, n in counted.items() if n} == COUNTS[document]


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: claim.id)
def test_a_reason_is_one_sentence_and_the_words_are_few(claim: Claim) -> None:
    assert re.fullmatch(r"[A-Z].*\.", claim.reason)
    assert ". " not in claim.reason
    assert len(claim.words) <= 60


def test_every_printed_line_of_an_example_is_a_claim() -> None:
    printed = {example: len(lines) for example, lines in PRINTED.items()}
    assert printed == {example: len(transcript(example)) for example in EXAMPLES}
    claimed = [(claim.line, claim.digest, claim.words) for claim in printed_claims()]
    assert claimed == [line for lines in PRINTED.values() for line in lines]


def test_a_row_has_its_anchor_and_what_it_is_filtered_by() -> None:
    html = Ledger("by-examples")._repr_html_()
    assert '<tr id="by-examples-53" data-value="no longer holds">' in html
    assert 'data-filter="verdict"' in html
    assert len(re.findall(r"<tr id=", html)) == 104
    assert "<code>x.grad: tensor(2222.)</code>" in html
    assert "RuntimeError: Mismatch in shape" in html


LOOP = (
    "IndentationError: expected an indented block after &#x27;for&#x27; statement on line 1 "
    "(&lt;loop&gt;, line 2). Mended: x.grad: tensor(2.)"
)


@pytest.mark.parametrize(
    ("name", "line", "words", "today"),
    [
        ("01", "41", "x: tensor(1., requires_grad=True)", None),
        ("54", "345", "x.grad: tensor(2.)", LOOP),
        ("p19", "287", "[2*x[0], 6*x[1]**2],", "holds: flat lines inside brackets"),
    ],
)
def test_a_row_shows_the_source_and_what_is_printed_or_holds_today(
    name: str, line: str, words: str, today: str | None
) -> None:
    (row,) = re.findall(
        rf'<tr id="by-examples-{name}".*?</tr>', Ledger("by-examples")._repr_html_()
    )
    source = f"<code>{words}</code>"
    assert re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)[:4] == [
        f'<a href="#by-examples-{name}">{name}</a>',
        line,
        source,
        source if today is None else today,
    ]


def test_what_is_cosmetic_in_a_printed_line_is_its_white_space() -> None:
    cosmetic = [claim for claim in printed_claims() if claim.declared == "cosmetic"]
    today = {claim.id: "".join(claim.examine().today.split()) for claim in cosmetic}
    assert today == {claim.id: "".join(claim.words.split()) for claim in cosmetic}


def test_rows_stand_in_the_order_of_the_document() -> None:
    lines = [finding.claim.line for finding in findings("forum")]
    assert lines == sorted(lines)
    assert str(Ledger("forum")).count("\n") == 38


def test_the_table_of_counts() -> None:
    assert "<td>69</td><td>18</td><td>4</td><td>2</td><td>11</td>" in Verdicts()._repr_html_()
    assert repr(Verdicts()) == str(Verdicts())


def test_a_page_with_a_wrong_verdict_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(claims("blog")[0], run=lambda: Printed("3"))
    monkeypatch.setattr(ledger, "claims", lambda document: [wrong])
    findings.cache_clear()
    try:
        with pytest.raises(VerdictError, match="blog-01"):
            Ledger("blog")._repr_html_()
    finally:
        findings.cache_clear()


def test_importing_vtj_does_not_import_the_claims() -> None:
    code = "import sys, vtj; sys.exit(any(name.startswith('vtj_site') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
