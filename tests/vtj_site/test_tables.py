"""Each table of what was recorded or tried says what it shows, and what its columns are."""

from xml.etree import ElementTree

import pytest

from vtj_site.outcomes import Outcomes, SeveralOutcomes
from vtj_site.records.build_times import Targets
from vtj_site.records.history import Answers, Environments
from vtj_site.sources.ledger import Ledger, Verdicts

Table = Targets | Answers | Environments | Ledger | Verdicts | Outcomes | SeveralOutcomes


@pytest.mark.parametrize(
    ("table", "caption", "headings", "filtered_by"),
    [
        (Targets(), "The targets of the build", ["what", "measured", "target", ""], None),
        (
            Answers(("a second backward",)),
            "Recorded answers, oldest release first",
            ["question", "recorded on", "answer"],
            None,
        ),
        (
            Environments(),
            "Where the recorded answers come from",
            ["torch", "Python", "recorded on", "wheel", "its SHA-256"],
            None,
        ),
        (
            Ledger("blog"),
            "Pytorch, what are the gradient arguments",
            ["Claim", "Line", "The source", "Today", "Verdict", "Why"],
            "verdict",
        ),
        (
            Verdicts(),
            "Claims of each document, by verdict",
            [
                "Document",
                "reproduces",
                "cosmetic",
                "no longer holds",
                "imprecise",
                "broken as printed",
            ],
            None,
        ),
        (
            Outcomes((2, 3)),
            "y of shape (2, 3)",
            ["gradient", "x requires grad", "x does not"],
            "outcome",
        ),
        (
            SeveralOutcomes(),
            "y1 = sum(x) has shape (), y2 = x**2 has shape (3,), at x = [1, 2, 3]",
            ["shapes of grad_tensors", "x.grad, or the error"],
            None,
        ),
    ],
    ids=lambda table: type(table).__name__,
)
def test_a_table_says_what_it_shows(
    table: Table, caption: str, headings: list[str], filtered_by: str | None
) -> None:
    html = ElementTree.fromstring(table._repr_html_())[0]
    assert html.findtext("caption") == caption
    assert [cell.text or "" for cell in html.iterfind("thead/tr/th")] == headings
    assert html.get("data-filter") == filtered_by
