"""Before anyone is accused: what differences repeated with care, and rounding, are asked again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom
from vtj.calling.tensors import Tensors
from vtj.engines.numeric import EPS
from vtj.oracle.blind_spots import ROUNDED_AWAY, least_visible_slope
from vtj.oracle.doubts import settle
from vtj.oracle.findings import MEANT
from vtj.oracle.reexamination import DOUBTS
from vtj.oracle.trial import Trial, try_out
from vtj.oracle.voting import Witness, distance
from vtj.oracle.witnesses import Answers, ask_engines

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
ALL = ("reverse", "forward", "numeric")


def doubtful(f: Callable[..., Any], engines: Any = ALL, jacobian: Any = None) -> bool:
    trial = try_out(f, X)
    heard = ask_engines(trial, engines, jacobian)
    return any(np.any(doubt.sign(heard)) for doubt in DOUBTS)


def again(
    f: Callable[..., Any], x: Tensors = X, engines: Any = ALL, jacobian: Any = None
) -> tuple[Answers, Answers]:
    """Give what is heard first, and what is heard on a second look."""
    trial = try_out(f, x)
    heard = ask_engines(trial, engines, jacobian)
    return heard, settle(heard, DOUBTS)


def by_name(heard: Answers, name: str) -> Witness:
    (one,) = [one for one in heard.witnesses if one.name == name]
    return one


def square(x: Tensor) -> Tensor:
    return x**2


SQUARE = 2 * np.diag([1.0, 2.0])
WRONG = custom(square, lambda x, g: 3 * x[0] * g, lambda x, u: 2 * x[0] * u)


@pytest.mark.parametrize(
    ("f", "engines", "jacobian", "doubt"),
    [
        (square, ALL, None, False),
        (square, ALL, SQUARE, False),
        (square, ("reverse", "numeric"), None, False),
        (square, ("reverse", "forward"), None, False),
        (square, ("numeric",), None, True),
        (square, ("numeric",), SQUARE, False),
        (square, ALL, SQUARE + 1e-9, True),
        (WRONG, ALL, None, True),
        (WRONG, ("forward", "numeric"), None, False),
        (WRONG, ("reverse", "forward"), None, True),
        (lambda x: x + x.detach(), ALL, None, True),
        (lambda x: x + torch.sin(1e15 * x.detach()), ALL, None, True),
        (lambda x: torch.stack([x[0], x[1].detach()]), ("reverse", "forward"), None, False),
        (lambda x: (x[0], x[1].detach()), ("reverse", "forward"), None, True),
    ],
    ids=range(14),
)
def test_what_is_questionable(f: Any, engines: Any, jacobian: Any, doubt: bool) -> None:
    assert doubtful(f, engines, jacobian) == doubt


def off_in_the_second(factor: float) -> Callable[..., Any]:
    """Give a sine whose backward is off by a factor in one of two elements."""
    return custom(
        torch.sin,
        lambda x, g: g * x[0].cos() * torch.tensor([1, factor], dtype=torch.float64),
        lambda x, u: u * x[0].cos(),
    )


def test_where_the_gap_is_gross_no_differences_are_repeated() -> None:
    first, second = again(off_in_the_second(1.5))
    assert first.slopes is not None
    assert second.slopes is not None
    for before, after in zip(first.slopes, second.slopes, strict=True):
        assert before.tolist() == after.tolist()


def test_columns_in_which_nobody_disagrees_stay() -> None:
    """Only the differences of the others are repeated."""
    wrong = off_in_the_second(1.00001)
    first, second = again(wrong)
    assert first.slopes is not None
    assert second.slopes is not None
    for before, after in zip(first.slopes, second.slopes, strict=True):
        assert before[:, 0].tolist() == after[:, 0].tolist()
    assert first.slopes.error[:, 1].tolist() != second.slopes.error[:, 1].tolist()
    assert second.slopes.value[1, 1] == pytest.approx(np.cos(2), rel=1e-11)
    assert [one.name for one in second.witnesses] == list(ALL)
    assert second.cancelling_kinks is not None
    assert not second.cancelling_kinks.any()


def test_alone_all_differences_are_repeated() -> None:
    first, second = again(torch.sin, engines=("numeric",))
    assert first.slopes is not None
    assert second.slopes is not None
    assert (first.slopes.error != second.slopes.error).any(axis=0).all()
    assert second.witnesses[0].value == pytest.approx(np.diag(np.cos([1, 2])), abs=1e-11)


def meet(x: Tensor) -> Tensor:
    return torch.relu(x) - torch.relu(-x)


@pytest.mark.parametrize("other", [0.0, 1.5])
def test_where_kinks_meet_the_differences_are_silent(other: float) -> None:
    x = torch.tensor([other, 0.0], dtype=torch.float64)
    _, second = again(lambda x: meet(x) + x.sum(), x)
    assert second.cancelling_kinks is not None
    at_zero = (x == 0).tolist()
    assert second.cancelling_kinks.tolist() == np.diag(at_zero).tolist()
    numeric = by_name(second, "numeric")
    assert np.asarray(numeric.silent).tolist() == np.diag(at_zero).tolist()


def test_differences_that_are_off_in_their_last_digits_show_no_kink() -> None:
    _, second = again(lambda x: x / 3 + 0.1, jacobian=np.diag([0.3, 0.4]))
    backward, numeric = by_name(second, "reverse").value, by_name(second, "numeric").value
    assert (backward != numeric).any()
    assert second.cancelling_kinks is not None
    assert not second.cancelling_kinks.any()


@pytest.mark.parametrize(("size", "agree"), [(1e-16, True), (1e-3, False)])
def test_terms_that_cancel_are_excused(size: float, agree: bool) -> None:
    trial = try_out(lambda x: x.softmax(0).sum(), torch.tensor([0.3, -1.7, 2.9]))
    forward = Witness("forward", "forward", size * np.array([[1.0, -0.1, 2.0]]))
    zero = Witness("reverse", "backward", np.zeros((1, 3)))
    a, b = settle(Answers(trial, (zero, forward), ()), DOUBTS).witnesses
    assert ((distance(a, b, trial.relative) <= 1) == agree).all()


@pytest.mark.parametrize(
    ("engines", "added"),
    [
        (("jacrev", "jacfwd", "numeric"), ["reverse", "forward"]),
        (("jacrev", "numeric"), ["reverse"]),
        (("jacfwd", "numeric"), ["forward"]),
        (("reverse", "jacrev", "numeric"), []),
        (("forward", "jacfwd", "reverse"), []),
    ],
)
def test_no_engine_on_vmap_speaks_for_its_family(engines: Any, added: list[str]) -> None:
    _, second = again(lambda x: x * x.detach(), engines=engines)
    assert [one.name for one in second.witnesses] == [*added, *engines]


def at(y: list[float], x: list[float]) -> Trial:
    """Try out a function with these values at this x."""
    return try_out(
        lambda x: torch.tensor(y).double() + 0 * x.sum(), torch.tensor(x, dtype=torch.float64)
    )


def test_how_small_a_slope_may_be_that_rounding_makes_zero() -> None:
    """Of the largest value, over a step of the size of x, at most 1."""
    trial = at([3.0, -8.0], [0.25, 2.0, 0.0])
    slopes = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, -1.0]])
    least = 4 * EPS * 8
    expected = [[4 * least, least, least], [0, least, 0]]
    assert least_visible_slope(trial, slopes).tolist() == expected
    assert least_visible_slope(trial, np.array([0.0, 2.0])).tolist() == [4 * least, 0]
    assert least_visible_slope(at([0.0, 5.0], [1.0]), np.zeros((2, 1))).tolist() == [
        [20 * EPS],
        [20 * EPS],
    ]
    assert least_visible_slope(at([0.0, 5.0], [1.0]), np.zeros(2), ROUNDED_AWAY).tolist() == [
        20 * EPS + ROUNDED_AWAY,
        20 * EPS,
    ]
    assert least_visible_slope(at([0.0], [3.0]), np.zeros(1)).tolist() == [0]


def test_slopes_that_rounding_makes_zero_are_not_heard() -> None:
    """So where the value is zero too, and only where the slope is small."""

    def vanishing(x: Tensor) -> Tensor:
        return (x + 1e12) - 1e12 - (x + 1e12 - 1e12)

    tiny = Witness("by hand", "by hand", np.diag([1e-10, 1e-8]))
    trial = try_out(vanishing, X)
    heard = ask_engines(trial, ("numeric",), tiny.value)
    numeric = by_name(settle(heard, DOUBTS), "numeric")
    assert np.asarray(numeric.silent).tolist() == [[True, False], [False, False]]


def test_stairs_of_three_decimals_are_no_mistake_of_f_and_those_of_float32_are() -> None:
    x = torch.tensor([-4.0626875, -5.5946875], dtype=torch.float64)

    def single(x: Tensor) -> Tensor:
        return 0 * x + torch.from_numpy(x.detach().numpy().astype("float32").astype("float64"))

    assert vtj.check(lambda x: torch.round(x, decimals=3), x)
    assert vtj.check(single, x).culprit == "f"


def test_where_stairs_are_stepped_over_all_entries_are_looked_at() -> None:
    """The slope of 1 at the last is that of stairs from afar."""
    x = torch.tensor([0.25, 1.75, -2.25], dtype=torch.float64)
    report = vtj.check(lambda x: x + (x.round() - x).detach(), x)
    assert report.findings[0].endswith(f"(a detached path, 3 of 9 entries); {MEANT}")
