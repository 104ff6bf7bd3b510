from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.engines.numeric import (
    CLOSE,
    SAFETY,
    Slopes,
    derivative,
    estimate,
    jacobian,
    lasting_jump,
    rounded_tip,
)

EPS = 2.0**-52
X = torch.tensor([0.1, 0.7, 1.3, -0.9], dtype=torch.float64)

SMOOTH: dict[str, Callable[[Tensor], Tensor]] = {
    "exp": torch.exp,
    "sin(10x)": lambda x: torch.sin(10 * x),
    "1/x near 0": lambda x: 1 / (0.01 * x),
    "softmax": lambda x: x.softmax(0),
    "tanh": torch.tanh,
    "times 1e-9": lambda x: 1e-9 * x**3,
    "plus 1e6": lambda x: torch.sin(x) + 1e6,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_error_is_no_smaller_than_it_says(name: str) -> None:
    f = SMOOTH[name]
    value, error, jump = estimate(f, X, EPS)
    exact = torch.func.jacrev(f)(X).numpy()
    assert (abs(value - exact) <= SAFETY * error).all()
    assert not jump.any()


@pytest.mark.parametrize("name", [name for name in SMOOTH if name != "plus 1e6"])
def test_ten_digits_at_least(name: str) -> None:
    value = estimate(SMOOTH[name], X, EPS).value
    exact = torch.func.jacrev(SMOOTH[name])(X).numpy()
    assert (abs(value - exact).max(axis=1) <= 1e-10 * abs(exact).max(axis=1)).all()


def test_it_stays_where_f_is_defined() -> None:
    value, error, _ = estimate(torch.acos, torch.tensor([0.99], dtype=torch.float64), EPS)
    assert abs(value[0, 0] + 1 / np.sqrt(1 - 0.99**2)) <= SAFETY * error[0, 0]


def test_a_very_small_x_is_not_the_scale_of_f() -> None:
    x = torch.tensor([1e-9], dtype=torch.float64)
    value, error, _ = estimate(torch.exp, x, EPS)
    assert abs(value[0, 0] - 1) <= SAFETY * error[0, 0] < 1e-5


class Asked:
    """A function of one number, given by its slope to either side of 0, that notes its steps."""

    def __init__(self, *slopes: Callable[[float], float], at: float = 0.0) -> None:
        self.slopes, self.at = slopes, at
        self.steps: list[float] = []

    def __call__(self, t: float) -> NDArray[np.float64]:
        self.steps.append(t)
        return np.array([self.at + t * slope(t) for slope in self.slopes])

    def derivative(self, first: float = 1.0, eps: float = 0.0, **options: Any) -> Slopes:
        return derivative(self, np.full(len(self.slopes), self.at), first, eps, **options)


def halved(first: float, count: int) -> list[float]:
    return [sign * first / 2**k for k in range(count) for sign in (1, -1)]


def test_it_stops_once_settled_after_three_steps() -> None:
    g = Asked(lambda t: 3.0, at=8.0)
    value, error, jump = g.derivative(4.0, 2.0**-40)
    assert g.steps == halved(4.0, 3)
    assert (value.tolist(), jump.tolist()) == ([3.0], [0.0])
    assert error.tolist() == [2.0**-40 * 20 / 2]


def test_the_error_is_at_least_what_rounding_makes_of_the_step() -> None:
    """The values at the first step are 9 and 7, and -4.5 and 20.5; the slopes 1 and -12.5."""
    g = Asked(lambda t: 1.0, lambda t: -12.5, at=8.0)
    eps, noise, rounding = 2.0**-40, np.array([2.0**-30, 2.0**-31]), 2.0**-35
    value, error, _ = g.derivative(1.0, eps, noise=noise, rounding=rounding)
    assert value.tolist() == [1.0, -12.5]
    first = [2.0**-30 + 9 * eps + rounding, 2.0**-31 + 20.5 * eps + 12.5 * rounding]
    assert error.tolist() == [2 * part for part in first]


@pytest.mark.parametrize(
    ("enough", "tried"), [(0.5, 3), (0.002, 3), (0.001, 4), (1e-4, 4), (0.0, 6)]
)
@pytest.mark.parametrize("scale", [1.0, -1e6])
def test_it_stops_where_the_error_is_a_small_enough_part(
    enough: float, tried: int, scale: float
) -> None:
    g = Asked(lambda t: scale * (3 + t**8))
    g.derivative(eps=2.0**-40, enough=enough)
    assert len(g.steps) == 2 * tried


def test_a_constant_has_the_slope_zero_without_a_doubt() -> None:
    value, error, jump = Asked(lambda t: 0.0, lambda t: 1.0, at=7.0).derivative(eps=EPS)
    assert (value.tolist(), jump.tolist()) == ([0.0, 1.0], [0.0, 0.0])
    assert error[0] == 0 < error[1]


@pytest.mark.parametrize(
    "slope",
    [
        lambda t: float(t > 0),
        lambda t: float(t < 0),
        lambda t: float(abs(t) > 0.75),
        lambda t: float(abs(t) < 0.3),
        lambda t: float(np.sign(t)),
    ],
    ids=["flat on the left", "flat on the right", "flat inside", "flat outside", "even"],
)
def test_what_is_flat_in_part_is_no_constant(slope: Callable[[float], float]) -> None:
    assert Asked(slope, at=7.0).derivative(eps=EPS).error > 0


@pytest.mark.parametrize(
    "outside",
    [lambda t: abs(t) > 0.25, lambda t: t > 0.25, lambda t: t < -0.25],
    ids=["on both sides", "on the right", "on the left"],
)
def test_steps_are_halved_until_both_values_are_finite(outside: Callable[[float], bool]) -> None:
    g = Asked(lambda t: np.nan if outside(t) else 3 + t**2, lambda t: 2.0)
    value, _, _ = g.derivative(eps=2.0**-40)
    assert value.tolist() == [3.0, 2.0]
    assert g.steps == halved(1.0, 5)


def test_a_hole_makes_it_begin_again() -> None:
    g = Asked(lambda t: np.inf if abs(t) == 0.25 else 3 + t**2 + 1024 * t**4)
    value, error, _ = g.derivative(eps=2.0**-40)
    assert g.steps == halved(1.0, 7)
    assert abs(value - 3) <= SAFETY * error < 1e-8


TABLE = [5, -9, 4, 7, 7 + 2.0**-20, 9, 4, 500, -300, 40, -7, 3, -90, 60, 2, 800, 9, 0, 900, -8]


def test_an_estimate_that_never_settles_is_no_better_than_the_slopes_after_it() -> None:
    """Two slopes next to each other happen to agree: what they make is the best, by chance."""
    by_level = lambda t: float(TABLE[round(-np.log2(abs(t)))])  # noqa: E731
    lucky = 7 + 2.0**-20 * 4 / 3
    g = Asked(by_level, lambda t: 2.0)
    value, error, _ = g.derivative()
    assert g.steps == halved(1.0, 20)
    np.testing.assert_allclose(value, [lucky, 2.0], rtol=1e-12)
    assert error == pytest.approx([lucky - 4, 0.0], rel=1e-12)


def test_three_steps_show_the_jump_of_the_slope() -> None:
    g = Asked(lambda t: 3 + 2 * np.sign(t), lambda t: -np.sign(t), lambda t: 1.0, at=5.0)
    value, _, jump = g.derivative()
    assert value.tolist() == [3.0, 0.0, 1.0]
    assert jump.tolist() == [4.0, -2.0, 0.0]


@pytest.mark.parametrize(
    ("jumps", "error", "left"),
    [
        ((1.0, 1.0, 1.0), 0.0, 1.0),
        ((-1.0, -1.0, -1.0), 0.0, -1.0),
        ((1.0, 1.0, 1.0), 0.2499, 1.0),
        ((1.0, 1.0, 1.0), 0.25, 0.0),
        ((7.0, -17.0, 1.0, 10.5), 0.0, 20.0),
        ((1.0, 1.0, 1.02), 0.0, 1.04),
        ((-1.0, -1.0, -1.02), 0.0, -1.04),
        ((1.0, 1.0, 1.03), 0.0, 0.0),
        ((1.0, 1.0, 1.03), 0.0017, 0.0),
        ((1.0, 1.0, 1.03), 0.0018, 1.06),
        ((1.0, 0.5, 0.25), 0.0, 0.0),
    ],
)
def test_a_jump_lasts_where_it_does_not_shrink(
    jumps: tuple[float, ...], error: float, left: float
) -> None:
    given = lasting_jump([np.array([j]) for j in jumps], np.array([error]))
    assert given.tolist() == [pytest.approx(left)]


def steps_at(f: Callable[[Tensor], Tensor], at: float) -> tuple[Slopes, list[float]]:
    """Return what is estimated at one number, and the steps to the right, in order."""
    seen: list[float] = []

    def noting(x: Tensor) -> Tensor:
        seen.append(x.item())
        return f(x)

    slopes = estimate(noting, torch.tensor([at], dtype=torch.float64), EPS)
    return slopes, [x - at for x in seen if x > at]


def test_a_larger_step_is_tried_where_the_first_is_too_rough() -> None:
    slopes, steps = steps_at(lambda x: torch.cat([torch.exp(x), 1e12 * x]), 2.0**-40)
    assert steps[0] == 2.0**-41
    assert steps[-1] < 0.5 == max(steps)
    np.testing.assert_allclose(slopes.value, [[1], [1e12]], rtol=1e-12)
    assert slopes.error[0] < 1e-13


def test_a_larger_step_is_of_no_use_where_f_is_not_defined() -> None:
    f = lambda x: torch.where(abs(x) < 2.0**-35, 1 + x, torch.nan)  # noqa: E731
    slopes, steps = steps_at(f, 2.0**-40)
    assert max(steps) == 0.5
    assert abs(slopes.value.item() - 1) <= SAFETY * slopes.error.item() < 0.1


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5])
def test_a_round_tip_is_no_kink_however_narrow(width: float) -> None:
    slopes, steps = steps_at(lambda x: torch.hypot(x, torch.tensor(width)) + 3 * x, 0.0)
    assert slopes.jump.item() == 0
    assert abs(slopes.value.item() - 3) <= SAFETY * slopes.error.item() < 1e-9
    assert steps[0] == 0.5
    wide = steps_at(lambda x: torch.hypot(x, torch.tensor(1.0)) + 3 * x, 0.0)
    assert min(wide[1]) > CLOSE


