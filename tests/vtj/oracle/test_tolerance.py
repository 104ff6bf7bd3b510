from typing import Any

import numpy as np
import pytest
import torch

import vtj
from tests.zoo.bug import custom
from vtj.oracle.tolerance import RELATIVE, excess, tolerance


def test_one_rule_for_every_scale() -> None:
    for scale in (1e-200, 1.0, 1e200):
        allowed = tolerance([scale], RELATIVE[torch.float64])
        assert excess([scale], [scale * (1 + 5e-13)], allowed) < 1
        assert excess([scale], [scale * (1 + 5e-12)], allowed) > 1


def test_zero_is_exact() -> None:
    allowed = tolerance([0.0], RELATIVE[torch.float64])
    assert excess([0.0], [0.0], allowed) == 0
    assert excess([0.0], [1e-300], allowed) > 1


def test_what_is_no_number() -> None:
    apart = excess([np.nan, np.nan, np.inf, np.inf], [np.nan, 1.0, np.inf, -np.inf], np.ones(4))
    assert apart.tolist() == [0, np.inf, 0, np.inf]


def test_of_nothing_nothing_lies_apart() -> None:
    assert excess([], [], []).shape == (0,)


def test_less_precise_dtypes_are_given_more() -> None:
    order = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
    assert sorted(RELATIVE, key=lambda dtype: RELATIVE[dtype]) == order


@pytest.mark.parametrize(
    ("dtype", "part"),
    [
        (torch.float64, 5e-12),
        (torch.float32, 5e-5),
        (torch.float16, 0.05),
        (torch.bfloat16, 0.5),
    ],
)
def test_a_backward_that_is_off_by_a_few_tolerances_is_wrong(
    dtype: torch.dtype, part: float
) -> None:
    x = torch.tensor([0.3])
    sine = custom(
        torch.sin, lambda x, g: (1 + part) * x[0].cos() * g, lambda x, u: x[0].cos() * u[0]
    )
    report = vtj.check(lambda x: sine(x.to(dtype)), x, jacobian=torch.diag(x.double().cos()))
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)


def bias_gelu(c: float) -> Any:
    """Give the bias-GELU that Megatron publishes, whose backward has one more constant."""

    def inner(z: torch.Tensor) -> torch.Tensor:
        return torch.tanh(0.79788456 * z * (1 + 0.044715 * z * z))

    def forward(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        z = x + bias
        return z * 0.5 * (1 + inner(z))

    def backward(x: Any, g: torch.Tensor) -> Any:
        z = x[0] + x[1]
        t = inner(z)
        slope = 0.5 * z * ((1 - t * t) * (0.79788456 + c * z * z)) + 0.5 * (1 + t)
        return g * slope, (g * slope).sum(0)

    return custom(forward, backward)


def scaled(by: float) -> Any:
    return custom(torch.square, lambda x, g: by * 2 * x[0] * g)


PUBLISHED, SHORT = bias_gelu(0.1070322243), bias_gelu(0.107032223)


def point(seed: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, 6, generator=generator), torch.randn(6, generator=generator)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("seed", range(3))
def test_a_constant_of_ten_digits_is_no_mistake(verify: Any, seed: int) -> None:
    report = verify(PUBLISHED, point(seed))
    assert report, str(report)
    told = [row.note for row in report.rows if row.what == "last digits"]
    assert verify is vtj.certify or "a constant with few digits?" in told[0]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("n", [1, 5, 100])
def test_a_square_is_good_to_nine_digits_and_no_fewer(verify: Any, n: int) -> None:
    x = torch.linspace(0.5, 2, n)
    assert verify(scaled(1 + 5e-10), x)
    report = verify(scaled(1 + 1e-8), x)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert "the factor 1.00000001" in report.findings[0]


def test_a_constant_of_fewer_digits_is_named_with_what_allows_it() -> None:
    report = vtj.check(SHORT, point(0))
    assert report.culprit == "backward"
    assert "of itself at most: a constant with few digits? relative=1e-" in report.findings[0]
    assert "float32" not in report.findings[0]
    assert vtj.check(SHORT, point(0), relative=1e-6)
    assert vtj.certify(SHORT, point(0), relative=1e-6)


def test_ten_digits_are_not_enough_where_a_person_gives_j() -> None:
    x = torch.tensor([0.5, 2.0])
    for report in (
        vtj.check(scaled(1 + 5e-10), x, jacobian=np.diag([1.0, 4.0])),
        vtj.certify(scaled(1 + 5e-10), x, np.diag([1.0, 4.0])),
    ):
        assert report.culprit == "backward"


def test_whatever_is_given_it_reckons_in_float64() -> None:
    third, huge = np.array([0.1], np.float32), np.array([3e38], np.float32)
    assert tolerance(third, 0.3).tolist() == [0.3 * float(third[0])]
    assert tolerance([0.0], 0.3, huge).tolist() == [4 * float(huge[0])]
    assert np.isfinite(excess(huge, -huge, [1.0])).all()


def test_what_overflows_lies_infinitely_far_apart() -> None:
    assert excess([1e308], [-1e308], [1.0]).tolist() == [np.inf]
    assert excess([1e10], [0.0], [0.0]).tolist() == [np.inf]
