"""What `check` asks whom, what it takes for v, and where it hands on to `certify`."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import vtj
from tests.zoo.bug import custom

X = torch.tensor([1.0, 2.0])
TALL = torch.tensor([0.5, 1.5, 2.5], dtype=torch.float64)
WEIGHTS = torch.linspace(-1, 1, 12_000, dtype=torch.float64).reshape(4000, 3)


def tall(x: Tensor) -> Tensor:
    """Have more outputs than a dense J is made for."""
    return WEIGHTS @ x**2


def tall_jacobian(x: Any) -> Any:
    """Give its J by hand."""
    return 2 * WEIGHTS.numpy() * x


def rows(report: vtj.Report) -> list[tuple[str, str]]:
    """Give who spoke, and what came of it."""
    return [(row.what, row.result) for row in report.rows]


OFF = custom(torch.sin, lambda x, g: 1.25 * g * x[0].cos(), lambda x, u: u * x[0].cos())
ALL = [name for name, engine in vtj.engines.ENGINES.items() if engine.default]


@pytest.mark.parametrize(
    ("f", "engines", "against"),
    [
        (OFF, ["reverse", "forward", "numeric"], ["x.grad", "reverse"]),
        (lambda x: x**3, None, []),
        (torch.sin, ["jacrev", "numeric"], []),
    ],
    ids=["a wrong backward against all others", "all", "those asked for alone"],
)
def test_the_engines_asked_speak(f: Any, engines: list[str] | None, against: list[str]) -> None:
    report = vtj.check(f, X, torch.tensor([1.0, 10.0]), engines=engines)
    assert report.culprit == ("backward" if against else None)
    who = ["x.grad", *(engines or ALL)]
    told = [(what, "differs" if what in against else "agrees") for what in who]
    assert rows(report)[: len(who)] == told


@pytest.mark.parametrize("f", [torch.sin, lambda x: x.softmax(0).sum(), nn.Dropout(0.5)])
def test_twice_the_same_report(f: Any) -> None:
    x = torch.linspace(0.3, 2, 7)
    assert vtj.check(f, x, seed=3) == vtj.check(f, x, seed=3)


def test_the_seed_fixes_v_where_it_is_omitted_and_what_f_draws() -> None:
    ones = torch.ones(20)
    for f, v in ((torch.sin, None), (nn.functional.dropout, ones)):
        kept = [vtj.check(f, ones, v, seed=seed).evidence for seed in (1, 1, 2)]
        first, again, other = (one.grad[0].value.tolist() for one in kept)
        assert first == again != other


def left_in_grad(report: vtj.Report) -> Any:
    return report.evidence.grad[0].value.tolist()


@pytest.mark.parametrize(
    "f",
    [lambda x: x @ x, lambda x: (x @ x,), lambda x: (x @ x)[None]],
    ids=["scalar", "tuple", "vector"],
)
def test_a_scalar_needs_no_v_and_may_have_one(f: Any) -> None:
    v = like(f(X), torch.tensor(10.0))
    assert left_in_grad(vtj.check(f, X)) == [2.0, 4.0]
    assert left_in_grad(vtj.check(f, X, v)) == [20.0, 40.0]


def like(y: Any, v: Tensor) -> Any:
    """Give v in the form of y."""
    return (v,) if isinstance(y, tuple) else v.reshape(y.shape)


def test_two_scalars_need_a_v() -> None:
    """Omitted, each has one of its own."""
    report = vtj.check(lambda x: (x[0] * 1, x[1] * 1), X)
    drawn = left_in_grad(report)
    assert drawn == report.evidence.v.tolist()
    assert abs(drawn[0]) != abs(drawn[1])


def test_v_is_cast_to_what_f_computes_in() -> None:
    v = torch.tensor([1.0, 10.0], dtype=torch.float16, requires_grad=True)
    assert left_in_grad(vtj.check(lambda x: 3 * x**2, X, v)) == [6.0, 120.0]


def test_none_of_the_engines_applies() -> None:
    report = vtj.check(custom(torch.sin, lambda x, g: g), X, engines=["forward"])
    assert str(report).splitlines()[:2] == [
        "undecided: J (2, 2)",
        "none of the engines asked applies: forward",
    ]


def test_beyond_ten_thousand_entries_certify_decides() -> None:
    assert vtj.check(lambda x: x**2, torch.linspace(1, 2, 100)).evidence is not None
    for f, x in ((lambda x: x**2, torch.linspace(1, 2, 101)), (tall, TALL)):
        report = vtj.check(f, x, seed=4)
        *rows, told = report.rows
        assert told.note == "J has over 10,000 entries: certify compared it along directions"
        assert replace(report, rows=tuple(rows)) == vtj.certify(f, x, seed=4)
        assert rows != list(vtj.certify(f, x, seed=5).rows)
        assert report.evidence is None


def test_a_jacobian_by_hand_is_handed_on_to_certify() -> None:
    right = tall_jacobian(TALL.numpy())
    wrong = right.copy()
    wrong[1234, 1] += 1e-3
    for J in (right, tall_jacobian):  # noqa: N806 - J is the term
        assert ("x.grad = vᵀ·J by hand", "agrees") in rows(vtj.check(tall, TALL, jacobian=J))
    for J in (wrong, lambda x: wrong):  # noqa: N806 - J is the term
        report = vtj.check(tall, TALL, jacobian=J)
        assert (report.verdict, report.culprit) == ("wrong", "jacobian")
        assert report.findings[0].startswith("dy[1234]/dx[1]: by hand ")


def test_engines_asked_for_by_name_are_asked_however_large_j_is() -> None:
    report = vtj.check(tall, TALL, engines=["forward", "numeric"])
    assert report.title == "J (4000, 3) in float64, found in 2 independent ways"


def test_the_second_order_asks_the_same_engines_and_says_who_cannot_be_asked() -> None:
    report = vtj.check(lambda x: x**3, X, engines=ALL, order=2)
    second = {row.what.removeprefix("order 2: "): row for row in report.rows[13:]}
    assert set(list(second)[:6]) == {"x.grad", *ALL}
    for name in ("reverse", "jacrev", "forward", "numeric"):
        assert second[name].result == "agrees"
    assert second["jacfwd"].result == "not applicable"
    assert "requires_grad_" in second["jacfwd"].note


DETACHED = custom(lambda x: x**3, lambda x, g: 3 * x[0].detach() ** 2 * g)
"""Its double backward is 0."""


def test_the_second_order_is_checked_at_v() -> None:
    """The gradient is v·3x², whose derivative by x is v·6x."""
    report = vtj.check(DETACHED, X[1:], torch.tensor([10.0]), order=2)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings[0].startswith("order 2: dy[0]/dx[0][0]: backward 0, numeric 120")


def test_the_second_order_of_every_input() -> None:
    """An input that y does not depend on has a gradient of zeros, and so has its gradient."""
    x, v = (X[1:], X[1:], X[1:]), torch.tensor([10.0])
    report = vtj.check(lambda a, b, c: a**2 + DETACHED(b), x, v, order=2)
    assert report.culprit == "backward"
    assert report.findings[0].startswith("order 2: dy[1][0]/dx[1][0]: backward 0, numeric 120")
    assert vtj.check(lambda a, b, c: a**2 + b**3, x, v, order=2)


TRANSPOSED = custom(lambda x, w: x @ w.T, lambda x, g: (g @ x[1], x[0].T @ g))
"""A linear layer with the gradient of its weight transposed."""


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[1.0, 3.0], [2.0, -1.0]]))

    def forward(self, *x: Tensor) -> Tensor:
        return TRANSPOSED(sum(x), self.weight.to(x[0]))


RIGHT = torch.nn.Linear(2, 2, bias=False)
LAYER, CONSTANTS = Layer(), [torch.ones(2, requires_grad=True)]
POINTS = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("question", ["check", "certify"])
@pytest.mark.parametrize(
    ("f", "x", "told"),
    [
        (lambda x: LAYER(x), POINTS, "LAYER.weight (2, 2)"),
        (lambda *x: LAYER(*x), (POINTS, POINTS), "LAYER.weight (2, 2)"),
        (partial(lambda layer, x: layer(x), LAYER), POINTS, "f.args[0].weight (2, 2)"),
        (lambda x: TRANSPOSED(x, RIGHT.weight.to(x)) + 1, POINTS, "RIGHT.weight (2, 2)"),
        (
            lambda x: RIGHT(x) + LAYER(x),
            POINTS,
            "RIGHT.weight (2, 2), LAYER.weight (2, 2)",
        ),
    ],
    ids=["a function", "of two inputs", "a partial", "f is wrong, the module right", "two modules"],
)
def test_parameters_that_x_does_not_hold_are_named_and_can_be_checked(
    question: str, f: Any, x: Any, told: str
) -> None:
    report = getattr(vtj, question)(f, x)
    assert report.verdict == "undecided"
    assert [row.note for row in report.rows if row.what == "not checked"] == [told]
    named, _, lines = report.findings[-1].partition("; to check them too: ")
    assert named == f"not checked, since x does not hold them: {told}"
    *before, call = lines.split("; ")
    assert call.startswith(f"vtj.{question}(")
    pasted = {"f": f, "x": x, "vtj": vtj, "torch": torch, "LAYER": LAYER, "RIGHT": RIGHT}
    exec("\n".join(before), pasted)
    again = eval(call, pasted)
    assert again.culprit == "backward"


@pytest.mark.parametrize("question", ["check", "certify"])
def test_what_is_pasted_calls_the_right_f_correct(question: str) -> None:
    """Of ``3 * m(x) ** 2`` the gradients are those of all of it, and not of m alone."""
    seen = []

    def f(x: Tensor) -> Tensor:
        seen.append(x)
        return 3 * RIGHT(x) ** 2

    lines = getattr(vtj, question)(f, POINTS).findings[-1].partition("; to check them too: ")[2]
    *before, call = lines.split("; ")
    pasted = {"f": f, "x": POINTS, "vtj": vtj, "torch": torch, "RIGHT": RIGHT}
    exec("\n".join(before), pasted)
    seen.clear()
    assert eval(call, pasted)
    assert seen


def test_what_to_do_is_said_of_a_module_that_is_f_itself() -> None:
    report = vtj.check(RIGHT, POINTS[0], jacobian=RIGHT.weight.detach())
    assert "hand in the plain module" in report.findings[-1]
    assert "without J by hand" in report.findings[-1]
    assert vtj.check(RIGHT, POINTS)


@pytest.mark.parametrize("order", [1, 2])
def test_a_leaf_that_no_name_leads_to_is_told_by_its_shape_and_once(order: int) -> None:
    report = vtj.check(lambda x: x @ CONSTANTS[0], POINTS, order=order)
    told = "make them arguments of f and parts of x, or detach() constants"
    assert report.findings == (f"not checked, since x does not hold them: a tensor (2,); {told}",)
    assert [row.what for row in report.rows if "not checked" in row.what] == ["not checked"]
    assert CONSTANTS[0].requires_grad
    assert vtj.check(lambda x, w: x @ w, (POINTS, CONSTANTS[0]))
    assert vtj.check(lambda x: x @ CONSTANTS[0].detach(), POINTS)


def test_what_is_wrong_stays_wrong_beside_parameters_that_nobody_checked() -> None:
    report = vtj.check(lambda x: LAYER(x) + x.detach(), POINTS)
    assert report.verdict == "wrong"
    assert report.findings[-1].startswith("not checked")
