import pytest
import torch

from vtj import JacobianMismatch, Refusal

MESSAGE = "grad can be implicitly created only for scalar outputs"


def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def omitted(error: Exception | None = None) -> Refusal:
    error = error or RuntimeError(MESSAGE)
    return Refusal("omitted", double, torch.tensor([1.0, 2.0]), None, error)


def test_the_page_that_raised_it_is_confirmed() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert omitted().confirm(error=RuntimeError(MESSAGE), x=x, y=double(x))


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
