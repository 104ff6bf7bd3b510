"""vtj.explain: the site's treatment of a reader's own function."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from vtj.show import explain

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0, 100.0])


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


def test_shows_calls_formulas_numbers_and_report() -> None:
    explained = explain(three_outputs, X, V)
    assert explained.transcript == (
        ">>> x\n"
        "tensor([1., 2.], requires_grad=True)\n"
        ">>> v\n"
        "tensor([  1.,  10., 100.])\n"
        ">>> y = f(x)\n"
        ">>> y\n"
        "tensor([ 3., 17., 20.], grad_fn=<StackBackward0>)\n"
        ">>> y.backward(v)\n"
        ">>> x.grad\n"
        "tensor([  26., 1240.])"
    )
    assert explained.numbers == (
        "v      = [1, 10, 100]\n"
        "J      = [6   0]\n"
        "         [2  24]\n"
        "         [0  10]\n"
        "vᵀ·J   = [26, 1240]\n"
        "x.grad = [26, 1240]"
    )
    assert explained.report is not None
    assert explained.report.verdict == "correct"
    text = str(explained)
    assert text == repr(explained)
    for part in (explained.transcript, str(explained.formula), explained.numbers):
        assert part in text
    assert str(explained.report) in text


def test_is_rich_in_a_notebook() -> None:
    html = explain(three_outputs, X, V)._repr_html_()
    assert html.startswith('<div class="vtj-explanation"><pre>&gt;&gt;&gt; x')
    assert "J = [6x₁     0]" in html
    assert '<svg role="img"' in html
    assert '<table class="vtj">' in html


def test_a_module_keeps_its_state_and_the_callers_tensors() -> None:
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    x = torch.ones(2, 2, requires_grad=True)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    explained = explain(net, x, torch.ones(2, 2))
    assert explained.failure is None
    assert net.state_dict()["0.running_mean"].tolist() == [0, 0]
    assert (x.grad, next(net.parameters()).grad) == (None, None)
    assert torch.equal(torch.get_rng_state(), before)


def test_several_inputs_and_outputs() -> None:
    explained = explain(lambda a, b: (a * b, a + b), (X, X), (X, X))
    assert ">>> y = f(*x)" in explained.transcript
    assert ">>> torch.autograd.backward(y, v)" in explained.transcript
    assert ">>> tuple(part.grad for part in x)" in explained.transcript
    assert explained.numbers == ""
    assert explained.figure is None
    assert "y⁽¹⁾ = [a₁b₁, a₂b₂]" in str(explained)


@pytest.mark.parametrize(
    ("f", "v"),
    [
        (lambda x: (2 * x, x.sum()), [X, None]),
        (lambda x: 2 * x, (X,)),
        (lambda x: 2 * x, torch.tensor([1, 10])),
        (lambda x: 2 * x, torch.tensor([True, False])),
    ],
    ids=["list with None", "tuple of one", "integers", "truth values"],
)
def test_what_torch_accepts_as_v_is_accepted(f: Any, v: Any) -> None:
    explained = explain(f, X, v)
    assert explained.failure is None
    assert explained.report is not None
    assert explained.report.verdict == "correct"
    assert explained.formula is not None


def test_a_second_v_that_torch_ignores_is_refused() -> None:
    with pytest.raises(ValueError, match="v has 2 parts and y is one tensor"):
        explain(lambda x: 2 * x, X, (X, X))


def test_no_v_for_one_number() -> None:
    explained = explain(lambda x: (x.reshape(2, 1) * 3).sum(), X)
    assert ">>> y.backward()\n" in explained.transcript
    assert explained.numbers.startswith("v      = 1\n")


def test_more_dimensions_are_laid_out_in_two() -> None:
    explained = explain(lambda x: 2 * x, torch.ones(1, 1, 2), torch.ones(1, 1, 2))
    assert explained.numbers == (
        "v      = [1, 1]\nJ      = [2  0]\n         [0  2]\nvᵀ·J   = [2, 2]\nx.grad = [2, 2]"
    )


def test_x_that_y_does_not_use() -> None:
    weight = torch.ones(2, requires_grad=True)
    explained = explain(lambda x: 2 * weight, X, X)
    assert explained.transcript.endswith(">>> x.grad\nNone")
    assert explained.numbers.endswith("x.grad = [0, 0]")


def test_slopes_that_are_no_numbers() -> None:
    explained = explain(torch.sqrt, torch.zeros(1), torch.ones(1))
    assert "J      = [inf]" in explained.numbers
    assert "nan" in explain(lambda x: x * float("nan"), X, X).numbers


def test_a_large_jacobian_has_neither_formula_nor_numbers() -> None:
    explained = explain(lambda x: 2 * x, torch.ones(100), torch.ones(100))
    assert explained.no_formula == "J has 1 x 100 entries; formulas are derived up to 64"
    assert explained.numbers == ""
    assert "No formula: J has 1 x 100 entries" in str(explained)
    assert "<p>No formula: J has 1 x 100 entries" in explained._repr_html_()


def test_a_wrong_backward_is_reported_not_drawn() -> None:
    explained = explain(lambda x: x * x.detach(), X, X)
    assert explained.report is not None
    assert explained.report.verdict == "wrong"
    assert explained.figure is None
    assert explained.formula is None


def test_complex_tensors_get_the_transcript_alone() -> None:
    explained = explain(lambda x: x.abs().sum(), X * 1j)
    assert explained.report is None
    assert "No formula: formulas and checks are for real tensors" in str(explained)
    assert "x.grad" in explained.transcript


def test_an_error_comes_with_its_cause_and_fix() -> None:
    explained = explain(three_outputs, X)
    assert str(explained) == (
        ">>> x\n"
        "tensor([1., 2.], requires_grad=True)\n"
        ">>> y = f(x)\n"
        ">>> y\n"
        "tensor([ 3., 17., 20.], grad_fn=<StackBackward0>)\n"
        ">>> y.backward()\n"
        "RuntimeError: grad can be implicitly created only for scalar outputs\n"
        "\n"
        "Why: y has shape (3,), so it is not one number but 3: v must say how much each of them "
        "counts.\n"
        "\n"
        "Fix:\n"
        "    y = f(x)\n"
        "    y.backward(torch.ones_like(y))  # the gradient of y.sum(); or weights of your own"
    )
    html = explained._repr_html_()
    assert "<p><strong>Why:</strong> y has shape (3,)" in html
    assert "<p><strong>Fix:</strong></p><pre>y = f(x)" in html


def test_an_error_of_f_itself_has_no_fix() -> None:
    explained = explain(lambda x: x / (1 // 0), X)
    assert explained.transcript.endswith(
        ">>> y = f(x)\nZeroDivisionError: integer division or modulo by zero"
    )
    assert "Fix:" not in str(explained)
    assert "Fix:" not in explained._repr_html_()


def test_integers_fail_where_they_would() -> None:
    explained = explain(lambda x: 2 * x, torch.tensor([1, 2]), X)
    assert ">>> x.requires_grad_()\nRuntimeError: only Tensors" in explained.transcript


@pytest.mark.parametrize(
    ("f", "x", "error", "match"),
    [
        (3, X, TypeError, "f is int; expected a function"),
        (lambda x: x, [1.0], TypeError, "x is list; expected a torch.Tensor"),
        (lambda x: x, (), ValueError, "x is an empty tuple"),
    ],
)
def test_bad_input(f: Any, x: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        explain(f, x)
