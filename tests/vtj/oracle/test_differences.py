"""Differences with care: what they say of smooth functions, noise, waves and kinks, and how surely.

Of functions that are straight over all steps the errors told are known exactly.
"""

from collections.abc import Callable

import numpy as np
import pytest

from vtj.engines.numeric import EPS
from vtj.oracle.differences import CLOSE, FINER, robust_column, robust_derivative
from vtj.oracle.noise import FINE, MARGIN
from vtj.oracle.tolerance import SAFETY


def at_zero(g: Callable[[float], float], first: float = 1.0, size: float = 1.0) -> list[float]:
    """Give the slope of one function, its error and its jump."""
    slopes = robust_derivative(lambda t: np.array([g(t)]), np.array([g(0.0)]), first, size, EPS)
    return [float(part[0]) for part in slopes]


@pytest.mark.parametrize(
    ("g", "slope"),
    [
        (np.sin, 1.0),
        (lambda t: np.exp(3 * t), 3.0),
        (lambda t: -2 * t + 5, -2.0),
        (lambda t: np.sin(50 * t) / 7, 50 / 7),
        (lambda t: 1 / (1 + t * 0.9), -0.9),
        (lambda t: np.sqrt(1.5 + t), 0.5 / 1.5**0.5),
        (lambda t: 1e6 + np.sin(t), 1.0),
        (lambda t: np.float32(np.sin(1 + t)), np.cos(1)),
    ],
)
@pytest.mark.parametrize("first", [1.0, 0.25])
def test_a_smooth_slope_is_as_near_as_it_says(
    g: Callable[[float], float], slope: float, first: float
) -> None:
    value, error, jump = at_zero(g, first)
    assert abs(value - slope) <= SAFETY * error
    assert error < 1e-4
    assert jump == 0


def told(eps: float = 0.0, first: float = 1.0, **given: float) -> float:
    """Give the error told of 5 - 3 t, which is straight over all steps."""
    slopes = robust_derivative(
        lambda t: np.array([5 - 3 * t]), np.array([5.0]), first, 1.0, eps, **given
    )
    assert slopes.value.tolist() == pytest.approx([-3])
    assert slopes.jump.tolist() == [0]
    return float(slopes.error[0])


@pytest.mark.parametrize("first", [0.25, 1.0, 4.0])
def test_the_error_is_that_of_the_values_and_the_argument_over_the_second_step(
    first: float,
) -> None:
    assert told(first=first, noise=1e-6) == pytest.approx(2e-6 / first, rel=1e-4)
    assert told(first=first, rounding=1e-6) == pytest.approx(6e-6 / first, rel=1e-4)
    assert told(eps=1e-6, first=first) == pytest.approx(2e-6 * (5 + 3 * first) / first, rel=1e-4)
    together = told(eps=1e-6, first=first, noise=1e-6, rounding=1e-6)
    assert together == pytest.approx((2 + 6 + 2 * (5 + 3 * first)) * 1e-6 / first, rel=1e-4)


@pytest.mark.parametrize("size", [0.125, 1.0, 16.0])
def test_noise_is_measured_over_steps_of_the_size_of_x(size: float) -> None:
    """Up and down by 1 from point to point; six differences leave 64 / 924**0.5 of it."""
    up = {k * FINE * size: 2.0**-30 * (-1) ** k for k in range(9)}
    value, error, jump = at_zero(lambda t: up.get(t, 2.0**-30) + t, 1.0, size)
    expected = 2 * MARGIN * 64 / 924**0.5 * 2.0**-30
    assert abs(value - 1) <= SAFETY * error
    assert error == pytest.approx(expected, rel=0.01)
    assert jump == 0


def late(t: float, at: float) -> float:
    """Rise three times as fast as t, and lie as high on both sides from some t on."""
    return 3 * t if abs(t) <= at else 3 * at


@pytest.mark.parametrize("first", [0.5, 1.0, 4.0])
def test_where_it_contradicts_large_steps_a_look_close_by_wins(first: float) -> None:
    """Its error is that of the values and the argument over the least of its three steps."""
    reach = CLOSE * first
    value, error, jump = at_zero(lambda t: late(t, reach), first)
    assert (value, jump) == (3, 0)
    assert error < 1e-9
    slopes = robust_derivative(
        lambda t: np.array([5 + late(t, reach)]),
        np.array([5.0]),
        first,
        1.0,
        1e-12,
        noise=1e-12,
        rounding=1e-12,
    )
    floor = (1e-12 + 3e-12 + 5e-12) / (reach / 4)
    assert slopes.value.tolist() == pytest.approx([3], abs=SAFETY * floor)
    assert slopes.error[0] == pytest.approx(floor, rel=0.01)


