"""No sentence meant for readers decides anything: with all words changed, verdicts stay."""

from typing import Any

import pytest

import vtj
from tests.zoo.bug import Bug
from tests.zoo.score import BUGS, report
from vtj.oracle.findings import Finding
from vtj.report import Row


@pytest.fixture
def other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write what rows and findings say backwards, as soon as they are made."""
    of_row, of_finding = Row.__init__, Finding.__init__

    def row(self: Row, *given: Any, **named: Any) -> None:
        of_row(self, *given, **named)
        for field in ("what", "family", "result", "note"):
            object.__setattr__(self, field, getattr(self, field)[::-1])

    def finding(self: Finding, text: str, *rest: Any, **more: Any) -> None:
        of_finding(self, text[::-1], *rest, **more)

    monkeypatch.setattr(Row, "__init__", row)
    monkeypatch.setattr(Finding, "__init__", finding)


@pytest.mark.usefixtures("other_words")
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_of_the_zoo_is_the_same_in_other_words(bug: Bug) -> None:
    told = report(bug)
    assert (told.verdict, told.culprit) == ("wrong", bug.culprit), str(told)
    assert told.rows[0].result in ("seerga", "sreffid", "sliaf")


@pytest.mark.usefixtures("other_words")
def test_a_right_function_is_correct_in_other_words() -> None:
    x = BUGS[0].x
    assert vtj.check(lambda x: x**2, x)
    assert vtj.certify(lambda x: x**2, x)
