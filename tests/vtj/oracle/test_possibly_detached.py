"""How large a slope could be that autograd does not see and differences could not tell."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from vtj.oracle.blind_spots import possibly_detached
from vtj.oracle.reexamination import seen_by_autograd_alone
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial, try_out
from vtj.oracle.voting import Witness
from vtj.oracle.witnesses import Answers

SIGNS = torch.tensor([1.0, -1.0])
FAR = 1e6  # so far does x move for a slope of 1 that the terms of y allow next to none


def differences(error: Any, silent: Any = True) -> Witness:
    """Give differences that say no more than how far they may be off."""
    error = np.asarray(error, dtype=float)
    return Witness("numeric", "numeric", error * np.nan, error, silent=silent)


def largest_seen(trial: Trial, slopes: Any, size: Any) -> list[list[float]]:
    """Give the slopes that could go possibly_detached, which is as large as the errors may be."""
    largest = np.zeros(np.shape(slopes))
    for power in range(40, -61, -1):
        step = 2.0**power
        numeric = differences((largest + step) / SAFETY)
        largest += np.where(
            possibly_detached(trial, np.array(slopes), numeric, np.array(size)), 0, step
        )
    return [np.round(row, 12).tolist() for row in largest]


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    return 2 * x, x.detach()


def test_without_differences_all_that_is_cut_off_is_unseen() -> None:
    trial = try_out(halves, torch.ones(2))
    cut = [False, False, True, True]
    assert possibly_detached(trial, np.ones((4, 2)), None, np.ones(2)).tolist() == [
        [c, c] for c in cut
    ]
    assert possibly_detached(trial, np.ones(4), None, np.ones(1)).tolist() == cut
    square = possibly_detached(
        try_out(lambda x: (2 * x[0], x[1].detach()), torch.ones(2)), np.ones(2), None, 1
    )
    assert square.tolist() == [False, True]


def test_what_differences_tell_is_seen() -> None:
    trial = try_out(halves, torch.ones(2))
    for numeric in (differences(np.ones((4, 2)), silent=False), differences(1.0, silent=False)):
        found = possibly_detached(trial, np.ones((4, 2)), numeric, np.ones(2))
        assert (found.dtype, found.tolist()) == (bool, [[False, False]] * 4)


def test_where_differences_are_silent_all_that_is_cut_off_is_unseen() -> None:
    trial = try_out(halves, torch.ones(2))
    silent = np.array([[True, False], [False, True], [True, False], [False, True]])
    slopes, size = 8 * np.ones((4, 2)), np.ones(2)
    found = possibly_detached(trial, slopes, differences(np.full((4, 2), 0.1), silent), size)
    assert found.tolist() == [[False, False], [False, False], [True, False], [False, True]]
    found = possibly_detached(trial, slopes, differences(np.full((4, 2), 9.0), silent), size)
    assert found.tolist() == silent.tolist()
    rough = differences(np.full(4, 9.0), np.array([True, False, True, False]))
    assert possibly_detached(trial, np.ones(4), rough, np.ones(1)).tolist() == [
        True,
        False,
        True,
        False,
    ]


def test_a_slope_as_large_as_all_that_is_seen_could_be_unseen() -> None:
    trial = try_out(lambda x: 0.5 * x, torch.ones(2))
    slopes = [[0.5, 0.0], [0.0, -0.25]]
    assert largest_seen(trial, slopes, [FAR, FAR]) == [[0.5, 0.5], [0.5, 0.5]]
    with_nan = [[np.nan, 0.0], [0.0, -0.25]]
    assert largest_seen(trial, with_nan, [FAR, FAR]) == [[0.25, 0.25], [0.25, 0.25]]


def test_moving_x_by_its_size_could_change_y_by_its_own() -> None:
    trial = try_out(lambda x: x.exp(), torch.tensor([0.0, 3.0]))
    expected = np.round(np.exp(3) / np.array([2.0, 0.5]), 12).tolist()
    assert largest_seen(trial, np.zeros((2, 2)), [2.0, 0.5]) == [expected, expected]


def test_terms_that_cancel_count_no_more_than_x_and_y() -> None:
    def shifted(by: float) -> Callable[[Tensor], Tensor]:
        return lambda x: 1e3 * (x.exp().log() - x) + x + by

    x = torch.tensor([0.5])
    assert largest_seen(try_out(shifted(0.0), x), [[0.0]], [1.0]) == [[0.5]]
    assert largest_seen(try_out(shifted(1.0), x), [[0.0]], [1.0]) == [[1.5]]
    assert largest_seen(try_out(shifted(-0.75), x), [[0.0]], [1.0]) == [[0.5]]


def test_terms_of_no_more_than_rounding_count_as_such() -> None:
    """The terms of x / 1024 are not larger than they seem, although x is."""
    trial = try_out(lambda x: x / 1024, torch.tensor([64.0]))
    assert largest_seen(trial, [[0.0]], [1.0]) == [[0.0625]]


ELSEWHERE: dict[str, tuple[Callable[[Tensor], Tensor], list[float], float]] = {
    "flat up to x": (lambda x: torch.relu(4 * (x - 1)), [1.0], 4.0),
    "flat down to x": (lambda x: torch.relu(-4 * (x + 3)), [-3.0], 12.0),
    "zero at zero": (lambda x: x * 0.5, [0.0], 0.5),
    "the largest element": (lambda x: torch.relu(4 * (x - 4)), [0.0, 4.0], 16.0),
    "no number elsewhere": (lambda x: torch.sqrt(1 - x), [1.0], 0.0),
    "no number in part": (lambda x: 4 * torch.sqrt((1 - x) * SIGNS), [1.0, 1.0], 4.0),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_where_all_is_zero_y_a_little_off_tells_its_size(name: str) -> None:
    f, x, size = ELSEWHERE[name]
    trial = try_out(f, torch.tensor(x))
    assert not trial.y[0].any()
    slopes = np.zeros((len(x), len(x)))
    assert largest_seen(trial, slopes, [1.0] * len(x)) == [[round(size, 12)] * len(x)] * len(x)


def test_y_is_looked_at_elsewhere_only_where_all_is_zero() -> None:
    square = try_out(lambda x: x**2, torch.tensor([1.0]))
    assert largest_seen(square, [[0.0]], [1.0]) == [[1.0]]
    steep = try_out(lambda x: x * 64, torch.tensor([0.0]))
    assert largest_seen(steep, [[2.0]], [1.0]) == [[2.0]]


def alone(trial: Trial, *said: Witness) -> Any:
    """Say for which entries these see no detached path, where all slopes are zero."""
    return seen_by_autograd_alone(Answers(trial, said, ()), np.zeros(trial.size))


def test_x_moves_by_its_own_size_or_where_it_is_zero_by_one() -> None:
    trial = try_out(lambda x: x.sum() * 2, torch.tensor([0.0, 2.0, -4.0]))
    assert trial.y[0] == -4
    largest = np.array([[4.0, 2.0, 1.0]])
    assert not alone(trial, differences(largest / SAFETY)).any()
    assert alone(trial, differences(np.nextafter(largest, 9) / SAFETY)).all()


def test_whoever_is_not_of_autograd_sees_what_is_detached() -> None:
    trial = try_out(lambda x: (x.detach(),), (torch.ones(2),))
    zeros = np.zeros((2, 2))
    backward, forward = Witness("reverse", "backward", zeros), Witness("jacfwd", "forward", zeros)
    assert alone(trial, backward, forward).all()
    by_hand = Witness("by hand", "by hand", zeros)
    assert not alone(trial, backward, by_hand).any()
    half = np.array([[True, False], [False, True]])
    symbolic = Witness("symbolic", "symbolic", zeros, silent=half)
    assert alone(trial, symbolic, forward).tolist() == half.tolist()
    rough = differences(np.ones((2, 2)), np.array([[True, True], [False, False]]))
    found = alone(trial, rough, symbolic, backward)
    assert found.tolist() == [[True, False], [False, False]]
