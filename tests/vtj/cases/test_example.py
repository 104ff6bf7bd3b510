import numpy as np
import pytest
import torch

from vtj import Example, JacobianMismatch


def weighted(jacobian: object = lambda x: np.diag(6 * x)) -> Example:
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    return Example("weighted", lambda x: 3 * x**2, x, v, jacobian)  # type: ignore[arg-type]


RIGHT = {"y": [3.0, 12.0], "grad": [6.0, 120.0], "jacobian": [[6, 0], [0, 12]], "product": [6, 120]}


def test_what_a_page_computed_is_confirmed() -> None:
    report = weighted().confirm(**RIGHT)
    assert report
    assert [row.what for row in report.rows if row.family == "the page"] == [
        "y",
        "x.grad",
        "J",
        "vᵀ·J",
    ]


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        ({"y": [3.0, 13.0]}, "y[1]: the page 13, f 12"),
        ({"grad": [6.0, 121.0]}, "x.grad[1]: the page 121, by hand 120, backward 120"),
        ({"jacobian": [[6, 0], [1, 12]]}, "dy[1]/dx[0]: the page 1, by hand 0, backward 0"),
        ({"product": [7, 120]}, "(vᵀ·J)[0]: the page 7, by hand 6, backward 6"),
    ],
)
def test_what_differs_is_named_with_every_value(wrong: dict[str, object], finding: str) -> None:
    with pytest.raises(JacobianMismatch) as caught:
        weighted().confirm(**{**RIGHT, **wrong})
    assert any(line.startswith(finding) for line in caught.value.report.findings)
    assert caught.value.report.culprit == "the page"


def test_a_wrong_jacobian_by_hand_is_named_although_the_page_is_right() -> None:
    with pytest.raises(JacobianMismatch, match=r"dy\[0\]/dx\[0\]: by hand 5, backward 6"):
        weighted(lambda x: np.diag([5 * x[0], 6 * x[1]])).confirm(**RIGHT)


@pytest.mark.parametrize("missing", ["jacobian", "product"])
def test_a_jacobian_by_hand_must_be_confirmed(missing: str) -> None:
    values = {name: value for name, value in RIGHT.items() if name != missing}
    with pytest.raises(TypeError, match="confirm jacobian= and product= as well"):
        weighted().confirm(**values)


def test_a_value_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x.grad has shape \(3,\); expected \(2,\)"):
        weighted().confirm(**{**RIGHT, "grad": [1.0, 2.0, 3.0]})


def test_without_a_jacobian_backward_decides_and_certify_stands_behind_it() -> None:
    example = weighted(None)
    values = {"y": [3.0, 12.0], "grad": [6.0, 120.0]}
    assert example.confirm(**values)
    assert example.confirm(**values, product=[6.0, 120.0])
    with pytest.raises(JacobianMismatch, match=r"x.grad\[1\]: the page 121, backward 120"):
        example.confirm(y=[3.0, 12.0], grad=[6.0, 121.0])
    with pytest.raises(JacobianMismatch, match=r"vᵀ·J\[0\]: the page 7, backward 6"):
        example.confirm(**values, product=[7.0, 120.0])


def test_several_inputs_are_named_one_by_one() -> None:
    x = (torch.tensor(2.0), torch.tensor(3.0))
    example = Example("product", lambda a, b: a * b, x, None, None)
    assert example.confirm(y=6.0, grad=[3.0, 2.0])
    with pytest.raises(JacobianMismatch, match=r"x\[1\].grad: the page 4, backward 2"):
        example.confirm(y=6.0, grad=[3.0, 4.0])
    with pytest.raises(ValueError, match="longer than argument 1"):
        example.confirm(y=6.0, grad=[3.0])
    by_hand = Example("product", lambda a, b: a * b, x, None, lambda a, b: (b, a))
    assert by_hand.confirm(y=6.0, grad=[3.0, 2.0], jacobian=(3.0, 2.0), product=(3.0, 2.0))


def test_a_wrong_backward_is_not_confirmed_by_itself() -> None:
    class Tripled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: object, v: torch.Tensor) -> torch.Tensor:
            return 3 * v

    example = Example("tripled", Tripled.apply, torch.ones(2), torch.ones(2), None)
    assert example.backward().grad.tolist() == [3.0, 3.0]
    with pytest.raises(JacobianMismatch):
        example.confirm(y=[2.0, 2.0], grad=[3.0, 3.0])
    with pytest.raises(JacobianMismatch) as caught:
        example.confirm(y=[2.0, 2.0], grad=[3.0, 4.0])
    report = caught.value.report
    assert report.culprit == "backward", "the page may be wrong because of it"
    assert report.findings[-1] == "x.grad[1]: the page 4, backward 3: the page is wrong"


def test_beside_a_certificate_the_page_has_its_own_rows() -> None:
    report = weighted(None).confirm(y=[3.0, 12.0], grad=[6.0, 120.0])
    certified = weighted(None).check()
    assert report.title == certified.title
    assert [row.what for row in report.rows[: len(certified.rows)]] == [
        row.what for row in certified.rows
    ]
    assert [row.what for row in report.rows[len(certified.rows) :]] == [
        "y, the page",
        "x.grad, the page",
    ]
    with pytest.raises(JacobianMismatch) as caught:
        weighted(None).confirm(y=[3.0, 13.0], grad=[6.0, 120.0])
    wrong = caught.value.report
    assert wrong.title == certified.title
    assert wrong.findings == ("y[1]: the page 13, f 12: the page is wrong",)
    assert len(wrong.rows) == len(report.rows)


def test_gradients_may_come_as_a_list() -> None:
    x, v = (torch.tensor([1.0]), torch.tensor([2.0])), torch.tensor([1.0])
    example = Example("two inputs", lambda a, b: a * b, x, v, lambda a, b: (np.diag(b), np.diag(a)))
    right = {"jacobian": ([[2.0]], [[1.0]]), "product": ([2.0], [1.0])}
    assert example.confirm(y=[2.0], grad=[np.array([2.0]), np.array([1.0])], **right)
