"""Who says what of J: the engines, the differences where they can tell, a person, and `.grad`."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj.engines.numeric import Slopes
from vtj.oracle.trial import try_out
from vtj.oracle.witnesses import (
    ask_engines,
    by_hand,
    differences_witness,
    failure,
    first_line,
)
from vtj.outcome import Outcome
from vtj.report import Row

X = torch.tensor([1.0, 3.0])
SQUARE = np.diag([2.0, 6.0])


def _square(x: Tensor) -> Tensor:
    return x**2


def test_an_engine_that_raises_gives_its_reason() -> None:
    def jvp(x: Any, u: Tensor) -> Tensor:
        raise ValueError("no forward here. Ask somebody else")

    f = custom(_square, lambda x, g: 2 * x[0] * g, jvp)
    heard = ask_engines(try_out(f, X), ["forward", "reverse"], None)
    assert [one.name for one in heard.witnesses] == ["reverse"]
    reason = "ValueError: no forward here"
    told = f"forward mode raises {reason}; mend the jvp of the custom Function, or take it out"
    assert heard.rows == (
        Row("forward", "forward", "not applicable", note=reason),
        Row("jvp", "forward", "note", note=told),
    )


def _raising(x: tuple[Tensor], u: Tensor) -> Tensor:
    raise KeyError("u")


def _none_yet(x: tuple[Tensor], u: Tensor) -> Tensor:
    raise NotImplementedError("some day")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    ("jvp", "told"),
    [
        (_raising, ["forward mode raises KeyError: 'u'"]),
        (
            lambda x, u: (2 * x[0] * u).sum(),
            ["forward mode raises RuntimeError: Trying to set a forward gradient that has a diff"],
        ),
        (lambda x, u: 2 * x[0] * u, []),
        (_none_yet, []),
        (None, []),
    ],
    ids=["raises", "another shape", "right", "not implemented", "none"],
)
def test_a_jvp_that_fails_has_a_row(verify: Any, jvp: Any, told: list[str]) -> None:
    report = verify(custom(_square, lambda x, g: 2 * x[0] * g, jvp), X)
    assert report, str(report)
    notes = [row.note for row in report.rows if row.what == "jvp"]
    assert len(notes) == len(told)
    for note, begin in zip(notes, told, strict=True):
        assert note.startswith(begin)
        assert note.endswith("; mend the jvp of the custom Function, or take it out")


def test_an_engine_is_silent_where_it_gives_nan() -> None:
    factor = torch.tensor([1.0, torch.nan])
    (one,) = ask_engines(try_out(lambda x: x * factor, X), ["reverse"], None).witnesses
    assert np.isnan(one.value).any(axis=0).tolist() == [False, True]
    assert np.array_equal(one.silent, np.isnan(one.value))


def test_a_function_by_hand_is_called_with_arrays() -> None:
    def J(*x: Any) -> Any:  # noqa: N802 - J is the term
        assert all(type(part) is np.ndarray for part in x)
        return [part.tolist() for part in x]

    trial = try_out(lambda a, b: a + b, (X, 2 * X))
    assert by_hand(trial, J) == [[1, 3], [2, 6]]


def _differences(
    value: list[float], error: list[float], y: float = 0.0, jump: tuple[float, ...] = (0, 0)
) -> list[bool]:
    """Give where the differences are silent in one row of J."""
    trial = try_out(lambda x: (x * 0 + y).sum().reshape(1), torch.ones(1))
    slopes = Slopes(*(np.array([part[: len(value)]]) for part in (value, error, jump)))
    one = differences_witness(trial, slopes, ())
    assert (one.name, one.family) == ("numeric", "numeric")
    assert np.array_equal(one.value, np.where(one.silent, np.nan, slopes.value), equal_nan=True)
    return np.asarray(one.silent)[0].tolist()


def test_differences_are_heard_to_a_thousandth_of_the_largest_slope_in_their_row() -> None:
    above = float(np.nextafter(1, 2))
    assert _differences([4000.0, 1.0], [1.0, 1.0]) == [False, False]
    assert _differences([1.0, -4000.0], [1.0, above]) == [False, True]
    assert _differences([np.nan, 4000.0], [np.inf, 1.0]) == [True, False]


def test_slopes_that_may_be_zero_are_heard_to_a_billionth_of_y() -> None:
    y = 1e9 + 1 / 3  # no number of float32
    assert _differences([0.5, 0.0], [0.2, 0.25], y=y) == [False, False]
    assert _differences([0.5, 0.0], [0.2, 0.25], y=-y) == [False, False]
    assert _differences([0.5, 0.0], [0.2, 0.26], y=y) == [False, True]
    assert _differences([4.0], [1.0], y=10 * y) == [False]
    assert _differences([4.0], [0.9], y=10 * y) == [True]
    assert _differences([np.nan, np.nan], [np.inf, np.inf], y=y) == [True, True]


def test_beside_a_y_in_float32_a_slope_of_zero_is_heard_to_some_millionths() -> None:
    assert _differences([0.0, 0.0], [0.9e3, 1.1e3], y=1e9) == [False, True]
    assert _differences([0.5], [0.26], y=1e9) == [True]


def test_at_a_kink_differences_are_heard_and_reach_from_slope_to_slope() -> None:
    assert _differences([1.0, 1.0], [5.0, 5.0], jump=(2.0, 0.0)) == [False, True]
    trial = try_out(lambda x: 0 * x, torch.zeros(1))
    slopes = Slopes(np.ones((1, 1)), np.full((1, 1), 5.0), np.full((1, 1), -8.0))
    error = np.asarray(differences_witness(trial, slopes, ()).error)
    assert error.tolist() == [[6.0]]  # SAFETY times this is 5 · SAFETY, and half the jump


@pytest.mark.parametrize("y", [np.inf, -np.inf, np.nan])
def test_where_y_is_not_finite_differences_say_nothing(y: float) -> None:
    assert _differences([1.0, 0.0], [0.0, 0.0], y=y) == [True, True]


def test_a_pole_is_not_taken_for_a_kink() -> None:
    report = vtj.check(lambda x: (1 / x).sum(), torch.tensor([0.0]))
    assert report.verdict == "undecided"
    assert report.findings[0] == "y is inf: there is no derivative"
    assert not any("kinks" in finding for finding in report.findings), str(report)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("", "ValueError"),
        (" \n ", "ValueError"),
        ("one. two", "ValueError: one"),
        ("one.two three", "ValueError: one.two three"),
        ("\none\ntwo", "ValueError: one"),
        ("a" * 120, f"ValueError: {'a' * 120}"),
        ("a" * 121, f"ValueError: {'a' * 117}..."),
    ],
)
def test_an_error_is_told_in_one_line(message: str, line: str) -> None:
    assert first_line(ValueError(message)) == line


def test_only_torch_refuses_what_is_not_connected() -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.ones(()).backward()
    assert failure(Outcome(None, None, raised.value, False, False)) is None
    for error in (ValueError(str(raised.value)), RuntimeError("something else"), None):
        assert failure(Outcome(None, None, error, False, False)) is error
