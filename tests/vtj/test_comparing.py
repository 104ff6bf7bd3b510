import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
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
    told = [(row.what, row.result) for row in report.rows[-4:]]
    assert told == [(what, "agrees") for what in ("y", "x.grad", "J", "vᵀ·J")]


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


def test_jv_in_place_of_vj_is_recognized_and_nothing_else_is() -> None:
    """However small the values are, and however near they lie."""
    turned = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64) * 2.0**-40
    v = torch.tensor([1.0, 10.0])
    report = vtj.check(lambda x: turned.to(x) @ x, X, v)
    Jv = (turned @ v.double()).numpy()  # noqa: N806 - J is the term

    def told(value: Any, argument: str = "grad") -> str:
        return compare(report, "the page", **{argument: value}).findings[0]

    assert told(Jv).endswith("the page is wrong (J·v in place of vᵀ·J)")
    assert told(Jv, "product").endswith("the page is wrong (J·v in place of vᵀ·J)")
    assert told(Jv * (1 + 4e-6)).endswith("the page is wrong")
    assert told(Jv * [1, 2]).endswith("the page is wrong")


def test_a_transposed_gradient_is_recognized_and_a_transposed_y_is_no_gradient() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    report = vtj.check(lambda x: x**2, x, torch.ones(2, 2))
    told = compare(report, "the page", grad=2 * x.T, y=(x**2).T).findings
    assert [one.partition("the page is wrong")[2] for one in told] == [
        "",
        " (the gradient of x is transposed)",
    ]


def test_who_agrees_with_the_others_is_right_where_backward_is_wrong() -> None:
    """Each rounds in its own way, and forward and by hand are two against one."""
    cosine = np.cos(X.double().numpy())
    f = custom(torch.sin, lambda x, g: 2 * g * x[0].cos(), lambda x, u: u * x[0].cos())
    by_hand = np.diag(cosine * (1 + 1e-13))
    report = vtj.check(f, X, torch.ones(2), jacobian=by_hand, engines=["reverse", "forward"])
    told = compare(report, "the page", grad=cosine * (1 - 1e-13))
    assert (told.rows[-1].result, told.culprit) == ("agrees", "backward")


@pytest.mark.parametrize(
    ("y", "error", "finding"),
    [
        ((100, 100), 0, None),
        ((99, 100), 1, None),
        ((98.5, 100), 1.5, "y[0]: me 98.5, f 100: me is wrong"),
        (
            (100, 0),
            100,
            "y[1]: me 0, f 100: me is wrong (a missing term: zero where it should not be)",
        ),
    ],
)
def test_in_float16_a_value_may_be_off_by_a_hundredth_and_not_by_more(
    y: tuple[float, float], error: float, finding: str | None
) -> None:
    report = vtj.check(lambda x: 100 * x, torch.ones(2))
    told = compare(report, "me", y=torch.tensor(y, dtype=torch.float16))
    row = told.rows[-1]
    assert (row.what, row.family, row.error) == ("y", "me", error)
    assert row.result == ("differs" if finding else "agrees")
    assert told.verdict == ("wrong" if finding else "correct")
    assert told.findings == ((finding,) if finding else ())


THIRD = torch.ones(2) / 3


PRECISIONS: dict[str, tuple[Any, str]] = {
    "float32": (THIRD, "agrees"),
    "float32 array": (THIRD.numpy(), "agrees"),
    "float16": (THIRD.half(), "agrees"),
    "float16 array": (THIRD.half().numpy(), "agrees"),
    "bfloat16": (THIRD.bfloat16(), "agrees"),
    "float32 of float16": (THIRD.half().float(), "differs"),
    "float64 of float32": (THIRD.double(), "differs"),
    "float64 array of float32": (THIRD.double().numpy(), "differs"),
    "list of float32": (THIRD.tolist(), "differs"),
    "int": (torch.zeros(2, dtype=int), "differs"),
}


@pytest.mark.parametrize(("given", "result"), PRECISIONS.values(), ids=PRECISIONS)
def test_a_value_is_compared_to_the_precision_of_its_dtype(given: Any, result: str) -> None:
    report = vtj.check(lambda x: x / 3, torch.ones(2), torch.ones(2))
    both = vtj.check(lambda a, b: (a / 3, b / 3), (torch.ones(2),) * 2, (torch.ones(2),) * 2)
    array = isinstance(given, np.ndarray)
    diagonal = np.diag(given) if array else torch.diag(torch.as_tensor(given))
    if isinstance(given, list):
        diagonal = diagonal.tolist()
    for one, values in (
        (report, {"y": given}),
        (report, {"grad": given}),
        (report, {"jacobian": diagonal}),
        (report, {"product": given}),
        (both, {"grad": (given, given)}),
    ):
        assert compare(one, "the page", **values).rows[-1].result == result


def test_whole_numbers_are_compared_exactly() -> None:
    assert compare(REPORT, "the page", grad=torch.tensor([26, 1240])).verdict == "correct"
    assert compare(REPORT, "the page", grad=torch.tensor([26, 1241])).verdict == "wrong"


def test_an_input_without_elements() -> None:
    """It has nothing to compare, and excuses nothing."""
    report = vtj.check(lambda a, b: a**2 * (1 + b.sum()), (X, torch.empty(0)), torch.ones(2))
    assert compare(report, "the page", grad=([2, 4], [])).verdict == "correct"
    assert compare(report, "the page", grad=([2, 5], [])).verdict == "wrong"
    none = vtj.check(lambda x: x.sum(), torch.empty(0))
    assert compare(none, "the page", grad=torch.empty(0)).rows[-1].error == 0


def test_tuples() -> None:
    report = vtj.check(lambda a, b: (a * b, b**2), (X, X + 1), (torch.ones(2), torch.ones(2)))
    grad = (X + 1, X + 2 * (X + 1))
    assert compare(report, "the page", grad=grad, product=grad, y=(X * (X + 1), (X + 1) ** 2))
    assert (
        compare(report, "the page", grad=(grad[0], grad[1] + 1))
        .findings[0]
        .startswith("x.grad[1][0]: the page 6, backward 5")
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"y": f(X)[:2]}, r"^y has shape \(2,\); expected \(3,\)$"),
        ({"grad": np.zeros(3)}, r"^x.grad has shape \(3,\); expected \(2,\)$"),
        ({"jacobian": J.T}, r"^J has shape \(2, 3\); expected .* = \(3, 2\)$"),
        ({"product": np.zeros((1, 2))}, r"^vᵀ·J has shape \(1, 2\); expected \(2,\)$"),
    ],
    ids=["y", "grad", "jacobian", "product"],
)
def test_another_shape(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(REPORT, "the page", **values)


def test_a_tuple_of_another_length() -> None:
    report = vtj.check(lambda a, b: a * b, (X, X))
    expected = r"x.grad has shape \[\(2,\)\]; expected \[\(2,\), \(2,\)\]"
    with pytest.raises(ValueError, match=expected):
        compare(report, "the page", grad=(X,))


def test_a_report_without_values() -> None:
    told = (
        "this report holds no values to compare with: it is certify's (check hands on to it where"
    )
    with pytest.raises(ValueError, match=re.escape(told)):
        compare(vtj.certify(f, X), "the page", grad=GRAD)
