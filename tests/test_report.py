import pytest

from vtj.report import JacobianMismatch, Report, Row, both

ROWS = (
    Row("x.grad", "backward", "differs", 12345.678, "why"),
    Row("reverse", "backward", "agrees"),
)
WRONG = Report("J (2,)", ROWS, "wrong", "backward", ("dy/dx: backward 1, numeric 2",))


def test_true_for_correct_alone() -> None:
    assert [bool(Report("", (), verdict)) for verdict in ("correct", "wrong", "undecided")] == [
        True,
        False,
        False,
    ]


def test_text_and_html_say_the_same() -> None:
    text, page = str(WRONG), WRONG._repr_html_()
    assert repr(WRONG) == text
    assert text.splitlines()[0] == "wrong (backward): J (2,)"
    for said in ("wrong (backward): J (2,)", "dy/dx: backward 1, numeric 2", "1.2e+04", "why"):
        assert said in text
        assert said in page


def test_a_correct_report_names_the_families_that_agree() -> None:
    one = Report("J (2,)", ROWS, "correct")
    assert "correct: backward agrees (2 rows)" in one._repr_html_()
    two = Report("J (2,)", (*ROWS, Row("numeric", "numeric", "agrees")), "correct")
    assert "correct: backward, numeric agree (3 rows)" in two._repr_html_()


def test_a_bare_assert_shows_the_table() -> None:
    with pytest.raises(AssertionError) as caught:
        assert WRONG
    assert "dy/dx: backward 1, numeric 2" in str(caught.value)


@pytest.mark.parametrize("verdict", ["wrong", "undecided"])
def test_raise_for_mismatch_carries_the_report(verdict: str) -> None:
    report = Report("J (2,)", ROWS, verdict)
    with pytest.raises(JacobianMismatch, match=verdict) as caught:
        report.raise_for_mismatch()
    assert caught.value.report is report
    assert isinstance(caught.value, AssertionError)
    Report("J (2,)", ROWS, "correct").raise_for_mismatch()


def test_both_takes_the_worse_verdict() -> None:
    right = Report("J (3,)", ROWS, "correct")
    together = both(right, WRONG)
    assert (together.verdict, together.culprit) == ("wrong", "backward")
    assert together.findings == ("order 2: dy/dx: backward 1, numeric 2",)
    assert [row.what for row in together.rows][2:] == ["order 2: x.grad", "order 2: reverse"]
    assert both(WRONG, right).verdict == "wrong"
    assert both(right, Report("", (), "undecided")).verdict == "undecided"


def test_a_correct_report_is_folded_and_every_other_stands_open() -> None:
    row = Row("x.grad", "backward", "agrees", 0.0)
    assert Report("J", (row,), "correct")._repr_html_().startswith('<details class="vtj">\n')
    opened = Report("J", (row,), "undecided", None, ("one", "two"))._repr_html_()
    assert opened.startswith('<details class="vtj" open>\n')
    assert "<p>one</p>\n<p>two</p>\n<div" in opened
