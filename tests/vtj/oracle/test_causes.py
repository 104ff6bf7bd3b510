"""What `certify` calls a mistake where J is too large to be looked at entry by entry."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, matrix, vector
from vtj.oracle.findings import MEANT
from vtj.oracle.patterns import CONSTANT, NOT_OF_V, OF_SUM

N = 100
X = torch.linspace(0.5, 2, N, dtype=torch.float64)
W = matrix(N, N) / 10
SQUARES = (matrix(10, 10, 1), matrix(10, 10, 2))
ONE = torch.arange(N) == 3
ZERO = "a missing term: zero where it should not be"


def sine(of_g: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Any]:
    """Give a sine, and what is made of v and of its slope for its backward."""
    return custom(torch.sin, lambda x, g: of_g(g, x[0].cos()))


def product(of_a: Callable[[Tensor], Tensor], of_b: Callable[[Tensor], Tensor]) -> Any:
    """Give a product of matrices, and what is made of the gradient of each."""
    return custom(lambda a, b: a @ b, lambda x, g: (of_a(g @ x[1].T), of_b(x[0].T @ g)))


def same(grad: Tensor) -> Tensor:
    return grad


def turned(grad: Tensor) -> Tensor:
    return grad.T


NAMED: dict[str, tuple[Callable[..., Any], Any]] = {
    "the opposite sign": (sine(lambda g, slope: -g * slope), X),
    "the factor 2": (sine(lambda g, slope: 2 * g * slope), X),
    "the factor 1.001": (sine(lambda g, slope: 1.001 * g * slope), X),
    "the factor 1.00000001": (sine(lambda g, slope: (1 + 1e-8) * g * slope), X),
    "float32 precision": (sine(lambda g, slope: (g * slope).float().double()), X),
    "transposed": (custom(lambda x: W @ x, lambda x, g: W @ g), X),
    "the gradient of x[1] is transposed": (product(same, turned), SQUARES),
    "the gradient of x[0] and of x[1] is transposed": (product(turned, turned), SQUARES),
    "a factor transposed, as w.T for w": (
        custom(lambda a, b: a @ b, lambda x, g: (g @ x[1].T, x[0] @ g)),
        SQUARES,
    ),
    "the factor 3 in these entries": (product(same, lambda grad: 3 * grad), SQUARES),
    "the opposite sign, of one input": (product(lambda grad: -grad, same), SQUARES),
    f"{ZERO}": (sine(lambda g, slope: 0 * g), X),
    f"{ZERO}, of one input": (
        custom(lambda a, b: a * b, lambda x, g: (g * x[1], None)),
        (X, X + 1),
    ),
    "does not depend on v": (sine(lambda g, slope: slope), X),
    CONSTANT: (sine(lambda g, slope: g * slope + 0.1), X),
    "a detached path": (lambda x: x.sin() + x.detach() ** 2, X),
    "a detached path: zero where it should not be": (lambda x: x.detach() ** 2, X),
}
UNNAMED: dict[str, tuple[Callable[..., Any], Any]] = {
    "one entry": (sine(lambda g, slope: g * slope * torch.where(ONE, 1.5, 1)), X),
    "one entry, and nan for a v of zeros": (
        sine(lambda g, slope: g * slope * torch.where(ONE, 1.5, 1) * (g.norm() / g.norm())),
        X,
    ),
    "two factors": (sine(lambda g, slope: g * slope * torch.where(X < 1, 1.5, 2)), X),
    "two signs": (sine(lambda g, slope: g * slope * torch.where(X < 1, -1, -2)), X),
    "a softmax without its sum": (
        custom(lambda x: x.softmax(0), lambda x, g: g * x[0].softmax(0)),
        X,
    ),
    "zero, and a factor elsewhere": (
        sine(lambda g, slope: torch.where(ONE, 0, 2 * g * slope)),
        X,
    ),
}


def remark(f: Callable[..., Any], x: Any, J: Any = None) -> str:  # noqa: N803 - J is the term
    """Give what stands in the brackets behind a conclusion, without a count."""
    report = vtj.certify(f, x, J)
    assert report.verdict == "wrong", str(report)
    told = re.sub(r",? ?(at least )?\d+ of \d+ entries", "", report.findings[0])
    match = re.search(r" \(([^()]*)\)$", told.removesuffix(f"; {MEANT}"))
    return match[1] if match else ""


@pytest.mark.parametrize("name", NAMED)
def test_a_mistake_in_all_of_a_large_jacobian_is_named(name: str) -> None:
    assert remark(*NAMED[name]) == name.removesuffix(", of one input")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("size", [1.0, 1e-12])
def test_what_depends_on_the_sum_of_v_is_told_from_what_depends_on_none(
    verify: Any, size: float
) -> None:
    """Of one input of two as well."""
    for of_v, told in ((lambda g: g.mean(), OF_SUM), (lambda g: 1, NOT_OF_V)):
        f = custom(
            lambda a, b: size * a * b,
            lambda x, g, of_v=of_v: (size * of_v(g) * x[1], 3 * size * g * x[0]),
        )
        finding = verify(f, (vector(4), vector(4) + 1)).findings[0]
        assert f" of x[0], {told}; " in finding, finding


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_constant_is_named_by_all_entries_too(verify: Any) -> None:
    finding = verify(custom(torch.sin, lambda x, g: g * x[0].cos() + 0.1), vector(4)).findings[0]
    assert finding.endswith(f"({CONSTANT}, 16 of 16 entries)")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    ("of_a", "of_b", "says"),
    [
        (lambda g: 2 * g, lambda g: -g, "8 of x[0], the factor 2; 8 of x[1], the opposite sign"),
        (
            lambda g: 0 * g,
            lambda g: 3 * g,
            "8 of x[0], a missing term: zero where it should not be; 8 of x[1], the factor 3",
        ),
        (lambda g: g * torch.tensor([[1.0, 2], [3, 4]]), turned, "6 of x[0]; 8 of x[1], "),
    ],
)
def test_several_inputs_with_a_mistake_each_are_told_one_by_one(
    verify: Any, of_a: Any, of_b: Any, says: str
) -> None:
    report = verify(product(of_a, of_b), (matrix(2, 2, 1), matrix(2, 2, 2)))
    assert f"of 32 entries: {says}" in report.findings[0]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_one_mistake_of_all_inputs_is_told_once(verify: Any) -> None:
    twice = product(lambda g: 2 * g, lambda g: 2 * g)
    report = verify(twice, (matrix(2, 2, 1), matrix(2, 2, 2)))
    assert report.findings[0].endswith("(the factor 2, 16 of 32 entries)")


@pytest.mark.parametrize("name", UNNAMED)
def test_what_is_none_of_these_gets_no_name(name: str) -> None:
    assert remark(*UNNAMED[name]) == ""


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("probes", [1, 2, 3])
def test_chance_names_nothing(seed: int, probes: int) -> None:
    """Whatever slopes a backward takes, and however many probes there are."""
    wrong = matrix(1, N, seed)[0]
    report = vtj.certify(sine(lambda g, slope: g * wrong), X, probes=probes, seed=seed)
    assert re.search(
        r"the backward is wrong( \(at least \d+ of \d+ entries\))?$", report.findings[0]
    )


def test_a_large_jacobian_by_hand_that_is_transposed() -> None:
    assert remark(lambda x: W @ x, X, W.T.numpy()) == "transposed"
    wrong = custom(lambda x: W @ x, lambda x, g: W @ g)
    assert remark(wrong, X, W.numpy()) == "transposed"
    assert remark(lambda x: W @ x, X, np.roll(W.numpy(), 1)) == ""


def test_entries_of_a_small_jacobian_are_counted_to_the_last() -> None:
    """A gap that is little more than what differences leave open is no reason to count more."""

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        grad = 2 * x[0] * g
        grad[3] += 9e-6 * g[3]
        return grad

    for n in (10, 50):
        report = vtj.certify(custom(torch.square, backward), vector(n))
        assert report.findings[0].startswith("dy[3]/dx[3]: ")
        assert report.findings[0].endswith(": the backward is wrong")


def test_a_kink_is_not_counted_with_what_is_wrong() -> None:
    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        return g * torch.where(x[0] > 0, 2.0, 0.0)

    x = torch.tensor([0.0, 0.5, 1.0, -1.0], dtype=torch.float64)
    report = vtj.certify(custom(torch.relu, backward), x)
    assert report.findings[0].endswith("(the factor 2, 2 of 16 entries)")


def test_where_a_step_leads_out_of_the_domain_nothing_is_counted_beyond_what_is_known() -> None:
    x = torch.tensor([1.0, 0.25, 0.5], dtype=torch.float64)
    asin = custom(torch.asin, lambda x, g: 2 * g / (1 - x[0] ** 2).sqrt())
    told = vtj.certify(asin, x[1:]).findings[0]
    assert told.endswith("(the factor 2, 2 of 4 entries)")
    report = vtj.certify(asin, x)
    assert report.verdict == "undecided"  # its slope at 1 is infinite
