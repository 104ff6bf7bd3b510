"""Which entry `certify` finds, what everybody says of it, and whose fault it is."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, vector
from vtj.engines import FAMILIES
from vtj.oracle.findings import LAST_DIGITS, MEANT, SPLIT_VOTE
from vtj.oracle.locating import bisect

X = vector(5)
CONCLUSIONS = {family.culprit: family.conclusion for family in FAMILIES.values()}


def f(x: Tensor) -> Tensor:
    """Have a J with two diagonals and a full column, no two entries of a row alike."""
    return x**2 + x[0] * x.roll(1)


def jacobian(x: Any) -> Any:
    """Give it, by hand."""
    before = np.roll(np.arange(5), 1)
    J = 2 * np.diag(x)  # noqa: N806 - J is the term
    J[range(5), before] += x[0]
    J[:, 0] += x[before]
    return J


RIGHT = jacobian(X.numpy())
BY_TORCH = torch.from_numpy(RIGHT)


def backward(wrong: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """Give f with what `wrong` makes of v for its backward, and no forward derivative."""
    return custom(f, lambda x, g: wrong(g))


def both(wrong: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """Give f with such a backward, and a right forward derivative."""
    return custom(f, lambda x, g: wrong(g), lambda x, u: BY_TORCH @ u)


def entry(row: int, column: int, by: float) -> Any:
    """Give J by hand with another value in one entry."""
    J = RIGHT.copy()  # noqa: N806 - J is the term
    J[row, column] += by
    return J


def test_the_jacobian_by_hand_is_right() -> None:
    np.testing.assert_allclose(torch.autograd.functional.jacobian(f, X).numpy(), RIGHT)


@pytest.mark.parametrize("size", range(1, 10))
def test_halving_finds_every_position(size: int) -> None:
    weights = np.arange(1.0, size + 1)
    for at in range(size):
        seen = []

        def gap(some: Any, at: int = at, seen: Any = seen) -> float:
            seen.append(some)
            return float(some[at])

        assert bisect(weights, gap, weights[at]) == (at, 1)
        assert len(seen) <= np.ceil(np.log2(size))
        assert all((some[some != 0] == weights[some != 0]).all() for some in seen)


def test_halving_follows_the_larger_part_and_counts_halves_in_which_there_is_a_gap() -> None:
    gaps = np.array([0, 3, 0, 0, -1, 0, 0, 1e-9])
    assert bisect(np.ones(8), lambda some: some @ gaps, gaps.sum(), 1e-6) == (1, 2)
    assert bisect(np.ones(8), lambda some: some @ gaps, gaps.sum()) == (1, 2)
    assert bisect(np.ones(4), lambda some: some @ np.array([1, 2, 4, 8]), 15) == (3, 3)


JACOBIAN, BACKWARD, UNSEEN = (CONCLUSIONS[culprit] for culprit in ("jacobian", "backward", "f"))


def _without_count(match: re.Match[str]) -> str:
    """Take out how many entries there are, with the comma or the brackets around it."""
    return "" if match[1] == " (" else match[2]


def told(report: vtj.Report, **said: Any) -> tuple[tuple[int, int], str]:
    """Give the entry and what is concluded, of which the values told are those of these J."""
    finding = re.sub(
        r"(, | \(|)(?:at least )?\d+ of 25 entries(\)?)", _without_count, report.findings[0]
    )
    match = re.fullmatch(r"dy\[(\d)\]/dx\[(\d)\]: (.*?): (.*)", finding)
    assert match, report.findings
    at = int(match[1]), int(match[2])
    values = ((name.replace("_", " "), float(J[at])) for name, J in said.items())
    assert match[3] == ", ".join(f"{name} {value:.6g}" for name, value in values)
    return at, match[4]


def everybody(J: Any) -> dict[str, Any]:  # noqa: N803 - J is the term
    """Let all but a J by hand say the same."""
    return dict.fromkeys(("backward", "forward", "numeric"), J)


ZERO = "a missing term: zero where it should not be"


@pytest.mark.parametrize(
    ("row", "column", "by", "named"),
    [(3, 1, 0.5, " (a term too many)"), (0, 4, 0.6, ""), (4, 0, -1.575, f" ({ZERO})")],
)
def test_an_entry_of_a_wrong_jacobian(row: int, column: int, by: float, named: str) -> None:
    wrong = entry(row, column, by)
    report = vtj.certify(f, X, wrong)
    assert told(report, by_hand=wrong, **everybody(RIGHT)) == ((row, column), JACOBIAN + named)
    assert (report.verdict, report.culprit, len(report.findings)) == ("wrong", "jacobian", 1)


@pytest.mark.parametrize(("row", "other"), [(1, 3), (3, 1)])
def test_of_two_entries_in_a_column_the_one_that_is_more_wrong(row: int, other: int) -> None:
    wrong = entry(row, 0, 5.0)
    wrong[other, 0] += 0.5
    report = vtj.certify(f, X, wrong)
    assert told(report, by_hand=wrong, **everybody(RIGHT)) == ((row, 0), JACOBIAN)


@pytest.mark.parametrize(("factor", "name"), [(2, "the factor 2"), (-1, "the opposite sign")])
def test_what_is_wrong_with_all_of_a_jacobian(factor: int, name: str) -> None:
    report = vtj.certify(f, X, factor * RIGHT)
    at, concluded = told(report, by_hand=factor * RIGHT, **everybody(RIGHT))
    assert RIGHT[at] != 0
    assert concluded == f"{JACOBIAN} ({name})"


def one_more(g: Tensor) -> Tensor:
    grad = BY_TORCH.T @ g
    grad[4] += 0.25 * g[2]
    return grad


WRONG: dict[str, tuple[Callable[[Tensor], Tensor], Any, str]] = {
    "an entry": (one_more, entry(2, 4, 0.25), " (a term too many)"),
    "a factor": (lambda g: 3 * (BY_TORCH.T @ g), 3 * RIGHT, " (the factor 3)"),
    "zero": (lambda g: 0 * g.abs(), 0 * RIGHT, f" ({ZERO})"),
    "transposed": (lambda g: BY_TORCH @ g, RIGHT.T, " (transposed)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_entry_of_a_wrong_backward(name: str) -> None:
    """The mistake is named too, beside a J by hand and without one."""
    function, wrong, named = WRONG[name]
    for f_with, forward in ((backward(function), {}), (both(function), {"forward": RIGHT})):
        for by_hand in ({"by_hand": RIGHT}, {}):
            report = vtj.certify(f_with, X, by_hand.get("by_hand"))
            at, concluded = told(report, **by_hand, backward=wrong, **forward, numeric=RIGHT)
            assert (report.verdict, report.culprit) == ("wrong", "backward")
            assert concluded == BACKWARD + named
            assert wrong[at] != RIGHT[at]


@pytest.mark.parametrize("wrong", [torch.abs, lambda g: g.clamp(-1, 1)], ids=["abs", "clamp"])
@pytest.mark.parametrize("kind", [backward, both])
def test_a_backward_that_is_not_linear_in_v_is_no_kink(wrong: Any, kind: Any) -> None:
    """Each of its entries is right, but for the last digit."""
    of_v = kind(lambda g: BY_TORCH.T @ wrong(g))
    for J, what in ((RIGHT, "x.grad["), (None, "⟨x.grad, u⟩ = ⟨v, J·u⟩ ")):  # noqa: N806
        report = vtj.certify(of_v, X, J)
        assert (report.verdict, report.culprit) == ("wrong", "backward")
        (finding,) = report.findings
        assert finding.startswith(what)
        assert finding.endswith(f": {BACKWARD} (not linear in v)")


def test_a_gradient_that_is_not_linear_in_v_is_told_where_it_is_most_wrong() -> None:
    def cubed(g: Tensor) -> Tensor:
        return torch.cat([g[:2], g[2:3] ** 3, g[3:]])

    report = vtj.certify(custom(lambda x: 1 * x, lambda x, g: cubed(g)), X, np.eye(5))
    match = re.fullmatch(
        rf"x\.grad\[2\]: by hand (\S+), backward (\S+): {BACKWARD} \(not linear in v\)",
        report.findings[0],
    )
    assert match
    assert float(match[2]) == pytest.approx(float(match[1]) ** 3, rel=1e-4)


class Torn:
    """Its products are those of two matrices."""

    shape = (5, 5)

    def __init__(self, left: Any, right: Any) -> None:
        self._left, self._right = left, right

    def __matmul__(self, u: Any) -> Any:
        return self._right @ u

    def __rmatmul__(self, v: Any) -> Any:
        return v @ self._left


def test_a_difference_without_an_entry_is_told_where_it_is_largest() -> None:
    report = vtj.certify(f, X, Torn(2 * RIGHT, RIGHT))
    (finding,) = report.findings
    match = re.fullmatch(
        r"x\.grad\[\d\]: by hand (\S+), backward (\S+): no single entry that differs was found; .+",
        finding,
    )
    assert match
    assert float(match[1]) == pytest.approx(2 * float(match[2]), rel=1e-4)
    assert (report.verdict, report.culprit) == ("undecided", None)


def partly_detached(x: Tensor) -> Tensor:
    return x**2 + x[0].detach() * x.roll(1)


PARTLY = RIGHT.copy()
PARTLY[:, 0] -= X.roll(1).numpy()
SQUARE = 2 * np.diag(X.numpy())
DETACHED: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "alone": (partly_detached, {"backward": PARTLY, "forward": PARTLY, "numeric": RIGHT}),
    "J errs alike": (
        partly_detached,
        {"by_hand": PARTLY, "backward": PARTLY, "forward": PARTLY, "numeric": RIGHT},
    ),
    "J is right": (
        partly_detached,
        {"by_hand": RIGHT, "backward": PARTLY, "forward": PARTLY, "numeric": RIGHT},
    ),
    "no way": (
        lambda x: f(x.detach()),
        {"backward": 0 * RIGHT, "forward": 0 * RIGHT, "numeric": RIGHT},
    ),
    "no_grad": (
        torch.no_grad()(lambda x: x**2),
        {"by_hand": SQUARE, "backward": 0 * SQUARE, "forward": SQUARE, "numeric": SQUARE},
    ),
}


@pytest.mark.parametrize("name", DETACHED)
def test_an_entry_that_autograd_does_not_see(name: str) -> None:
    """Alone, x.grad and a forward pass agree, and only differences contradict the two."""
    function, said = DETACHED[name]
    report = vtj.certify(function, X, said.get("by_hand"))
    at, concluded = told(report, **said)
    zero = not (said["backward"].any() or said["forward"].any())
    named = f"a detached path{': zero where it should not be' if zero else ''}"
    assert (report.verdict, report.culprit) == ("wrong", "f")
    assert concluded == f"{UNSEEN} ({named}); {MEANT}"
    assert said["backward"][at] != said["numeric"][at]


def found(report: vtj.Report, verdict: str, culprit: str | None, finding: str) -> None:
    """Compare all that is told of one fault."""
    assert report.findings[0] == finding.format(CONCLUSIONS.get(culprit or ""))
    assert (report.verdict, report.culprit) == (verdict, culprit)


def test_an_entry_of_several_inputs_and_outputs() -> None:
    def g(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        factor = torch.stack([b[0], torch.ones_like(b[0])])
        return a.sum() * b, a[:2] ** 2 * factor.detach()

    said = "dy[1][0]/dx[1][0]: backward 0, forward 0, numeric 0.36"
    finding = f"{said}: {{}} (a detached path: zero where it should not be); {MEANT}"
    found(vtj.certify(g, (vector(3), vector(2))), "wrong", "f", finding)


def test_beside_an_element_that_is_all_noise_the_wrong_one_is_found() -> None:
    """The row of J by hand that contradicts the differences by more than they may be off."""

    def noisy(x: Tensor) -> Tensor:
        teeth = 1e-3 * torch.frac(1e15 * torch.sin(x[0]))
        return torch.stack([x[0] ** 2 + teeth + x[1], x[0] * x[1]])

    def right(x: tuple[Tensor], g: Tensor) -> Tensor:
        a, b = x[0]
        return torch.stack([2 * a * g[0] + b * g[1], g[0] + a * g[1]])

    a, b = X[:2].tolist()
    J = np.array([[2 * a, 1], [b + 1e-3, a]])  # noqa: N806 - J is the term
    report = vtj.certify(custom(noisy, right), X[:2], J)
    finding = "dy[1]/dx[0]: by hand 0.926, backward 0.925, numeric 0.925: {}"
    found(report, "wrong", "jacobian", finding)


AT_KINKS = torch.tensor([0.0, 1.0])
MEET = "dy[0]/dx[0]: torch chose 0 where the slope {}: kinks inside f meet; move x off them"


@pytest.mark.parametrize("J", [None, np.eye(2), np.diag([0.0, 1.0])])
def test_kinks_that_meet_are_nobody_s_fault(J: Any) -> None:  # noqa: N803 - J is the term
    report = vtj.certify(lambda x: torch.relu(x) - torch.relu(-x), AT_KINKS, J)
    found(report, "undecided", None, MEET.format("is 1"))


def test_a_gradient_without_a_kink_nearby_is_wrong_all_the_same() -> None:
    """Its derivatives nearby are not the slope either."""
    steep = custom(torch.sin, lambda x, g: 2 * g * x[0].cos(), lambda x, u: u * x[0].cos())
    finding = "dy[0]/dx[0]: backward 2, forward 1, numeric 1: {} (the factor 2)"
    found(vtj.certify(steep, torch.zeros(1)), "wrong", "backward", finding)


def off_by(part: float, *, forward: bool = True) -> Callable[..., Any]:
    """Give a sine whose derivatives are off by that part."""

    def slope(x: tuple[Tensor], by: Tensor) -> Tensor:
        return by * x[0].cos() * (1 + part)

    return custom(torch.sin, slope, slope if forward else None)


COSINES = np.diag(np.cos(X.numpy()))


@pytest.mark.parametrize("J", [None, COSINES])
def test_formulas_that_are_good_to_some_digits_are_not_wrong(J: Any) -> None:  # noqa: N803
    report = vtj.certify(off_by(5e-9), X, J)
    assert (report.verdict, report.culprit) == ("undecided", None)
    (finding,) = report.findings
    assert finding.endswith(f": {LAST_DIGITS}")
    report = vtj.certify(off_by(2e-8), X, J)
    assert (report.verdict, report.culprit) == ("wrong", "f")


def test_a_backward_alone_is_wrong_in_its_last_digits_too() -> None:
    report = vtj.certify(off_by(1e-9, forward=False), X, COSINES)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    count = "5 of 25 entries"
    assert report.findings[0].endswith(f": {BACKWARD} (the factor 1.000000001, {count})")


def teeth(x: Tensor) -> Tensor:
    """Give a square with teeth so small that no difference sees past them."""
    return x**2 + 1e-3 * torch.frac(1e15 * torch.sin(x))


@pytest.mark.parametrize("at", range(3))
def test_backward_and_forward_with_nobody_to_decide(at: int) -> None:
    thirty = torch.ones(3).double()
    thirty[at] = 30

    def right(x: tuple[Tensor], by: Tensor) -> Tensor:
        return 2 * x[0] * by

    def wrong(x: tuple[Tensor], by: Tensor) -> Tensor:
        return 2 * x[0] * by * thirty

    a = 2 * float(X[at])
    for derivatives, said in (
        ((right, wrong), f"backward {a:.6g}, forward {30 * a:.6g}"),
        ((wrong, right), f"backward {30 * a:.6g}, forward {a:.6g}"),
    ):
        report = vtj.certify(custom(teeth, *derivatives), X[:3])
        finding = f"dy[{at}]/dx[{at}]: {said}: {SPLIT_VOTE}"
        found(report, "undecided", None, finding)


def test_a_forward_derivative_that_differences_contradict() -> None:
    """A square stands beside what is all noise, so that a forward pass is asked."""

    def forward(x: tuple[Tensor], u: Tensor) -> Tensor:
        return 2 * x[0] * u * torch.tensor([1, 3, 1])

    def beside(x: Tensor) -> Tensor:
        return torch.cat([teeth(x[:1]), x[1:] ** 2])

    report = vtj.certify(custom(beside, lambda x, g: 2 * x[0] * g, forward), X[:3])
    finding = "dy[1]/dx[1]: backward 1.85, forward 5.55, numeric 1.85: {}"
    found(report, "wrong", "forward", finding)
