"""What `check` says of backward passes that are not vᵀ·J, or not always, and of f itself."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj.oracle.findings import LAST_DIGITS
from vtj.report import Report, Row

X = torch.tensor([1.0, 2.0])
V = torch.tensor([1.0, 10.0])
TWICE = 2 * np.eye(2)


def doubled(backward: Callable[[Any, Tensor], Tensor]) -> Callable[..., Any]:
    """Give 2 x with a backward that knows its graph."""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.passes = 0
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            ctx.passes += 1
            return backward(ctx, g)

    return Double.apply


def row(report: Report, what: str) -> Row:
    (found,) = [row for row in report.rows if row.what == what]
    return found


def only(report: Report, finding: str) -> None:
    """Compare the one thing that is told of a wrong backward."""
    assert report.findings == (finding,)
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def test_all_that_a_right_backward_is_asked() -> None:
    report = vtj.check(doubled(lambda ctx, g: 2 * g), X, V, engines=["reverse", "numeric"])
    assert report.verdict == "correct"
    assert [(row.what, row.family, row.result, row.note) for row in report.rows] == [
        ("x.grad", "backward", "agrees", ""),
        ("reverse", "backward", "agrees", ""),
        ("numeric", "numeric", "agrees", ""),
        ("linear in v", "backward", "agrees", ""),
        ("backward repeatable", "", "holds", ""),
        ("a second backward adds", "", "holds", ""),
        ("under create_graph", "", "holds", ""),
        ("v unchanged", "", "holds", ""),
        ("v not contiguous", "", "holds", ""),
        ("v expanded", "", "holds", ""),
        ("another call between", "", "holds", ""),
        ("y repeatable", "", "holds", ""),
        ("x unchanged", "", "holds", ""),
    ]
    errors = [row.error for row in report.rows if row.error is not None]
    assert errors == [0.0] * 10


@pytest.mark.parametrize(("off", "result"), [(0.7e-12, "agrees"), (1.5e-12, "differs")])
def test_a_gradient_differs_from_the_tolerance_on(off: float, result: str) -> None:
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 2 * g * (1 + off * bool(g.all()))

    report = vtj.check(doubled(backward), X, V, jacobian=TWICE)
    assert (row(report, "x.grad").result, row(report, "linear in v").result) == (result, result)
    assert row(report, "x.grad").error == pytest.approx(off * 1e12, rel=0.01)
    assert report.verdict == ("correct" if result == "agrees" else "wrong")


def test_a_second_backward_that_adds_something_else() -> None:
    report = vtj.check(doubled(lambda ctx, g: 2 * g * ctx.passes), X, V)
    only(report, "x.grad[0]: a second backward adds something else: 6 in place of 4")
    failed = row(report, "a second backward adds")
    assert (failed.family, failed.result, failed.note) == ("", "fails", "")
    assert failed.error == pytest.approx(1e12 / 3)


def test_a_backward_that_is_another_under_create_graph() -> None:
    def graph(ctx: Any, g: Tensor) -> Tensor:
        return (3 if torch.is_grad_enabled() else 2) * g

    report = vtj.check(doubled(graph), X, V[:2] * 2)
    assert row(report, "under create_graph").result == "fails"
    assert report.findings[0].endswith(
        "the backward is another under create_graph=True: 60 in place of 40"
    )
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def test_a_backward_that_does_not_repeat() -> None:
    runs = itertools.count()

    def unsteady(ctx: Any, g: Tensor) -> Tensor:
        return (2 + (g.count_nonzero() > 1) * next(runs) * 1e-6) * g

    report = vtj.check(doubled(unsteady), X, V)
    assert report.findings[0].startswith("x.grad[")
    assert "]: the backward is not repeatable: 2" in report.findings[0]
    assert row(report, "backward repeatable").result == "fails"
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def test_a_random_backward_is_called_random() -> None:
    """It draws the same numbers at every call of f, so that J alone shows a factor."""
    report = vtj.check(doubled(lambda ctx, g: (2 + 0.01 * torch.rand(1).item()) * g), X, V)
    told = "the backward draws random numbers, others at every call: "
    assert told in report.findings[0], str(report)
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def refusing(when: Callable[[Any, Tensor], Any]) -> Callable[..., Any]:
    """Give 2 x with a backward that refuses some gradients."""

    def backward(ctx: Any, g: Tensor) -> Tensor:
        if when(ctx, g):
            raise ValueError("not now. Later")
        return 2 * g

    return doubled(backward)


REFUSED = "ValueError: not now"


@pytest.mark.parametrize(
    ("when", "what"),
    [
        (lambda ctx, g: ctx.passes > 1, "a second backward adds"),
        (lambda ctx, g: torch.is_grad_enabled(), "under create_graph"),
    ],
)
def test_a_graph_that_serves_once_is_no_mistake(when: Any, what: str) -> None:
    report = vtj.check(refusing(when), X, V)
    assert report.verdict == "correct"
    assert row(report, what) == Row(what, "", "not applicable", note=REFUSED)


def test_a_backward_that_raises_for_some_v() -> None:
    report = vtj.check(refusing(lambda ctx, g: (g < 0).any()), X, V)
    only(report, f"x.grad: backward raises {REFUSED}")
    assert row(report, "linear in v") == Row("linear in v", "backward", "fails", note=REFUSED)
    assert row(report, "x.grad").result == "agrees"
    assert row(report, "backward repeatable").result == "holds"


def test_a_backward_that_always_raises() -> None:
    report = vtj.check(refusing(lambda ctx, g: True), X, V)
    only(report, f"x.grad: backward raises {REFUSED}")
    assert row(report, "x.grad") == Row("x.grad", "backward", "fails", note=REFUSED)
    assert row(report, "linear in v") == Row("linear in v", "backward", "fails", note=REFUSED)
    assert not any(row.what == "backward repeatable" for row in report.rows)


def test_a_backward_that_writes_into_v() -> None:
    v = V.double()
    report = vtj.check(doubled(lambda ctx, g: g.mul_(2)), X, v)
    assert v.tolist() == [1, 10]
    assert report.findings[0] == "v: backward writes into v, its gradient argument"
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert row(report, "v unchanged") == Row("v unchanged", "", "fails")


@pytest.mark.parametrize(
    ("wrong", "of_v"),
    [(torch.abs, "agrees"), (lambda g: g.clamp(-1, 1), "differs")],
    ids=["abs", "clamp"],
)
def test_a_backward_that_is_not_linear_in_v(wrong: Any, of_v: str) -> None:
    """Its passes with one-hot v are right."""
    report = vtj.check(doubled(lambda ctx, g: 2 * wrong(g)), X, V)
    assert (report.verdict, report.culprit, len(report.findings)) == ("wrong", "backward", 1)
    assert report.findings[0].endswith(": the backward is wrong (not linear in v)")
    assert row(report, "linear in v").result == "differs"
    assert row(report, "x.grad").result == of_v
    assert row(report, "reverse").result == "agrees"
    if of_v == "differs":
        assert report.findings[0].startswith("x.grad[1]: backward 2, numeric 20: ")


def test_where_one_hot_v_were_not_asked_the_mistake_in_x_grad_is_named() -> None:
    def check(wrong: Callable[[Tensor], Tensor]) -> Report:
        f = doubled(lambda ctx, g: wrong(g))
        return vtj.check(f, X, V, engines=["numeric"], jacobian=TWICE)

    told = "x.grad[1]: by hand 20, backward {}, numeric 20: the backward is wrong{}"
    only(check(lambda g: 3 * g), told.format(30, " (the factor 1.5)"))
    only(check(lambda g: 2 * g.clamp(-1, 1)), told.format(2, ""))


def test_where_one_hot_v_were_not_asked_a_transposed_gradient_is_named() -> None:
    powers, square = torch.tensor([1.0, 2.0, 4.0]).double(), torch.ones(3, 3).double()
    turned = custom(lambda w: w @ powers, lambda w, g: torch.outer(powers, g))
    J = np.kron(np.eye(3), powers).reshape(3, 3, 3)  # noqa: N806 - J is the term
    report = vtj.check(turned, square, powers + 1, engines=["numeric"], jacobian=J)
    assert report.findings[0].endswith(" (the gradient of x is transposed)")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_backward_that_writes_into_what_was_saved_is_wrong(verify: Any) -> None:
    """The first is right, so that all rows but one agree."""

    class Spoils(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(2 * x)
            return x**2

        @staticmethod
        def backward(ctx: Any, *g: Tensor) -> Tensor:
            (slope,) = ctx.saved_tensors
            return slope.mul_(g[0])

    report = verify(Spoils.apply, X)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    (finding,) = report.findings
    assert finding.endswith("it writes into what was saved")
    assert row(report, "a second backward adds").result == "fails"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("factor", [2, 3])
def test_a_backward_may_free_what_was_kept(verify: Any, factor: int) -> None:
    """A second one raises then, which deceives nobody; what is wrong is wrong."""

    class Frees(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.x = x
            return x**2

        @staticmethod
        def backward(ctx: Any, *g: Tensor) -> Tensor:
            x, ctx.x = ctx.x, None
            return factor * x * g[0]

    report = verify(Frees.apply, X)
    if factor == 2:
        assert report, report
        assert row(report, "a second backward adds").result == "not applicable"
        assert row(report, "another call between").result == "holds"
    else:
        assert "the backward is wrong (the factor 1.5" in report.findings[0]


def test_what_is_said_of_j_is_not_said_again_of_x_grad() -> None:
    """Formulas that are good to nine digits only are not wrong, J by hand or not."""

    def slope(x: tuple[Tensor], by: Tensor) -> Tensor:
        return by * x[0].cos() * (1 + 5e-9)

    f = custom(torch.sin, slope, slope)
    for J in (None, np.diag(np.cos(X.double().numpy()))):  # noqa: N806 - J is the term
        report = vtj.check(f, X, V, jacobian=J)
        assert (report.verdict, report.culprit) == ("undecided", None)
        (finding,) = report.findings
        assert finding.endswith(f": {LAST_DIGITS}")
    assert row(report, "x.grad").result == "differs"


def test_nine_digits_do_not_excuse_what_is_not_linear_in_v() -> None:
    def slope(x: tuple[Tensor], by: Tensor) -> Tensor:
        return by * x[0].cos() * (1 + 5e-9)

    f = custom(torch.sin, lambda x, g: slope(x, g.abs()), slope)
    report = vtj.check(f, X, -V, jacobian=np.diag(np.cos(X.double().numpy())))
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings[1].endswith(": the backward is wrong (not linear in v)")


def test_a_gradient_that_is_none() -> None:
    note = "x.grad is None: nothing leads from y to x"
    report = vtj.check(lambda x: torch.ones(2), X, V)
    assert report.verdict == "correct"
    assert row(report, "x.grad").note == row(report, "linear in v").note == note
    refused = row(report, "a second backward adds")
    assert refused.result == "not applicable"
    assert refused.note.startswith("RuntimeError: element 0 of tensors does not require grad")
    assert row(report, "backward repeatable").result == "holds"
    several = vtj.check(lambda a, b: 1 * a, (X, X), V)
    assert row(several, "x.grad").note == ""
    assert row(vtj.check(lambda a, b: torch.ones(2), (X, X), V), "x.grad").note == note


def test_a_gradient_beside_one_that_is_no_number() -> None:
    def beside(ctx: Any, g: Tensor) -> Tensor:
        return 2 * g * torch.tensor([ctx.passes, torch.nan])

    report = vtj.check(doubled(beside), X, V)
    assert row(report, "a second backward adds").result == "fails"
    assert row(report, "under create_graph").result == "holds"


def test_a_gradient_in_the_memory_of_v() -> None:
    what = "x.grad and v"
    report = vtj.check(lambda x: x.view(2, 1), X, V[:, None])
    assert row(report, what) == Row(what, "", "note", note="x.grad lies in the memory of v")
    for f in (lambda x: x * 1, torch.sin):
        assert all(row.what != what for row in vtj.check(f, X, V).rows)


def varying(name: Callable[[Tensor, Tensor], Any]) -> Callable[[Tensor], Any]:
    calls = itertools.count(1)
    return lambda x: name(x, torch.tensor([1.0, 1.0 + 1.0 / next(calls)]))


@pytest.mark.parametrize(
    ("make", "name"),
    [(lambda x, c: x * c, "y[1]"), (lambda x, c: (1 * x, x * c), "y[1][1]")],
    ids=["tensor", "tuple"],
)
def test_an_f_that_gives_another_value_at_every_call(make: Any, name: str) -> None:
    report = vtj.check(varying(make), X)
    assert report.findings == (f"{name}: f gives another value at every call",)
    assert (report.verdict, report.culprit) == ("wrong", "f")
    assert row(report, "y repeatable") == Row("y repeatable", "", "fails")


def test_an_f_whose_last_digit_varies_repeats() -> None:
    calls = itertools.count()
    f = custom(lambda x: x * (2 + 2**-51 * (next(calls) % 2)), lambda x, g: 2 * g)
    assert row(vtj.check(f, X, V), "y repeatable").result == "holds"


def test_an_f_that_writes_into_its_input() -> None:
    def f(x: Tensor) -> Tensor:
        y = 2 * x
        with torch.no_grad():
            x.mul_(3)
        return y

    report = vtj.check(f, X, V)
    assert report.findings == ("x: f writes into its input",)
    assert (report.verdict, report.culprit) == ("wrong", "f")
    assert row(report, "x unchanged") == Row("x unchanged", "", "fails")


@pytest.mark.parametrize(
    ("f", "value"),
    [
        (lambda x: 1 / (x - torch.tensor([0.0, 2.0])), "y[1] is inf"),
        (lambda x: torch.log(x - torch.tensor([0.0, 4.0])), "y[1] is nan"),
        (lambda x: torch.log(x - torch.tensor([1.0, 2.0])), "y[0] is -inf"),
    ],
)
def test_values_that_are_no_numbers(f: Any, value: str) -> None:
    report = vtj.check(f, X, V)
    assert report.findings[0] == f"{value}: there is no derivative"
    assert report.verdict == "undecided"
    assert row(report, "y finite") == Row("y finite", "", "fails")


def test_what_f_keeps_is_named() -> None:
    norm = torch.nn.BatchNorm1d(2).double()
    report = vtj.check(norm, torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]))
    names = "running_mean, running_var, num_batches_tracked"
    note = f"f changed {names}; put back"
    assert row(report, "state of f") == Row("state of f", "f", "note", note=note)


@pytest.mark.parametrize(
    ("f", "note"),
    [
        (lambda x: x.float() * 2, "f works in float32: compared to 1e-05, relative"),
        (lambda x: x.half() * 2, "f works in float16: compared to 0.01, relative"),
        (lambda x: x.bfloat16() * 2, "f works in bfloat16: compared to 0.1, relative"),
    ],
)
def test_less_than_float64_is_noted(f: Any, note: str) -> None:
    assert row(vtj.check(f, X, V), "precision") == Row("precision", "", "note", note=note)
    assert all(row.what != "precision" for row in vtj.check(lambda x: 2 * x, X, V).rows)


@pytest.mark.parametrize("turns", [2, 3])
def test_a_backward_that_takes_turns_has_one_finding(turns: int) -> None:
    """No mistake in J is named of it: it has none."""
    calls = []

    def alternating(x: tuple[Tensor], g: Tensor) -> Tensor:
        calls.append(None)
        return g * x[0].cos() * (1 + 0.01 * (len(calls) % turns))

    report = vtj.check(custom(torch.sin, alternating), X)
    assert (report.verdict, len(report.findings)) == ("wrong", 1)
    assert "factor" not in report.findings[0]
