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


def test_whatever_is_given_it_reckons_in_float64() -> None:
    third, huge = np.array([0.1], np.float32), np.array([3e38], np.float32)
    assert tolerance(third, 0.3).tolist() == [0.3 * float(third[0])]
    assert tolerance([0.0], 0.3, huge).tolist() == [4 * float(huge[0])]
    assert np.isfinite(excess(huge, -huge, [1.0])).all()


def test_what_overflows_lies_infinitely_far_apart() -> None:
    assert excess([1e308], [-1e308], [1.0]).tolist() == [np.inf]
    assert excess([1e10], [0.0], [0.0]).tolist() == [np.inf]
