import pytest
import torch

import vtj
from vtj import JacobianMismatch, Refusal, Row

MESSAGE = "grad can be implicitly created only for scalar outputs"


def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def omitted(error: Exception | None = None) -> Refusal:
    error = error or RuntimeError(MESSAGE)
    return Refusal("omitted", double, torch.tensor([1.0, 2.0]), None, error)


def test_what_torch_raises_is_told_beside_what_is_declared() -> None:
    raised = f"RuntimeError: {MESSAGE}"
    report = omitted().check()
    assert (report.title, report.verdict, report.culprit) == ("omitted is refused", "correct", None)
    assert report.rows == (Row("error, torch", "torch", "agrees", note=raised),)
    report = omitted(TypeError("no")).check()
    assert (report.verdict, report.culprit) == ("wrong", "torch")
    assert report.rows == (Row("error, torch", "torch", "differs", note=raised),)


def test_what_the_page_raises_is_told_beside_its_values() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    report = omitted().confirm(error=RuntimeError(MESSAGE), x=x, y=double(x))
    assert report.title == "omitted is refused"
    assert [row.what for row in report.rows] == [
        "error, the page",
        "y, the page",
        "x.grad for ones, the page",
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("other"), "the page raises RuntimeError: other, declared RuntimeError"),
        (TypeError(MESSAGE), "the page raises TypeError: grad can"),
        (None, "the page raises nothing"),
    ],
)
def test_another_error_is_named(error: Exception | None, said: str) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(JacobianMismatch, match=said):
        omitted().confirm(error=error, x=x, y=double(x))


def test_what_torch_no_longer_raises_is_named_although_the_page_declares_it() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    refusal = omitted(RuntimeError("the text of an older torch"))
    with pytest.raises(JacobianMismatch, match="torch raises RuntimeError: grad can"):
        refusal.confirm(error=RuntimeError("the text of an older torch"), x=x, y=double(x))


def test_another_function_with_the_same_values_is_named() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(JacobianMismatch, match=r"x.grad for ones\[1\]: the page 4, backward 2"):
        omitted().confirm(error=RuntimeError(MESSAGE), x=x, y=x**2 + torch.tensor([1.0, 0.0]))


def test_v_is_handed_over_exactly_where_the_refusal_has_one() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match="omitted got a v to confirm; needs none"):
        omitted().confirm(error=RuntimeError(MESSAGE), x=x, y=double(x), v=x)
    refusal = Refusal("given", double, torch.ones(1), torch.ones(2), RuntimeError("any"))
    with pytest.raises(TypeError, match="given got no v to confirm; expected one"):
        refusal.confirm(error=None, x=x, y=double(x))


def test_another_v_is_named() -> None:
    x, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 10.0, 100.0])
    came = vtj.backward(double, x.detach(), v).error
    assert isinstance(came, RuntimeError)
    refused = Refusal("vector", double, x.detach(), v, came)
    assert refused.confirm(error=came, x=x, y=double(x), v=v)
    with pytest.raises(JacobianMismatch, match=r"v\[2\]: the page 101, the example 100"):
        refused.confirm(error=came, x=x, y=double(x), v=v + torch.tensor([0.0, 0.0, 1.0]))


def test_an_output_without_a_graph_has_no_gradient_to_compare() -> None:
    came = vtj.backward(torch.ones_like, torch.tensor([1.0, 2.0])).error
    assert isinstance(came, RuntimeError)
    refused = Refusal("constant", torch.ones_like, torch.tensor([1.0, 2.0]), None, came)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert refused.confirm(error=came, x=x, y=torch.ones(2))
    with pytest.raises(JacobianMismatch, match=r"y\[1\]: the page 2, f 1"):
        refused.confirm(error=came, x=x, y=torch.tensor([1.0, 2.0]))
