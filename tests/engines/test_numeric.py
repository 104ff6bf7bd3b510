from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from vtj.engines.numeric import estimate, jacobian
from vtj.oracle.tolerance import SAFETY

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


def test_low_degrees_at_small_integers_are_exact() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    J = jacobian(lambda x: torch.stack([3 * x[0] ** 2, 2 * x[1] ** 3, x[0] * x[1] * x[2]]), x)  # noqa: N806
    assert J.tolist() == [[6, 0, 0], [0, 24, 0], [6, 3, 2]]


def test_it_stays_where_f_is_defined() -> None:
    value, error, _ = estimate(torch.acos, torch.tensor([0.99], dtype=torch.float64), EPS)
    assert abs(value[0, 0] + 1 / np.sqrt(1 - 0.99**2)) <= SAFETY * error[0, 0]


def test_nowhere_finite() -> None:
    value, error, _ = estimate(lambda x: x / 0, torch.ones(1, dtype=torch.float64), EPS)
    assert np.isnan(value).all()
    assert np.isinf(error).all()


def test_f_that_refuses_float64_runs_in_its_own_dtype() -> None:
    linear = nn.Linear(2, 1)
    J = jacobian(linear, torch.tensor([1.0, 2.0]))  # noqa: N806
    assert J.dtype == torch.float64
    torch.testing.assert_close(J.float(), linear.weight.detach(), atol=1e-4, rtol=1e-4)


def test_a_very_small_x_is_not_the_scale_of_f() -> None:
    x = torch.tensor([1e-9], dtype=torch.float64)
    value, error, _ = estimate(torch.exp, x, EPS)
    assert abs(value[0, 0] - 1) <= SAFETY * error[0, 0] < 1e-5


def test_chosen_columns() -> None:
    value = estimate(lambda x: x**2, X, EPS, columns=[2]).value
    assert value.shape == (4, 1)
    assert abs(value[2, 0] - 2.6) < 1e-12
