"""A bound on time, and a line of progress on what takes long."""

import re
from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj.calling import clock as module
from vtj.calling.clock import Clock, OutOfTime

X = torch.linspace(0.5, 2, 4, dtype=torch.float64)


class Time:
    """A clock on which each look takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "monotonic", Time())


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_out_of_time_it_is_undecided_and_says_what_was_left(verify: Any) -> None:
    """With every bound: the bound may fall between any two calls."""
    whole = verify(torch.sin, X)
    assert whole
    for seconds in range(1, 200):
        report = verify(torch.sin, X, seconds=seconds)
        if report:
            assert report.rows == whole.rows
            break
        assert report.verdict == "undecided"
        (finding,) = report.findings
        told = r"out of time after .* s and \d+ calls of f: .* (was|were) left; give more seconds="
        assert re.match(told, finding)
        assert int(finding.split(" calls of f")[0].rpartition(" ")[2]) < seconds
    assert report
    assert seconds > 5


@pytest.mark.usefixtures("slow")
def test_what_was_compared_by_then_is_told() -> None:
    report = vtj.check(torch.sin, X, seconds=30)
    told = {row.what: row.result for row in report.rows}
    assert told["reverse"] == told["forward"] == "agrees"
    assert told["numeric"] == "note"
    assert "the engines numeric" in report.findings[0]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("seconds", [3, 30, 60])
def test_check_names_what_takes_a_few_calls_where_it_goes_entry_by_entry(seconds: int) -> None:
    told = "give more seconds=, or none; certify takes a few calls of f"
    (finding,) = vtj.check(torch.sin, X, seconds=seconds).findings
    assert finding.endswith(told)
    for report in (
        vtj.certify(torch.sin, X, seconds=3),
        vtj.check(torch.sin, X, seconds=3, reference=torch.sin),
        vtj.check(torch.sin, torch.ones(101), seconds=3),  # over 10,000 entries
        vtj.check(torch.sin, X, seconds=seconds, order=2),
        vtj.check(torch.sin, X, seconds=150, order=2),
    ):
        assert report.findings[-1].endswith("give more seconds=, or none")


@pytest.mark.usefixtures("slow")
def test_certify_tells_what_was_compared_too() -> None:
    """Here the two numbers differ, and no time is left to find the entry."""
    report = vtj.certify(custom(torch.sin, lambda x, g: 2 * g * x[0].cos()), X, seconds=20)
    assert report.verdict == "undecided"
    compared, power = report.rows
    assert (compared.what, compared.result) == ("⟨x.grad, u⟩ = ⟨v, J·u⟩ by differences", "differs")
    assert power.what == "power"
    assert "the entry where it differs, or a closer look, was left" in report.findings[0]


@pytest.mark.usefixtures("slow")
def test_a_function_that_catches_everything_does_not_catch_that() -> None:
    def robust(x: Tensor) -> Tensor:
        try:
            return x.sin()
        except Exception:
            return x

    bounded = Clock(robust, 2.5)
    bounded(X)
    with pytest.raises(OutOfTime):
        [bounded(X) for _ in range(3)]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_time_that_is_none_is_refused(verify: Any, seconds: float) -> None:
    with pytest.raises(ValueError, match=rf"seconds is {seconds}; expected a number above 0"):
        verify(torch.sin, X, seconds=seconds)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_written_to_terminals_alone(
    terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: terminal)
    with Clock(torch.sin, None, "check") as one:
        for _ in range(7):
            one(X)
    written = capsys.readouterr().err
    if terminal:
        assert "\rcheck: 2 calls of f in 3 s" in written
        assert written.endswith("\r\x1b[K")
    else:
        assert written == ""