@pytest.mark.parametrize("step", FINER)
@pytest.mark.parametrize(("sign", "first"), [(-1, 1.0), (1, 0.25)])
def test_a_steep_slope_over_the_finest_steps_is_no_noise(
    step: float, sign: int, first: float
) -> None:
    """A fast wave: from afar it is noise."""
    steep = sign * 1e-4 / (step * first)
    wave = sign * 0.1 / (step * first)
    value, error, jump = at_zero(lambda t: t + 1e-3 * np.sin(wave * t), first)
    assert value == pytest.approx(1 + steep, rel=1e-3)
    assert abs(value - 1 - steep) < error < 0.01 * abs(steep)
    assert jump == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3])
def test_noise_is_no_wave(seed: int, size: float) -> None:
    generator = np.random.default_rng(seed)
    value, error, jump = at_zero(lambda t: t + generator.normal(0, size))
    assert abs(value - 1) <= SAFETY * error
    assert error < 100 * size
    assert jump == 0


@pytest.mark.parametrize(
    ("g", "slope", "jump"),
    [
        (abs, 0.0, 2.0),
        (lambda t: abs(t) + 2 * t, 2.0, 2.0),
        (lambda t: -3 * max(t, 0), -1.5, -3.0),
        (lambda t: abs(t) + np.sin(t) + 7, 1.0, 2.0),
        (lambda t: 5 * t - abs(np.sin(t)), 5.0, -2.0),
        (lambda t: abs(t - 1e-3), -1.0, 0.0),
        (lambda t: abs(t + 1e-6), 1.0, 0.0),
        (lambda t: np.hypot(t, 1e-4) + 2 * t, 2.0, 0.0),
    ],
)
def test_kinks(g: Callable[[float], float], slope: float, jump: float) -> None:
    value, error, found = at_zero(g)
    assert value == pytest.approx(slope, abs=1e-8)
    assert found == pytest.approx(jump, abs=1e-8)
    assert error < 1e-8


@pytest.mark.parametrize(
    "between",
    [lambda part: 1 + np.sin(np.pi * part) ** 2, lambda part: np.cos(2 * np.pi * part)],
    ids=["another", "the opposite"],
)
def test_a_kink_that_other_steps_do_not_see_is_none(between: Callable[[float], float]) -> None:
    """Powers of two see one in which the slopes are 1 and -1; close by all is flat."""

    def waving(t: float) -> float:
        return 1 + (abs(t) * between(np.log2(abs(t))) if abs(t) > 0.01 else 0.0)

    value, error, jump = at_zero(waving)
    assert (value, jump) == (0, 0)
    assert error < 1e-12


@pytest.mark.parametrize(("at", "first"), [(3.0, 1.0), (-0.3, 0.125), (0.0, 0.5), (1e-3, 2.0**-11)])
def test_a_column_begins_at_the_size_of_its_element(at: float, first: float) -> None:
    """Its argument is rounded as x is, and its noise measured over steps of the size of x."""
    noise = 1e-9
    line, here = lambda t: np.array([4 * (at + t)]), np.array([4 * at])
    slopes = robust_column(line, here, at, 0.0, noise=np.array([noise]), custom=False)
    assert slopes.value.tolist() == pytest.approx([4])
    expected = 2 * (noise + 4 * EPS * abs(at)) / first
    assert slopes.error.tolist() == pytest.approx([expected], rel=1e-3)


def test_a_kink_that_one_estimate_sees_is_none_where_close_by_all_is_noise() -> None:
    """Steps of 0.7 see none: what powers of two see is as little a kink as above."""
    drawn = np.random.default_rng(0)

    def waving(t: float) -> float:
        part = np.log2(abs(t)) if abs(t) > 0.01 else 0.5
        peak = max(0.0, 1 - 2.2 * abs(part - round(part)))
        return 1 + abs(t) * peak + 1e-5 * drawn.standard_normal()

    value, error, jump = at_zero(waving)
    assert jump == 0
    assert abs(value) <= SAFETY * error < 0.1
