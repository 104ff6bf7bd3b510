"""How far exact values may be off by rounding: enough for what rounding does, and no more."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.zoo.bug import custom
from vtj.oracle.rounding import (
    gradient_rounding,
    measured_rounding,
    negligible_slopes,
    perturbed_backward,
    rounding_error_bound,
)
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial, try_out
from vtj.oracle.voting import Array, Witness
from vtj.outcome import vjp

X = torch.tensor([0.3, -1.7, 2.9], dtype=torch.float64)
EPS = 2.0**-52


def ones(x: Tensor) -> Tensor:
    """Give the sum of what always sums to one: J is zero but for rounding."""
    return x.softmax(0).sum()


def chaotic(x: Tensor) -> Tensor:
    """Lose ten digits: of 1e10 + x the rest counts."""
    return (1e10 * torch.sin(x) + x**2) - 1e10 * torch.sin(x)


def noisy(x: tuple[Tensor, ...], by: Tensor) -> Tensor:
    """Give the slopes of a square, of which six digits are left."""
    return (1e10 * by + 2 * x[0] * by) - 1e10 * by


def exact(x: tuple[Tensor, ...], by: Tensor) -> Tensor:
    return 2 * x[0] * by


def loses(x: Tensor) -> Tensor:
    """Lose 1e-3 beside 1e15 in the first element alone."""
    return torch.stack([1e15 * x[0] + 1e-3 * x[0] - 1e15 * x[0], x[1], x[2]])


NOISE, COSINES, RIGHT = np.array([1e-16, -2e-16, 5e-17]), np.cos(X.numpy()), 2 * X.numpy()
OFF = RIGHT + 1e-7
# f, J by backward and by a forward pass (a row of it, or its diagonal), and where rounding may
# be why the two differ
EXCUSED: dict[str, tuple[Callable[..., Any], Any, Any, list[bool]]] = {
    "remainders": (ones, 0 * NOISE, NOISE, [True] * 3),
    "mistakes": (ones, 0 * NOISE, [1e-12, 1e-6, 1.0], [False] * 3),
    "a mistake beside remainders": (ones, 0 * NOISE, [1e-16, 1e-3, 1e-16], [True, False, True]),
    "small numbers": (lambda x: 1e-280 * x, [1e-280] * 3, [1.001e-280] * 3, [False] * 3),
    "a slope that is off": (torch.sin, COSINES, COSINES * (1 + 1e-9), [False] * 3),
    "lost in one row": (loses, [0, 1, 1], [1e-3, 1 + 1e-10, 1 + 1e-6], [True, False, False]),
    "a noisy backward": (custom(chaotic, noisy, exact), RIGHT, OFF, [True] * 3),
    "a noisy forward pass": (custom(chaotic, exact, noisy), OFF, RIGHT, [True] * 3),
    "noise in neither": (custom(chaotic, exact, exact), RIGHT, OFF, [False] * 3),
    "digits that cancel": (chaotic, RIGHT, OFF, [True] * 3),
    "more than cancels": (chaotic, RIGHT, RIGHT + 1e-2, [False] * 3),
    "nothing to cancel": (torch.square, RIGHT, OFF, [False] * 3),
}


@pytest.mark.parametrize("name", EXCUSED)
def test_rounding_explains_what_it_does_and_no_more(name: str) -> None:
    f, backward, forward, expected = EXCUSED[name]
    trial = try_out(f, X)
    a, b = (np.diag(J) if trial.size[0] == 3 else np.array([J]) for J in (backward, forward))
    exact = [Witness("reverse", "backward", a), Witness("forward", "forward", b)]
    bound = rounding_error_bound(trial, exact)
    explained = (abs(a - b) <= 2 * SAFETY * bound)[a != b]
    assert explained.tolist() == expected


@pytest.mark.parametrize(
    ("name", "family"),
    [("reverse", "backward"), ("jacrev", "backward"), ("forward", "forward"), ("x", "symbolic")],
)
def test_rounding_of_any_one_family_is_measured_beside_a_j_by_hand(name: str, family: str) -> None:
    exact = [Witness(name, family, NOISE[None]), Witness("by hand", "by hand", 0 * NOISE[None])]
    allowed = rounding_error_bound(try_out(ones, X), exact)
    assert ((allowed > 0) & (allowed < 1e-13)).all()


@pytest.mark.parametrize("engine", ["reverse", "forward", "jacrev"])
def test_rounding_of_j_is_measured(engine: str) -> None:
    exact = measured_rounding(try_out(lambda x: 2 * x, X), [engine])
    assert (exact.shape, (exact <= 4 * EPS).all()) == ((3, 3), True)
    lost = measured_rounding(try_out(chaotic, X), [engine])
    assert (np.diag(lost) > 1e-8).all()
    assert (np.diag(lost) < 1e-4).all()
    assert not lost[~np.eye(3, dtype=bool)].any()


def rounding(
    f: Callable[..., Any],
    x: Tensor,
    weights: Any,
    asked: Callable[[Array], bool] = lambda _: True,
) -> Array:
    trial = try_out(f, x)
    return gradient_rounding(trial, np.array(weights, float), asked)


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

    steps, line = (custom(f, slope) for f in (lambda x: (x + 1e12) - 1e12, torch.clone))
    leaps, smooth = rounding(steps, X, [1, 1, 1]), rounding(line, X, [1, 1, 1])
    assert (leaps > 5e-9).all()
    assert (leaps < 1e-6).all()
    assert (smooth < 2e-9).all()


def test_noise_is_measured_only_where_it_could_explain_what_was_found() -> None:
    calls: list[Tensor] = []

    def counted(x: Tensor) -> Tensor:
        calls.append(x)
        return torch.sin(x)

    rounding(counted, X, [1, 1, 1])
    whole = len(calls)
    calls.clear()
    unlimited = rounding(counted, X, [1, 1, 1], lambda error: bool((error > 1).any()))
    assert len(calls) < whole / 2
    assert (unlimited < 1e-12).all()


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

    def unsteady(trial: Trial, v: Array) -> Array:
        return trial.vjp(v) * (1 + 1e-3 * drawn.random())

    found = gradient_rounding(trial, np.ones(3), lambda _: True, unsteady)
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
        noise = try_out(f, X).noise
        assert noise.shape == (3,)
        assert (noise >= least).all()
        assert (noise <= most).all()


def test_the_size_of_terms_is_that_of_y_or_of_what_is_lost() -> None:
    assert try_out(lambda x: -2 * x, X).terms == pytest.approx([0.6, 3.4, 5.8])
    terms = try_out(lambda x: 1e6 * (x - x.exp().log()), X).terms
    assert 1e4 < terms.max() < 1e8
    two = try_out(lambda a, b: (a.sum(), b), (X, 3 * X))
    assert two.terms == pytest.approx([1.5, 0.9, 5.1, 8.7])


def test_slopes_of_the_last_digits() -> None:
    trial = try_out(lambda x: 2 * x, X)
    assert negligible_slopes(trial, np.array([1.0, 3.0])).tolist() == [4 * EPS, 12 * EPS]
    single = try_out(lambda x: 2 * x.float(), X)
    assert negligible_slopes(single, 1.0) == 4 * 2.0**-23
