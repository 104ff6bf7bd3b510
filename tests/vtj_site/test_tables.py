"""A table says what it shows, what its columns are, and what its rows are chosen by."""

from xml.etree import ElementTree

import pytest

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.outcomes.tables import of_several, of_shape
from vtj_site.records.build_times import table_of_targets
from vtj_site.records.history import table_of_answers, table_of_environments
from vtj_site.sources.ledger import table_of, table_of_verdicts
from vtj_site.sources.verdict import VERDICTS


def test_what_torch_prints_is_escaped() -> None:
    assert code('<a> & "b"') == "<code>&lt;a&gt; &amp; &quot;b&quot;</code>"
    html = table("a & b", ["x"], [TableRow(["1"], "one", "odd")], filtered_by="parity")
    assert '<table class="vtj docutils" data-filter="parity">' in html
    assert '<tr id="one" data-value="odd"><th scope="row">1</th></tr>' in html
    assert "<caption>a &amp; b</caption>" in html


@pytest.mark.parametrize(
    ("shown", "caption", "headings", "filtered_by"),
    [
        (table_of_targets(), "The targets of the build", ["what", "measured", "target", ""], None),
        (
            table_of_answers(["a second backward"]),
            "Recorded answers, oldest release first",
            ["question", "recorded on", "answer"],
            None,
        ),
        (
            table_of_environments(),
            "Where the recorded answers come from",
            ["torch", "Python", "recorded on", "wheel", "its SHA-256"],
            None,
        ),
        (
            table_of("blog"),
            "Pytorch, what are the gradient arguments",
            ["Claim", "Line", "The source", "Today", "Verdict", "Why"],
            "verdict",
        ),
        (table_of_verdicts(), "Claims of each document, by verdict", ["Document", *VERDICTS], None),
        (
            of_shape((2, 3)),
            "y of shape (2, 3)",
            ["gradient", "x requires grad", "x does not"],
            "outcome",
        ),
        (
            of_several(),
            "y1 = sum(x) has shape (), y2 = x**2 has shape (3,), at x = [1, 2, 3]",
            ["shapes of grad_tensors", "x.grad, or the error"],
            None,
        ),
    ],
    ids=["targets", "answers", "environments", "claims", "verdicts", "outcomes", "several"],
)
def test_a_table_says_what_it_shows(
    shown: Shown, caption: str, headings: list[str], filtered_by: str | None
) -> None:
    html = ElementTree.fromstring(shown._repr_html_())[0]
    assert html.findtext("caption") == caption
    assert [cell.text or "" for cell in html.iterfind("thead/tr/*")] == headings
    assert html.get("data-filter") == filtered_by
