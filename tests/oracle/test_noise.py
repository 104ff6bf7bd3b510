"""The noise of a function's values."""

import numpy as np
import torch

import vtj
from vtj.oracle.noise import measured_noise, noise_at_all_scales


def test_a_smooth_function_has_no_noise_but_rounding() -> None:
    for f in (np.sin, np.exp, lambda t: np.sin(10 * (1 + t)), lambda t: abs(t) + t**3):
        assert noise_at_all_scales(lambda t, f=f: np.array([f(t)])) < 1e-14


def test_noise_is_found_at_its_size() -> None:
    generator = np.random.default_rng(0)
    noise = noise_at_all_scales(lambda t: np.array([np.sin(t) + generator.normal(0, 1e-8)]))
    assert 1e-8 < noise < 1e-7


def test_steps_that_mean_nothing_are_not_taken() -> None:
    steps = []
    noise_at_all_scales(lambda t: np.array([float(steps.append(t) or 0)]), least=0.5)
    assert min(map(abs, steps)) == 0.5


def test_noise_in_float32() -> None:
    assert 1e-9 < measured_noise(lambda t: np.array([np.float32(1 + t)]), 1e-7) < 1e-6


def test_differences_alone_that_see_nothing_say_so() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    report = vtj.check(lambda x: torch.sin(1e15 * x), x, engines=["numeric"])
    assert report.verdict == "undecided"
    assert "differences too rough to tell" in report.findings[0]
