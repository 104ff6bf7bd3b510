"""vtj.explain: the site's treatment of a reader's own function."""

from collections.abc import Callable
from html import escape
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import vtj
from vtj.outcome import Outcome
from vtj.show import explain, formula, graph, heat_map
from vtj.show.explaining import Explanation

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
    assert explained.outcome.grad.tolist() == [26, 1240]
    assert str(explained.formula) == str(formula(three_outputs, X, V))
    assert str(explained.report) == str(vtj.check(three_outputs, X, V))
    assert str(explained.figure) == str(heat_map(three_outputs, X, V))
    assert explained.no_formula == ""
    assert explained.failure is None
    parts = [explained.transcript, explained.formula, explained.numbers, explained.report]
    assert str(explained) == repr(explained) == "\n\n".join(map(str, parts))


def test_is_rich_in_a_notebook() -> None:
    explained = explain(three_outputs, X, V)
    texts = [explained.transcript, str(explained.formula), explained.numbers]
    assert explained.figure is not None
    assert explained.report is not None
    assert explained._repr_html_() == (
        '<div class="vtj-explanation">'
        + "".join(f"<pre>{escape(text)}</pre>" for text in texts)
        + explained.figure.html
        + explained.report._repr_html_()
        + "</div>"
    )
    assert escape(explained.transcript).startswith("&gt;&gt;&gt; x\n")


def test_a_reason_with_signs_of_html_is_escaped() -> None:
    explained = Explanation("t", Outcome(None, None, None, False, False), no_formula="a < b")
    assert explained._repr_html_() == (
        '<div class="vtj-explanation"><pre>t</pre><p>No formula: a &lt; b</p></div>'
    )


@pytest.mark.parametrize("show", [explain, formula, graph, heat_map])
def test_a_module_keeps_its_state_and_the_callers_tensors(show: Callable[..., Any]) -> None:
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    x = torch.tensor([[1.0, 2.0], [3.0, 7.0]], requires_grad=True)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    shown = show(net, x, torch.ones(2, 2))
    assert getattr(shown, "failure", None) is None
    assert net.state_dict()["0.running_mean"].tolist() == [0, 0]
    assert (x.grad, next(net.parameters()).grad) == (None, None)
    assert torch.equal(torch.get_rng_state(), before)


def test_several_inputs_and_outputs() -> None:
    explained = explain(lambda a, b: (a * b, a + b), (X, X), (X, X))
    assert explained.numbers == ""
    assert explained.figure is None
    assert "y⁽¹⁾ = [a₁b₁, a₂b₂]" in str(explained)
    assert explained.transcript == (
        ">>> x\n"
        "(tensor([1., 2.], requires_grad=True), tensor([1., 2.], requires_grad=True))\n"
        ">>> v\n"
        "(tensor([1., 2.]), tensor([1., 2.]))\n"
        ">>> y = f(*x)\n"
        ">>> y\n"
        "(tensor([1., 4.], grad_fn=<MulBackward0>), tensor([2., 4.], grad_fn=<AddBackward0>))\n"
        ">>> torch.autograd.backward(y, v)\n"
        ">>> tuple(part.grad for part in x)\n"
        "(tensor([2., 6.]), tensor([2., 6.]))"
    )


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


def test_an_omitted_part_of_v_counts_as_ones() -> None:
    explained = explain(lambda x: (2 * x, x.sum()), X, [X, None])
    assert ">>> v\n[tensor([1., 2.]), None]\n>>> y = f(x)\n" in explained.transcript
    assert explained.outcome.grad.tolist() == [3, 5]
    assert str(explained.formula).endswith("(vᵀ·J) for x = [3, 5]")