@pytest.mark.parametrize(("width", "slope", "jump"), [(1e-7, 0, 2), (1e-6, 3, 0), (1e-6, 0, 0)])
def test_a_tip_that_is_not_sharp_enough_from_close_by_may_be_a_kink(
    width: float, slope: float, jump: float
) -> None:
    """Its slope of zero would be too rough beside a y of that size to be believed."""
    slopes, _ = steps_at(lambda x: torch.hypot(x, torch.tensor(width)) + slope * x, 0.0)
    assert slopes.value.item() == pytest.approx(slope, abs=1e-9)
    assert slopes.jump.item() == pytest.approx(jump, abs=1e-4)


@pytest.mark.parametrize(("slope", "jump"), [(0.1, 2), (10, 0)])
def test_a_look_close_by_must_tell_four_digits_of_a_slope(slope: float, jump: float) -> None:
    """Its error is about 1e-4: values of which nine digits are known, over steps of 3e-5."""
    x = torch.zeros(1, dtype=torch.float64)
    slopes = estimate(lambda x: torch.hypot(x, torch.tensor(1e-3)) + slope * x + 1, x, 1e-9)
    assert slopes.value.item() == pytest.approx(slope, abs=1e-3)
    assert slopes.jump.item() == pytest.approx(jump, abs=0.05)


