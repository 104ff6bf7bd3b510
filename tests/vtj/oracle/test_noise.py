"""The noise of a function's values."""

import numpy as np
import torch

import vtj
from vtj.oracle.noise import (
    COARSE,
    FINE,
    MARGIN,
    measured_noise,
    noise_at_all_scales,
    noise_of_differences,
)
from vtj.oracle.voting import Array

SIXTH = 32 / 924**0.5  # what six differences leave of values that go up and down by 1


def test_a_smooth_function_has_no_noise_but_rounding() -> None:
    for f in (np.sin, np.exp, lambda t: np.sin(10 * (1 + t)), lambda t: abs(t) + t**3):
        assert noise_at_all_scales(lambda t, f=f: np.array([f(t)])) < 1e-14


def test_noise_is_found_at_its_size() -> None:
    generator = np.random.default_rng(0)
    noise = noise_at_all_scales(lambda t: np.array([np.sin(t) + generator.normal(0, 1e-8)]))
    assert 1e-8 < noise < 1e-7


class Zigzag:
    """Values that go up and down by 1e-8 from one point to the next, beside a smooth one."""

    def __init__(self, beyond: float = 0.0) -> None:
        self.steps: list[float] = []
        self._beyond = beyond

    def __call__(self, t: float) -> Array:
        self.steps.append(t)
        up = 5e-9 * (-1) ** len(self.steps)
        return np.array([up if abs(t) > self._beyond else 0.0, 1 + t])


def _off_by(found: Array, expected: float) -> float:
    assert abs(found[1]) < 1e-15  # the smooth one
    return float(abs(found[0] / expected - 1))


def test_what_differences_leave_of_values_by_hand() -> None:
    table = np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(noise_of_differences(table, 1), [2**0.5, (2 / 3) ** 0.5])
    np.testing.assert_allclose(noise_of_differences(table, 2), [(16 / 6) ** 0.5, (2 / 6) ** 0.5])


def test_values_that_are_no_numbers_are_no_noise() -> None:
    table = np.array([[0.0, np.nan], [2.0, 1.0], [np.inf, 1.0], [0.0, 1.0]]).repeat(3, axis=0)
    with np.errstate(invalid="ignore"):
        assert noise_of_differences(table, 6).tolist() == [0, 0]


def test_a_polynomial_has_noise_only_from_the_sixth_degree() -> None:
    fifth = measured_noise(lambda t: np.array([t**5, t**6]), 0.5)
    np.testing.assert_allclose(fifth, [0, 720 * 0.5**6 / 924**0.5], atol=1e-12)


def test_a_kink_on_one_side_is_no_noise() -> None:
    for side in (1, -1):
        kink = COARSE[1] * side
        found = noise_at_all_scales(lambda t, kink=kink: np.array([abs(t - kink)]))
        assert found < 1e-14


def test_every_element_has_a_noise_of_its_own() -> None:
    stuck = Zigzag(beyond=10 * FINE)
    found = noise_at_all_scales(lambda t: stuck(t)[0] * np.array([1, 1e-6]))
    np.testing.assert_allclose(found, MARGIN * SIXTH * np.array([1e-8, 1e-14]), rtol=1e-9)


def test_a_smooth_change_of_fourth_order_is_told_from_noise() -> None:
    stuck = Zigzag(beyond=10 * FINE)
    assert noise_at_all_scales(lambda t: stuck(t)[:1] + 1e8 * t**4) < 1e-10


def test_differences_alone_that_see_nothing_say_so() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    report = vtj.check(lambda x: torch.sin(1e15 * x), x, engines=["numeric"])
    assert report.verdict == "undecided"
    assert "differences too rough to tell" in report.findings[0]