class Capped(torch.autograd.Function):
    """Doubles; its backward is wrong for weights above 50."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0].clamp(max=50)


def test_the_report_is_on_the_v_that_came() -> None:
    right, wrong = (explain(Capped.apply, X, v * torch.ones(2)) for v in (1, 100))
    assert right.report is not None
    assert right.report.verdict == "correct"
    assert wrong.report is not None
    assert wrong.report.verdict == "wrong"
    assert wrong.no_formula == "backward(v) leaves another x.grad than vᵀ·J of the formulas"
    assert wrong.figure is None
    assert wrong.numbers.endswith("vᵀ·J   = [200, 200]\nx.grad = [100, 100]")


def test_a_second_v_that_torch_ignores_is_refused() -> None:
    said = "^v has 2 parts and y is one tensor; torch uses the first alone$"
    with pytest.raises(ValueError, match=said):
        explain(lambda x: 2 * x, X, (X, X))


UNUSED = torch.ones(2, requires_grad=True)
SMALL: dict[str, tuple[Any, Any, Any, str, str]] = {
    "no v, several outputs": (
        *(lambda x: (2 * x.sum(), x.sum()), X, None),
        *(">>> torch.autograd.backward(y)\n>>> x.grad\ntensor([3., 3.])", ""),
    ),
    "no v, a number": (
        *(lambda x: (x.reshape(2, 1) * 3).sum(), X, None),
        ">>> y.backward()\n>>> x.grad\ntensor([3., 3.])",
        "v      = 1\nJ      = [3, 3]\nvᵀ·J   = [3, 3]\nx.grad = [3, 3]",
    ),
    "no v, one element": (
        *(lambda x: x.sum().reshape(1), X, None, ">>> x.grad\ntensor([1., 1.])"),
        "v      = [1]\nJ      = [1  1]\nvᵀ·J   = [1, 1]\nx.grad = [1, 1]",
    ),
    "x that y does not use": (
        *(lambda x: 2 * UNUSED, X, X, ">>> x.grad\nNone"),
        "v      = [1, 2]\nJ      = [0  0]\n         [0  0]\nvᵀ·J   = [0, 0]\nx.grad = [0, 0]",
    ),
    "a slope that is infinite": (
        *(torch.sqrt, X[:1] * 0, X[:1], ">>> x.grad\ntensor([inf])"),
        "v      = [1]\nJ      = [inf]\nvᵀ·J   = [inf]\nx.grad = [inf]",
    ),
    "a slope that is no number": (
        *(lambda x: x * float("nan"), X[:1], X[:1], ">>> x.grad\ntensor([nan])"),
        "v      = [1]\nJ      = [nan]\nvᵀ·J   = [nan]\nx.grad = [nan]",
    ),
    "no elements": (lambda x: 2 * x, X[:0], X[:0], ">>> x.grad\ntensor([])", ""),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_calls_end_in_a_gradient_that_numbers_repeat(name: str) -> None:
    f, x, v, end, numbers = SMALL[name]
    explained = explain(f, x, v)
    assert explained.transcript.endswith(end)
    assert explained.numbers == numbers


def test_numbers_of_a_jacobian_of_up_to_64_entries() -> None:
    ones = torch.ones(8)
    whole = explain(lambda x: 2 * x, ones, ones)
    assert whole.numbers.endswith(f"x.grad = [{', '.join('2' * 8)}]")
    assert whole.figure is not None
    more = explain(lambda x: torch.cat([2 * x, x[:1]]), ones, torch.ones(9))
    assert (more.numbers, more.figure) == ("", None)


def test_a_large_jacobian_has_neither_formula_nor_numbers() -> None:
    explained = explain(lambda x: 2 * x, torch.ones(100), torch.ones(100))
    reason = "J has 1 x 100 entries; formulas are derived up to 64"
    assert (explained.no_formula, explained.numbers) == (reason, "")
    assert explained.report is not None
    assert explained._repr_html_() == (
        f'<div class="vtj-explanation"><pre>{escape(explained.transcript)}</pre>'
        f"<p>No formula: {reason}</p>{explained.report._repr_html_()}</div>"
    )
    texts = [explained.transcript, f"No formula: {reason}", str(explained.report)]
    assert str(explained) == "\n\n".join(texts)


def test_complex_tensors_get_the_transcript_and_the_report() -> None:
    explained = explain(lambda x: x.abs().sum(), X * 1j)
    assert explained.report
    assert explained.transcript == (
        ">>> x\n"
        "tensor([0.+1.j, 0.+2.j], requires_grad=True)\n"
        ">>> y = f(x)\n"
        ">>> y\n"
        "tensor(3., grad_fn=<SumBackward0>)\n"
        ">>> y.backward()\n"
        ">>> x.grad\n"
        "tensor([0.+1.j, 0.+1.j])"
    )
    reason = "No formula: formulas are for real tensors"
    assert str(explained) == f"{explained.transcript}\n\n{reason}\n\n{explained.report}"
    assert explained.outcome.grad.tolist() == [1j, 1j]
    of_real = explain(lambda x: x * 1j, X, torch.ones(2) * 1j)
    assert (of_real.formula, of_real.numbers) == (None, "")
    assert of_real.report


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
    assert explained.failure is not None
    assert html == (
        f'<div class="vtj-explanation"><pre>{escape(explained.transcript)}</pre>'
        f"<p><strong>Why:</strong> {escape(explained.failure.cause)}</p>"
        f"<p><strong>Fix:</strong></p><pre>{escape(explained.failure.fix)}</pre></div>"
    )
    assert explained.outcome.error is explained.failure.error
    assert (explained.report, explained.formula, explained.numbers) == (None, None, "")


def test_an_error_of_f_itself_has_no_fix() -> None:
    explained = explain(lambda x: x * {}["scale"], X)
    assert explained.transcript.endswith(">>> y = f(x)\nKeyError: 'scale'")
    assert str(explained) == (
        f"{explained.transcript}\n\nWhy: f itself raised this, before any backward."
    )
    assert explained._repr_html_().endswith(
        "<p><strong>Why:</strong> f itself raised this, before any backward.</p></div>"
    )
    assert isinstance(explained.outcome.error, KeyError)


def test_integers_fail_where_they_would() -> None:
    said = "RuntimeError: only Tensors of floating point dtype can require gradients"
    assert explain(lambda x: 2 * x, torch.tensor([1, 2]), X).transcript == (
        ">>> v\ntensor([1., 2.])\n>>> x\ntensor([1, 2])\n>>> x.requires_grad_()\n" + said
    )
    among = explain(lambda a, b: a * b, (X, torch.tensor([1, 2])))
    assert among.transcript == (
        ">>> x\n(tensor([1., 2.]), tensor([1, 2]))\n>>> x.requires_grad_()\n" + said
    )


@pytest.mark.parametrize(
    ("f", "x", "error", "match"),
    [
        (3, X, TypeError, "^f is int; expected a function of tensors$"),
        (lambda x: x, [1.0], TypeError, "x is list; expected a torch.Tensor"),
        (lambda x: x, (), ValueError, "x is an empty tuple"),
    ],
)
def test_bad_input(f: Any, x: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        explain(f, x)
