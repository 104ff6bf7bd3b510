import pytest

from vtj.report import JacobianMismatch, Report, Row, Verdict, both

ROWS = (
    Row("x.grad", "backward", "differs", 12345.678, "why"),
    Row("reverse", "backward", "agrees"),
)
NUMERIC = Row("numeric", "numeric", "agrees")
WRONG = Report("J (2,)", ROWS, "wrong", "backward", ("dy/dx: backward 1, numeric 2",))


def test_text_and_html_say_the_same() -> None:
    text, page = str(WRONG), WRONG._repr_html_()
    assert repr(WRONG) == text
    assert text.splitlines()[0] == "wrong (backward): J (2,)"
    for said in ("wrong (backward): J (2,)", "dy/dx: backward 1, numeric 2", "1.2e+04", "why"):
        assert said in text
        assert said in page


@pytest.mark.parametrize(
    ("rows", "verdict", "said"),
    [
        (ROWS, "correct", "correct: backward agrees (2 rows)"),
        ((*ROWS, NUMERIC), "correct", "correct: backward, numeric agree (3 rows)"),
        (ROWS, "wrong", "wrong: J: who said what, 2 rows"),
        (ROWS, "undecided", "undecided: J: who said what, 2 rows"),
    ],
)
def test_a_correct_report_is_folded_and_every_other_stands_open(
    rows: tuple[Row, ...], verdict: Verdict, said: str
) -> None:
    report = Report("J", rows, verdict, None, ("one", "two"))
    assert bool(report) is (verdict == "correct")
    opened = "" if report else " open"
    start = f'<details class="vtj"{opened}>\n<summary>{said}</summary>\n'
    assert report._repr_html_().startswith(f"{start}<p>one</p>\n<p>two</p>\n<div")


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
