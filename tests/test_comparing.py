from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from vtj.comparing import compare

X, V = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
J = np.array([[6.0, 0.0], [2.0, 24.0], [0.0, 10.0]])
GRAD = np.array([26.0, 1240.0])


def f(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


REPORT = vtj.check(f, X, V, jacobian=J)


def test_everything_agrees() -> None:
    report = compare(
        REPORT,
        "the page",
        y=f(X),
        grad=torch.tensor([26.0, 1240.0]),
        jacobian=J,
        product=V.numpy() @ J,
    )
    assert report.verdict == "correct"
    assert [(row.what, row.result) for row in report.rows[-4:]] == [
        ("y", "agrees"),
        ("x.grad", "agrees"),
        ("J", "agrees"),
        ("vᵀ·J", "agrees"),
    ]


@pytest.mark.parametrize(
    ("values", "finding"),
    [
        ({"y": f(X) + torch.tensor([0, 1, 0])}, "y[1]: the page 18, f 17: the page is wrong"),
        (
            {"grad": torch.tensor([26.0, 1241.0])},
            "x.grad[1]: the page 1241, by hand 1240, backward 1240, forward 1240, numeric 1240: "
            "the page is wrong",
        ),
        (
            {"jacobian": J + np.array([[0, 0], [0, 0], [1, 0]])},
            "dy[2]/dx[0]: the page 1, by hand 0, backward 0, forward 0, numeric 0: "
            "the page is wrong (a term too many)",
        ),
        (
            {"product": [26.0, 1239.0]},
            "(vᵀ·J)[1]: the page 1239, by hand 1240, backward 1240, forward 1240, numeric 1240: "
            "the page is wrong",
        ),
        (
            {"grad": 2 * GRAD},
            "x.grad[0]: the page 52, by hand 26, backward 26, forward 26, numeric 26: "
            "the page is wrong (the factor 2: was .grad not cleared?)",
        ),
    ],
)
def test_a_wrong_value_is_named(values: dict[str, Any], finding: str) -> None:
    report = compare(REPORT, "the page", **values)
    assert (report.verdict, report.culprit) == ("wrong", "the page")
    assert report.findings == (finding,)


def test_another_culprit_is_kept() -> None:
    wrong = vtj.check(f, X, V, jacobian=J + 1)
    report = compare(wrong, "the page", grad=GRAD + 1)
    assert report.culprit == "jacobian"
    assert len(report.findings) == len(wrong.findings) + 1


def test_jv_in_place_of_vj_is_recognized() -> None:
    turned = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    report = vtj.check(lambda x: turned.to(x) @ x, X, torch.tensor([1.0, 10.0]))
    told = compare(report, "the page", product=np.array([21.0, 43.0]))
    assert told.findings[0].endswith("the page is wrong (J·v in place of vᵀ·J)")


def test_float32_is_compared_as_such() -> None:
    report = vtj.check(lambda x: x / 3, X, torch.ones(2))
    third = (torch.ones(2) / 3).float()
    assert compare(report, "the page", grad=third).verdict == "correct"
    assert compare(report, "the page", grad=third.numpy()).verdict == "correct"
    assert compare(report, "the page", grad=third.double()).verdict == "wrong"
    assert compare(report, "the page", grad=third.tolist()).verdict == "wrong"


def test_tuples() -> None:
    report = vtj.check(lambda a, b: (a * b, b**2), (X, X + 1), (torch.ones(2), torch.ones(2)))
    grad = (X + 1, X + 2 * (X + 1))
    assert compare(report, "the page", grad=grad, y=(X * (X + 1), (X + 1) ** 2))
    assert (
        compare(report, "the page", grad=(grad[0], grad[1] + 1))
        .findings[0]
        .startswith("x.grad[1][0]: the page 6, backward 5")
    )


def test_another_shape() -> None:
    with pytest.raises(ValueError, match=r"x.grad has shape \(3,\); expected \(2,\)"):
        compare(REPORT, "the page", grad=np.zeros(3))
    report = vtj.check(lambda a, b: a * b, (X, X))
    with pytest.raises(
        ValueError, match=r"x.grad has shape \[\(2,\)\]; expected \[\(2,\), \(2,\)\]"
    ):
        compare(report, "the page", grad=(X,))


def test_a_report_without_values() -> None:
    with pytest.raises(ValueError, match="holds no values to compare with"):
        compare(vtj.certify(f, X), "the page", grad=GRAD)
