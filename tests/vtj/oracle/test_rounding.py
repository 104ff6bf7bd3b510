"""How far exact values may be off by rounding: enough for what rounding does, and no more."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.zoo.bug import custom
from vtj.calling.tensors import Tensors
from vtj.oracle.rounding import (
    gradient_rounding,
    measured_rounding,
    negligible_slopes,
    noise_of_values,
    perturbed_backward,
    rounding_error_bound,
    size_of_terms,
)
from vtj.oracle.trial import Trial, try_out
from vtj.oracle.voting import Array, Witness
from vtj.outcome import backward, vjp

X = torch.tensor([0.3, -1.7, 2.9], dtype=torch.float64)
EPS = 2.0**-52


def ones(x: Tensor) -> Tensor:
    """Give the sum of what always sums to one: J is zero but for rounding."""
    return x.softmax(0).sum()


def witnesses(backward: Any, forward: Any) -> list[Witness]:
    return [
        Witness("reverse", "backward", np.array(backward, float)),
        Witness("forward", "forward", np.array(forward, float)),
    ]


def excused(f: Callable[..., Any], x: Tensors, backward: Any, forward: Any) -> Array:
    return rounding_error_bound(try_out(f, x), witnesses(backward, forward), seed=0)


def test_remainders_of_rounding_are_excused_and_a_mistake_is_not() -> None:
    noise = [[1e-16, -2e-16, 5e-17]]
    allowed = excused(ones, X, np.zeros((1, 3)), noise)
    assert allowed.shape == (1, 3)
    assert (2 * allowed > abs(np.array(noise)) / 4).all()
    assert (allowed < 1e-13).all()
    for size in (1e-12, 1e-6, 1.0):
        assert not excused(ones, X, np.zeros((1, 3)), np.full((1, 3), size)).any()


@pytest.mark.parametrize(
    ("name", "family"),
    [("reverse", "backward"), ("jacrev", "backward"), ("forward", "forward"), ("x", "symbolic")],
)
def test_remainders_of_any_one_family_are_excused_beside_a_j_by_hand(
    name: str, family: str
) -> None:
    noise = Witness(name, family, np.array([[1e-16, -2e-16, 5e-17]]))
    by_hand = Witness("by hand", "by hand", np.zeros((1, 3)))
    allowed = rounding_error_bound(try_out(ones, X), [noise, by_hand], seed=0)
    assert (allowed > 0).all()
    assert (allowed < 1e-13).all()


def test_what_is_lost_on_the_way_is_excused_in_its_row_alone() -> None:
    """Backward misses the 1e-3 beside 1e15; the other row has nothing to lose."""

    def loses(x: Tensor) -> Tensor:
        return torch.stack([1e15 * x[0] + 1e-3 * x[0] - 1e15 * x[0], x[1], x[2]])

    trial = try_out(loses, X)
    right = np.diag([1e-3, 1.0, 1.0])
    missed = right.copy()
    missed[0, 0] = 0
    allowed = rounding_error_bound(trial, witnesses(missed, right), seed=0)
    assert allowed[0, 0] > 1e-4
    assert (allowed[1:] < 1e-12).all()


@pytest.mark.parametrize(("size", "excuse"), [(1e-300, True), (1e-280, False)])
def test_digits_that_smallest_numbers_do_not_have_are_excused(size: float, excuse: bool) -> None:
    J = size * np.eye(3)  # noqa: N806 - J is the term
    assert (np.diag(excused(lambda x: size * x, X, J, 1.001 * J)) > 0).tolist() == [excuse] * 3


def test_a_mistake_in_one_entry_is_not_excused_beside_remainders_in_others() -> None:
    allowed = excused(ones, X, np.zeros((1, 3)), [[1e-16, 1e-3, 1e-16]])
    assert (allowed > 0).tolist() == [[True, False, True]]


@pytest.mark.parametrize("part", [1e-9, 1e-3])
def test_a_slope_that_is_off_is_not_excused(part: float) -> None:
    J = np.diag(np.cos(X.numpy()))  # noqa: N806 - J is the term
    assert not excused(torch.sin, X, J, J * (1 + part)).any()


def chaotic(x: Tensor) -> Tensor:
    """Lose ten digits: of 1e10 + x the rest counts."""
    return (1e10 * torch.sin(x) + x**2) - 1e10 * torch.sin(x)


def noisy(x: tuple[Tensor, ...], by: Tensor) -> Tensor:
    """Give the slopes of a square, of which six digits are left."""
    return (1e10 * by + 2 * x[0] * by) - 1e10 * by


def exact(x: tuple[Tensor, ...], by: Tensor) -> Tensor:
    return 2 * x[0] * by


@pytest.mark.parametrize("derivatives", [(noisy, exact), (exact, noisy)])
def test_the_noise_of_a_backward_and_that_of_a_forward_pass_excuse(derivatives: Any) -> None:
    f, right = custom(chaotic, *derivatives), np.diag(2 * X.numpy())
    off = right + 1e-7 * np.eye(3)
    for said in ((right, off), (off, right)):
        assert (np.diag(excused(f, X, *said)) > 1e-8).all()
    assert not excused(custom(chaotic, exact, exact), X, right, off).any()


def test_digits_that_cancel_are_excused_as_far_as_they_do() -> None:
    right = np.diag(2 * X.numpy())
    off = right + np.diag([1e-7, -1e-7, 1e-7])
    allowed = excused(chaotic, X, right, off)
    assert (np.diag(allowed) > 1e-8).all()
    assert (np.diag(allowed) < 1e-4).all()
    assert not excused(chaotic, X, right, right + 1e-2 * np.eye(3)).any()
    assert not excused(lambda x: x**2, X, right, off).any()


@pytest.mark.parametrize("engine", ["reverse", "forward", "jacrev"])
def test_rounding_of_j_is_measured(engine: str) -> None:
    exact = measured_rounding(try_out(lambda x: 2 * x, X), [engine], seed=0)
    assert (exact.shape, (exact <= 4 * EPS).all()) == ((3, 3), True)
    lost = measured_rounding(try_out(chaotic, X), [engine], seed=0)
    assert (np.diag(lost) > 1e-8).all()
    assert (np.diag(lost) < 1e-4).all()
    assert not lost[~np.eye(3, dtype=bool)].any()


def of(trial: Trial) -> Callable[[Any, Tensors, Array], Array]:
    """Give what a gradient is asked by."""

    def gradient_at(f: Any, x: Tensors, weights: Array) -> Array:
        v = torch.from_numpy(weights).reshape(trial.y[0].shape).to(trial.y[0])
        return trial.gradient(backward(f, x, v).grad)

    return gradient_at


def rounding(f: Callable[..., Any], x: Tensor, weights: Any) -> Array:
    trial = try_out(f, x)
    return gradient_rounding(trial, of(trial), np.array(weights, float), seed=0)


def test_rounding_of_a_gradient() -> None:
    exact = rounding(torch.sin, X, [1, 10, 100])
    assert (exact > 0).all()
    assert (exact < 1e-12).all()
    lost = rounding(chaotic, X, [1, 10, 100])
    assert (lost / np.array([1, 10, 100]) > 1e-8).all()
    assert (lost / np.array([1, 10, 100]) < 1e-2).all()
    remainder = rounding(ones, X, [1.0])
    assert (remainder > 1e-18).all()
    assert (remainder < 1e-14).all()


def test_rounding_of_a_gradient_goes_with_that_of_values_stuck_over_fine_steps() -> None:
    """Of values that leap by 1e-4 no slope has ten digits, so that its noise is not cut off."""

    def slope(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return (1e8 * g + g) - 1e8 * g

    steps, line = (custom(f, slope) for f in (lambda x: (1e4 * x).round() / 1e4, torch.clone))
    leaps, smooth = rounding(steps, X, [1, 1, 1]), rounding(line, X, [1, 1, 1])
    assert (leaps > 5e-9).all()
    assert (leaps < 1e-6).all()
    assert (smooth < 2e-9).all()


def test_what_is_lost_on_the_way_is_rounding_too() -> None:
    """1 - 1 + 1e-20 is 0, and nothing of it shows in the result."""

    def lossy(x: Tensor) -> Tensor:
        return torch.stack([x[0] - x[1], x[1] - x[0], 1e-20 * x.sum()]) * 1e3

    lost = rounding(lossy, X, [1, 1, 1])
    assert (lost[:2] > 1e-14).all()
    assert (lost < 1e-9).all()


def test_a_backward_that_is_another_at_every_call_is_no_rounding() -> None:
    """It does not grow with what is perturbed_backward."""
    trial, drawn = try_out(torch.sin, X), np.random.default_rng(0)

    def unsteady(f: Any, x: Tensors, weights: Array) -> Array:
        return of(trial)(f, x, weights) * (1 + 1e-3 * drawn.random())

    found = gradient_rounding(trial, unsteady, np.ones(3), seed=0)
    assert (found < 1e-9).all()


@pytest.mark.parametrize("by", [1e-3, 1e-6])
def test_shaken_gradients_move_by_that_part_of_the_largest(by: float) -> None:
    x, v = torch.zeros(2).double(), torch.tensor([1.0, 1e-3]).double()
    moves = torch.stack(
        [
            vjp(perturbed_backward(lambda x: (2 * x).clone(), by, seed), x, v) - 2 * v
            for seed in range(40)
        ]
    )
    assert by < moves.abs().max() < 5 * by
    assert (moves.abs().max(dim=0).values > by).all()
    assert (moves < 0).any()
    assert (moves > 0).any()


def test_shaking_leaves_the_values_and_an_empty_gradient_alone() -> None:
    f = perturbed_backward(lambda x: (x[:0].exp(), torch.sin(x)), 0.1, seed=0)
    empty, y = f(X.clone().requires_grad_())
    assert (empty.shape, torch.equal(y, torch.sin(X))) == ((0,), True)
    assert vjp(f, X, (torch.ones(0).double(), torch.ones(3).double())).shape == (3,)


def test_the_noise_of_values_is_that_of_their_terms() -> None:
    for f, least, most in (
        (torch.sin, 0, 20 * EPS),
        (chaotic, 1e-7, 1e-3),
        (lambda x: torch.sin(x.float()).double(), 1e-9, 1e-5),
    ):
        noise = noise_of_values(try_out(f, X), seed=0)
        assert noise.shape == (3,)
        assert (noise >= least).all()
        assert (noise <= most).all()


def test_the_size_of_terms_is_that_of_y_or_of_what_is_lost() -> None:
    assert size_of_terms(try_out(lambda x: -2 * x, X), seed=0) == pytest.approx([0.6, 3.4, 5.8])
    terms = size_of_terms(try_out(lambda x: 1e6 * (x - x.exp().log()), X), seed=0)
    assert 1e4 < terms.max() < 1e8
    two = try_out(lambda a, b: (a.sum(), b), (X, 3 * X))
    assert size_of_terms(two, seed=0) == pytest.approx([1.5, 0.9, 5.1, 8.7])


def test_slopes_of_the_last_digits() -> None:
    trial = try_out(lambda x: 2 * x, X)
    assert negligible_slopes(trial, np.array([[1.0], [3.0]])).tolist() == [
        [4 * EPS] * 3,
        [12 * EPS] * 3,
    ]
    assert negligible_slopes(trial, np.asarray(2.0)).tolist() == [8 * EPS] * 3
    single = try_out(lambda x: 2 * x.float(), X)
    assert negligible_slopes(single, np.asarray(1.0)).tolist() == [4 * 2.0**-23] * 3
