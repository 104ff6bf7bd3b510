"""Single passes of one function, with vectors in and out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import custom
from vtj.calling.tensors import Tensors, values
from vtj.engines.numeric import EPS
from vtj.oracle.passes import FIRST, TO_CONFIRM, Passes
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import first_run

X = torch.tensor([0.5, -2.0, 3.0], dtype=torch.float64)
HERE = X.numpy()
U = np.array([1.0, 0.5, -2.0])
V = np.array([[1.0, 10.0, 100.0], [-2.0, 0.5, 3.0]])


def cube(x: Tensor) -> Tensor:
    return x**3


def passes_of(f: Callable[..., Any], x: Tensors = X) -> Passes:
    trial, _ = first_run(f, x)
    return Passes(trial)


def two(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return a * b, b.sum()


PAIR = (torch.tensor([2.0, 3.0]).double(), torch.tensor([5.0, 7.0]).double())


def test_backward_takes_and_gives_vectors_for_tuples_too() -> None:
    np.testing.assert_array_equal(passes_of(cube).trial.vjp(V[0]), V[0] * 3 * HERE**2)
    expected = [5 * 1, 7 * 10, 2 * 1 + 100, 3 * 10 + 100]
    assert passes_of(two, PAIR).trial.vjp(V[0]).tolist() == expected
    single = passes_of(lambda x: (x**3,))
    np.testing.assert_array_equal(single.trial.vjp(V[0]), V[0] * 3 * HERE**2)


@pytest.mark.parametrize(
    "f",
    [
        cube,
        lambda x: (x**3,),
        lambda x: checkpoint(cube, x, use_reentrant=True),
        lambda x: checkpoint(cube, x, use_reentrant=False),
    ],
    ids=["plain", "tuple", "reentrant", "checkpoint"],
)
def test_a_backward_pass_through_the_first_run_is_one_like_any_other(
    f: Callable[[Tensor], Any],
) -> None:
    trial, run = first_run(f, X)
    passes = Passes(trial)
    outcome = passes.backward_of(run, V[0])
    assert outcome.error is None
    np.testing.assert_array_equal(values(outcome.grad), V[0] * 3 * HERE**2)  # type: ignore[arg-type]
    assert vtj.certify(f, X).verdict == "correct"


def test_a_forward_pass_and_a_single_difference() -> None:
    np.testing.assert_array_equal(passes_of(cube).forward(U), U * 3 * HERE**2)
    assert passes_of(custom(cube, lambda x, v: 3 * x[0] ** 2 * v)).forward_or_none(U) is None
    single = passes_of(cube).difference(U, 2.0**-20)
    np.testing.assert_allclose(single, U * 3 * HERE**2, rtol=1e-9)
    forward = passes_of(two, PAIR).forward(np.array([1.0, 10.0, 100.0, 1000.0]))
    assert forward.tolist() == [5 + 200, 70 + 3000, 1100]


def asked(u: Any, **how: Any) -> list[float]:
    """The largest share by which each call moved an element of x."""
    steps: list[float] = []

    def f(x: Tensor) -> Tensor:
        steps.append(float((abs(x.detach() - X) / abs(X)).max()))
        return torch.sin(x)

    passes = passes_of(f)
    steps.clear()
    passes.differences(u, **how)
    return steps


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_steps_are_of_the_size_of_x_however_long_the_direction_is(scale: float) -> None:
    u = U * scale
    steps = asked(u, expected=np.cos(HERE) * u)
    np.testing.assert_allclose(steps[0::2], FIRST * np.array(TO_CONFIRM[: len(steps) // 2]))
    np.testing.assert_allclose(asked(u)[:4:2], [FIRST, FIRST / 2])
    np.testing.assert_allclose(max(asked(u, robust=True)), 16 * FIRST, rtol=0.2)


def test_what_is_expected_spares_calls_and_what_is_not_costs_them() -> None:
    right, slopes = np.cos(HERE) * U, np.cos(HERE) * U
    assert len(asked(U, expected=right)) in (4, 6)
    assert len(asked(U)) == 8
    slopes[1] *= 1 + 1e-9
    steps = asked(U, expected=slopes)
    assert len(steps) == 6 + 8 - 4  # two of the three steps are not asked again


@pytest.mark.parametrize(("kept", "calls"), [(HERE.size, 1), (HERE.size - 1, 2)])
def test_the_values_of_a_large_y_are_not_kept(
    monkeypatch: pytest.MonkeyPatch, kept: int, calls: int
) -> None:
    monkeypatch.setattr("vtj.oracle.passes.KEPT", kept)
    steps: list[Tensor] = []

    def f(x: Tensor) -> Tensor:
        steps.append(x)
        return torch.sin(x)

    passes = passes_of(f)
    steps.clear()
    for _ in range(2):
        passes.along(U)(0.125)
    assert len(steps) == calls


def test_numbers_of_terms_that_cancel_have_the_rounding_of_the_terms() -> None:
    passes = passes_of(lambda x: torch.sin(x) + 1e6)
    numbers = passes.differences(U, v=np.array([[1.0, -1.0, 0.0]]))
    error = float(np.asarray(numbers.error)[0])
    assert abs(numbers.value[0] - np.cos(HERE[:2]) @ (U[:2] * [1, -1])) <= SAFETY * error
    assert EPS * 2e6 / FIRST <= error <= 20 * EPS * 2e6 / FIRST


def leaps(x: Tensor) -> Tensor:
    """Give values that are stuck over fine steps, so that these show no noise."""
    return x**2 + ((x + 1e12) - 1e12)


def test_the_noise_of_values_counts_where_every_care_is_taken() -> None:
    passes, least = passes_of(leaps), 8 * FIRST
    assert (passes.trial.noise > 1e-5).all()
    slopes = passes.differences(U, robust=True)
    assert (np.asarray(slopes.error) >= passes.trial.noise / least).all()
    assert (np.asarray(slopes.error) <= 10 * passes.trial.noise / least).all()
    numbers = passes.differences(U, v=V, robust=True)
    assert (np.asarray(numbers.error) >= abs(V) @ passes.trial.noise / least).all()
    assert (np.asarray(numbers.error) <= 10 * abs(V) @ passes.trial.noise / least).all()


@pytest.mark.parametrize("least", [1e-3, 1e-6])
@pytest.mark.parametrize(("robust", "step"), [(False, FIRST), (True, 8 * FIRST)])
def test_the_element_that_moves_least_says_how_roughly_the_others_move(
    least: float, robust: bool, step: float
) -> None:
    u = np.array([least, -2.0, 3.0])
    found = passes_of(lambda x: 3 * x).differences(u, robust=robust)
    rounded = EPS / (least / HERE[0]) * 3 * abs(u[1:]) / step
    assert (np.asarray(found.error)[1:] >= rounded).all()
    assert (np.asarray(found.error)[1:] <= 10 * rounded).all()


def test_an_element_that_does_not_move_has_no_part_in_the_rounding() -> None:
    passes = passes_of(torch.sin)
    one = passes.differences(np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(one.value, [0, np.cos(2.0), 0], rtol=1e-9)
    assert np.isfinite(np.asarray(one.error)).all()
    none = passes.differences(np.zeros(3))
    assert none.value.tolist() == [0, 0, 0]


def test_an_element_that_is_0_moves_as_far_as_the_others_on_average() -> None:
    x = torch.tensor([0.0, -2.0, 4.0], dtype=torch.float64)
    assert passes_of(cube, x).scale.tolist() == [3, 2, 4]
    assert passes_of(cube, 0 * x).scale.tolist() == [1, 1, 1]
    assert passes_of(cube, X).scale.tolist() == [0.5, 2, 3]