def test_a_kink_stays_one_from_close_by() -> None:
    slopes, steps = steps_at(lambda x: abs(x) + 3 * x, 0.0)
    assert (slopes.value.item(), slopes.jump.item()) == (3, 2)
    assert min(steps) == 0.125 * CLOSE


@pytest.mark.parametrize(
    ("jump", "near_jump", "error", "none"),
    [
        (2.0, 0.0, 0.099, True),
        (2.0, 0.0, 0.101, False),
        (-2.0, 0.0, 0.099, True),
        (2.0, 1.0, 0.0, False),
        (0.0, 0.0, 0.0, False),
    ],
)
def test_a_kink_is_doubted_where_a_sure_look_close_by_sees_none(
    jump: float, near_jump: float, error: float, none: bool
) -> None:
    near = Slopes(*(np.array([part]) for part in (1.0, error, near_jump)))
    assert rounded_tip(np.array([jump]), near).item() is none


def test_no_columns() -> None:
    assert [part.shape for part in estimate(lambda x: x, X, EPS, columns=[])] == [(4, 0)] * 3


def test_x_is_raised_to_float64() -> None:
    x = torch.tensor([1.0, 2.0])
    exact = np.exp([1.0, 2.0])
    J = jacobian(torch.exp, x)  # noqa: N806
    np.testing.assert_allclose(J.diagonal(), exact, rtol=1e-12)
    by_a, by_b = jacobian(lambda a, b: a.exp() * b.sum(), (x, x.half()))
    assert (by_a.dtype, by_b.dtype) == (torch.float64, torch.float64)
    np.testing.assert_allclose(by_a.diagonal(), 3 * exact, rtol=1e-12)
    np.testing.assert_allclose(by_b, np.stack([exact, exact], 1), rtol=1e-12)
