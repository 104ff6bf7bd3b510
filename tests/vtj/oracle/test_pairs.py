"""What certify compares, and in how many calls of a plain function."""

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from vtj.calling.clock import Clock
from vtj.oracle.pairs import (
    probe,
    with_forward_pass,
)
from vtj.oracle.passes import Passes
from vtj.oracle.trial import first_run

X = torch.tensor([0.5, -2.0, 3.0], dtype=torch.float64)


def square(x: Tensor) -> Tensor:
    return 3 * x**2


def by_hand(x: Tensor) -> np.ndarray:
    return np.diag(6 * x.numpy())


def spoiled(x: Tensor) -> Tensor:
    y = x.exp()
    y += 1  # backward needs what was there
    return y


def calls(report: vtj.Report) -> str:
    return report.title.rpartition(", ")[2]


@pytest.mark.parametrize("n", [1, 10, 200])
@pytest.mark.parametrize("J", [None, by_hand])
def test_a_plain_function_is_asked_six_times(n: int, J: object) -> None:  # noqa: N803
    x = torch.linspace(0.5, 2, n, dtype=torch.float64)
    assert calls(vtj.certify(square, x, J and by_hand(x))) == "6 calls of f"


@pytest.mark.parametrize("J", [None, np.diag(np.cos(X.numpy()))])
def test_a_function_that_is_no_polynomial_is_asked_hardly_more_often(J: object) -> None:  # noqa: N803
    assert calls(vtj.certify(torch.sin, X, J)) in ("6 calls of f", "8 calls of f")
    counted = Clock(torch.sin)
    trial, run = first_run(counted, X)
    asked = probe(Passes(trial), run, None, 2)
    counted.calls = 0
    with_forward_pass(asked)
    assert counted.calls in (5, 7)


def test_a_direction_moves_every_element_of_x_at_its_own_scale() -> None:
    scales = torch.tensor([1e-9, 1.0, 1e9], dtype=torch.float64)
    J = np.diag(np.cos(1) / scales.numpy())  # noqa: N806 - J is the term
    report = vtj.certify(lambda x: torch.sin(x / scales), scales, J)
    assert (report.verdict, calls(report)) == ("correct", "6 calls of f")


def test_no_rounding_of_a_backward_excuses_a_j_by_hand_that_differences_contradict() -> None:
    report = vtj.certify(square, X, by_hand(X) * (1 + 1e-8))
    assert (report.verdict, report.culprit) == ("wrong", "jacobian")


def test_a_backward_that_raises_or_gives_no_number_is_not_compared() -> None:
    for f in (spoiled, lambda x: x * torch.tensor([1.0, torch.nan, 1.0])):
        report = vtj.certify(f, X)
        assert calls(report) == "2 calls of f"
        assert not any("differences" in row.what for row in report.rows)
