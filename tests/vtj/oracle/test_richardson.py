"""A few difference quotients confirm what is right, and leave everything else to more of them."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from vtj.oracle.differences import ENOUGH, richardson
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.voting import Array

STEPS = (2.0**-6, 2.0**-10, 2.0**-8)
EPS = 2.0**-52


def along(f: Callable[[Array], Array], x: float) -> tuple[Callable[[float], Array], list[float]]:
    """A function of one number, and where it was asked."""
    asked: list[float] = []

    def g(step: float) -> Array:
        asked.append(step)
        return f(np.array([x + step]))

    return g, asked


def test_two_steps_confirm_a_cube_and_a_third_what_is_steeper() -> None:
    g, asked = along(lambda x: x**3, 2.0)
    assert richardson(g, np.array([12.0]), STEPS, EPS) is not None
    assert asked == [STEPS[0], -STEPS[0], STEPS[1], -STEPS[1]]
    g, asked = along(lambda x: np.sin(8 * x), 0.3)
    found = richardson(g, 8 * np.cos([2.4]), STEPS, EPS)
    assert found is not None
    np.testing.assert_allclose(found[0], 8 * np.cos([2.4]), rtol=1e-10)
    assert len(asked) == 6


@pytest.mark.parametrize("off", [1 + 3e-10, 1 - 3e-10, -1, 0, np.nan, np.inf])
def test_what_is_off_in_the_tenth_digit_is_not_confirmed(off: float) -> None:
    g, _ = along(lambda x: x**3, 2.0)
    small, _ = along(lambda x: np.array([x[0] ** 3, 1e-9 * x[0] ** 3]), 2.0)
    with np.errstate(invalid="ignore"):
        assert richardson(g, np.array([12.0 * off]), STEPS, EPS, rounding=EPS) is None
        assert richardson(small, np.array([12.0, 12e-9 * off]), STEPS, EPS) is None


def test_the_error_is_what_was_allowed() -> None:
    g, _ = along(lambda x: x**3, 2.0)
    found = richardson(g, np.array([12.0]), STEPS, EPS, noise=1e-13, rounding=1e-14)
    assert found is not None
    rounded = (1e-13 + EPS * (2 + STEPS[1]) ** 3 + 1e-14 * 12) / STEPS[1]
    np.testing.assert_allclose(found[1], [rounded + ENOUGH / SAFETY * 12], rtol=1e-12)


@pytest.mark.parametrize("more", [{"noise": 1e-8}, {"rounding": 1e-9}, {"eps": 1e-7}])
def test_values_that_are_rounded_too_much_confirm_nothing(more: dict[str, float]) -> None:
    g, asked = along(lambda x: x**3, 2.0)
    how = {"eps": EPS, **more}
    assert richardson(g, np.array([12.0]), STEPS, **how) is None
    assert len(asked) == 4


def test_a_function_that_does_not_move_has_the_slope_zero_and_no_other() -> None:
    g, _ = along(np.ones_like, 2.0)
    assert richardson(g, np.zeros(1), STEPS, EPS) is None  # nothing to measure the rounding by
    both, _ = along(lambda x: np.array([x[0], 1.0]), 2.0)
    nothing, _ = along(lambda x: np.array([x[0], 0.0]), 2.0)
    for f in (both, nothing):
        found = richardson(f, np.array([1.0, 0.0]), STEPS, EPS)
        assert found is not None
        assert found[0].tolist() == [1.0, 0.0]


def test_a_kink_and_a_hole_are_left_to_more_steps() -> None:
    g, _ = along(abs, 0.0)
    assert richardson(g, np.ones(1), STEPS, EPS) is None
    with np.errstate(invalid="ignore"):
        g, _ = along(np.sqrt, 0.001)
        assert richardson(g, 0.5 / np.sqrt([0.001]), STEPS, EPS) is None


def test_a_detached_path_that_moves_in_leaps_is_not_passed_over() -> None:
    def coarse(x: Array) -> Array:
        return x**2 + 3 * torch.from_numpy(x).bfloat16().double().numpy()

    for x in (1.0, 1.3, -2.7, 100.0):
        g, _ = along(coarse, x)
        steps = [step * abs(x) for step in STEPS]
        assert richardson(g, np.array([2 * x]), steps, EPS) is None
