"""What certify compares, and in how many calls of a plain function."""

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj.oracle.operators import operator
from vtj.oracle.pairs import (
    Pair,
    Probes,
    pairs,
    probe,
    reexamined_pair,
    with_forward_pass,
)
from vtj.oracle.passes import Counted, Passes
from vtj.oracle.trial import first_run
from vtj.oracle.voting import unnamed

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
    counted = Counted(torch.sin)
    trial, run = first_run(counted, X)
    passes = Passes(trial)
    asked = probe(passes, run, None, 2, seed=0)
    counted.calls = 0
    with_forward_pass(passes, asked)
    assert counted.calls in (5, 7)


def test_a_direction_moves_every_element_of_x_at_its_own_scale() -> None:
    scales = torch.tensor([1e-9, 1.0, 1e9], dtype=torch.float64)
    J = np.diag(np.cos(1) / scales.numpy())  # noqa: N806 - J is the term
    report = vtj.certify(lambda x: torch.sin(x / scales), scales, J)
    assert (report.verdict, calls(report)) == ("correct", "6 calls of f")


def test_a_forward_pass_takes_the_place_of_rough_differences() -> None:
    trial, run = first_run(square, X)
    passes = Passes(trial)
    before = probe(passes, run, None, 2, seed=0)
    asked = with_forward_pass(passes, before)
    slopes = 6 * X.numpy() * asked.u
    assert asked.forward is not None
    assert asked.differences is not None
    np.testing.assert_allclose(asked.forward.value, slopes, rtol=1e-15)
    np.testing.assert_allclose(asked.differences.value, slopes, rtol=1e-9)
    compared = list(pairs(asked, 1e-12))
    assert [(pair.what, pair.side, pair.probe, pair.b.family) for pair in compared] == [
        ("J·u forward = differences", "y", 0, "numeric"),
        ("⟨x.grad, u⟩ = ⟨v, J·u⟩ forward", "number", 0, "forward"),
        ("⟨x.grad, u⟩ = ⟨v, J·u⟩ forward", "number", 1, "forward"),
    ]
    assert not any(pair.differs for pair in compared)


def test_sums_that_cancel_are_compared_by_their_terms_without_another_call() -> None:
    counted = Counted(lambda x: torch.stack([x[0], x[0]]))
    trial, _ = first_run(counted, X[:1])
    passes = Passes(trial)
    J = operator(trial, np.ones((2, 1)))  # noqa: N806 - J is the term
    asked = Probes(np.array([[1.0, -1.0]]), np.ones(1), (), np.array([[3e-16]]))
    mine, theirs = unnamed(J.left(asked.v[0])), unnamed(asked.grads[0])
    pair = Pair("x.grad", "x", 0, mine, theirs, 1e-12)
    assert pair.differs
    counted.calls = 0
    assert not reexamined_pair(pair, passes, asked, J, seed=0).differs
    assert counted.calls == 0


def test_no_rounding_of_a_backward_excuses_a_j_by_hand_that_differences_contradict() -> None:
    asked_backward = []

    def right(x: tuple[Tensor], g: Tensor) -> Tensor:
        asked_backward.append(g)
        return 6 * x[0] * g

    trial, _ = first_run(custom(square, right), X)
    passes = Passes(trial)
    J = operator(trial, by_hand(X) * (1 + 1e-8))  # noqa: N806 - J is the term
    asked = Probes(np.ones((1, 3)), np.ones(3), (), np.zeros((1, 3)))
    mine, theirs = unnamed(J.right(asked.u)), passes.differences(asked.u)
    pair = reexamined_pair(Pair("J·u", "y", 0, mine, theirs, 1e-12), passes, asked, J, seed=0)
    careful = passes.differences(asked.u, robust=True)
    assert pair.differs
    assert np.asarray(pair.b.error).tolist() == np.asarray(careful.error).tolist()
    assert asked_backward == []


def test_a_backward_that_raises_or_gives_no_number_is_not_compared() -> None:
    for f in (spoiled, lambda x: x * torch.tensor([1.0, torch.nan, 1.0])):
        report = vtj.certify(f, X)
        assert calls(report) == "2 calls of f"
        assert not any("differences" in row.what for row in report.rows)
