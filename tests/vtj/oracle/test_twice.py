"""A backward that is right, and what becomes of it when it is differentiated itself."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding

import vtj
from tests.zoo.bug import custom, matrix, vector

X = vector(4)
WEIGHT = matrix(3, 4)


def detached(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a sine, with a cosine that no graph leads to."""
    return g * x[0].detach().cos()


def half_detached(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a cube, of which one factor is cut off."""
    return 3 * g * x[0] * x[0].detach()


class Saved(torch.autograd.Function):
    """A sine that saves its slope, which forward computed without a graph."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.slope = x.cos()
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.slope


class Once(Saved):
    """The same, marked."""

    backward = staticmethod(once_differentiable(lambda ctx, g: g * ctx.slope))


def hard(x: Tensor) -> Tensor:
    """Return a softmax that is mostly all but one."""
    return (300 * x).softmax(-1)


def hard_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return its gradient."""
    y = hard(*x)
    return 300 * y * (g - (g * y).sum(-1, keepdim=True))


SILENT: dict[str, Callable[..., Any]] = {
    "detached": custom(torch.sin, detached),
    "half of it detached": custom(lambda x: x**3, half_detached),
    "an intermediate saved": Saved.apply,
}
# the same value as with v, of which no graph knows
CUT_FROM_V: dict[str, Callable[..., Any]] = {
    "detached": custom(torch.sin, lambda x, g: g.detach() * x[0].cos()),
    "of a linear function": custom(lambda x: WEIGHT @ x, lambda x, g: WEIGHT.T @ g.data),
    "in one of two terms": custom(
        lambda x: x.sin() + x**2, lambda x, g: g * x[0].cos() + 2 * g.detach() * x[0]
    ),
    "twice in the graph": custom(torch.sin, lambda x, g: (2 * g - g.detach()) * x[0].cos()),
}
SOUND: dict[str, Callable[..., Any]] = {
    "a sine": custom(torch.sin, lambda x, g: g * x[0].cos()),
    "linear": custom(lambda x: WEIGHT @ x, lambda x, g: WEIGHT.T @ g),
    "relu": custom(torch.relu, lambda x, g: g * (x[0] > 0)),
    "a square in float32": custom(
        lambda x: (x.float() ** 2).to(x), lambda x, g: 2 * x[0].float().to(x[0]) * g
    ),
    "a part of a softmax": custom(
        lambda x: x.softmax(0),
        lambda x, g: x[0].softmax(0) * (g - (g * x[0].softmax(0)).sum()),
    ),
    "a fast sine": custom(lambda x: (1e5 * x).sin(), lambda x, g: 1e5 * g * (1e5 * x[0]).cos()),
    "a faster sine": custom(lambda x: (1e9 * x).sin(), lambda x, g: 1e9 * g * (1e9 * x[0]).cos()),
    "a ripple": custom(
        lambda x: x**2 + 1e-18 * (1e9 * x).sin(),
        lambda x, g: g * (2 * x[0] + 1e-9 * (1e9 * x[0]).cos()),
    ),
    "a kink nearby": custom(
        lambda x: (x - 0.60001).relu() ** 2, lambda x, g: 2 * (x[0] - 0.60001).relu() * g
    ),
    "a hard softmax": custom(hard, hard_backward),
    "a sum that is always 1": custom(
        lambda x: x.softmax(0).sum(),
        lambda x, g: x[0].softmax(0) * (g - (g * x[0].softmax(0)).sum()),
    ),
    "torch alone": lambda x: x.sin() * x.detach(),
    "cubes that cancel": custom(
        lambda x: (x + 1e3) ** 3 - (x - 1e3) ** 3,
        lambda x, g: 3 * g * ((x[0] + 1e3) ** 2 - (x[0] - 1e3) ** 2),
    ),
}


def notes(report: vtj.Report) -> list[str]:
    """Return what is said of the double backward."""
    return [row.note for row in report.rows if row.what == "double backward"]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", SILENT)
def test_a_double_backward_that_is_silently_wrong_is_told(name: str, verify: Any) -> None:
    report = verify(SILENT[name], X)
    assert report, str(report)
    (note,) = notes(report)
    assert note.startswith("silently wrong: along one direction ")
    assert vtj.check(SILENT[name], X, order=2).verdict == "wrong"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", CUT_FROM_V)
def test_one_without_its_part_through_v_is_told(name: str, verify: Any) -> None:
    report = verify(CUT_FROM_V[name], X)
    assert report, str(report)
    (note,) = notes(report)
    assert note.startswith("silently wrong in its part through v, the gradient argument: along ")
    assert vtj.check(CUT_FROM_V[name], X, order=2).verdict == "wrong"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_both_parts_are_told(verify: Any) -> None:
    """As of a backward that NumPy computes."""
    through_x, through_v = notes(verify(custom(torch.sin, lambda x, g: (g * x[0].cos()).data), X))
    assert through_x.startswith("silently wrong: along one direction 0 by double backward, ")
    assert through_v.startswith("silently wrong in its part through v, ")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", SOUND)
def test_of_one_that_is_right_nothing_is_told(name: str, verify: Any) -> None:
    assert notes(verify(SOUND[name], X)) == []


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_once_differentiable_or_order_2_it_is_not_looked_at(verify: Any) -> None:
    assert notes(verify(Once.apply, X)) == []
    if verify is vtj.check:
        assert notes(vtj.check(SILENT["detached"], X, order=2)) == []


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    ("f", "count"), [(SOUND["a sine"], 0), (SILENT["detached"], 1)], ids=["right", "detached"]
)
def test_a_sparse_gradient_is_differentiated_as_any_other(verify: Any, f: Any, count: int) -> None:
    """That of the rows of an embedding, before and behind a custom Function."""
    at = (matrix(5, 2), torch.tensor([0, 1, 1]))
    for g in (
        lambda w, i: f(embedding(i, w, sparse=True)),
        lambda w, i: embedding(i, f(w), sparse=True),
    ):
        report = verify(g, at)
        assert report, str(report)
        assert len(notes(report)) == count
        adds = [row.result for row in report.rows if row.what == "a second backward adds"]
        assert adds == ["holds"] * (verify is vtj.check)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_it_is_told_by_the_numbers(verify: Any) -> None:
    """Of a sine at one point the double backward is 0, and the differences know -sin(x)."""
    (note,) = notes(verify(SILENT["detached"], torch.ones(1).double()))
    told = note.removeprefix("silently wrong: along one direction ").partition(" by double")
    assert told[0] == "0"
    assert float(told[2].split(", ")[1].split(" by ")[0]) != 0


def test_what_is_rounding_is_not_told() -> None:
    """What is left of the gradient of a softmax that is all but one."""
    torch.manual_seed(0)
    assert notes(vtj.check(custom(hard, hard_backward), torch.randn(4, 8))) == []


def test_through_v_it_is_told_by_the_slope_of_y() -> None:
    """It is 6 u, of 3 x with a v of 2."""
    f = custom(lambda x: 3 * x, lambda x, g: 3 * g.detach())
    (note,) = notes(vtj.check(f, torch.ones(1).double(), torch.full((1,), 2.0).double()))
    told = note.partition("along one direction 0 by double backward, ")[2].split(" by ")[0]
    assert 3 <= float(told) <= 6  # u is from 0.5 to 1


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_one_in_float32_is_told(verify: Any) -> None:
    """Over the finest of the usual steps what is computed in float32 stands still."""

    def told(f: Callable[..., Any]) -> int:
        return sum(
            bool(notes(verify(lambda x: f(x.float()), matrix(2, 3, seed)))) for seed in range(4)
        )

    assert told(SILENT["detached"]) >= 3
    assert told(SOUND["a sine"]) == 0


def soft(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a softmax."""
    y = x[0].softmax(-1)
    return y * (g - (g * y).sum(-1, keepdim=True))


# a function, its backward, and one that is right once alone
IN_FLOAT32: dict[
    str, tuple[Callable[..., Tensor], Callable[..., Tensor], Callable[..., Tensor]]
] = {
    "a sine": (torch.sin, lambda x, g: g * x[0].cos(), detached),
    "a cube": (lambda x: x**3, lambda x, g: 3 * g * x[0] * x[0], half_detached),
    "a softmax": (lambda x: x.softmax(-1), soft, lambda x, g: soft((x[0].detach(),), g)),
    "through v": (torch.sin, lambda x, g: g * x[0].cos(), lambda x, g: g.detach() * x[0].cos()),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", IN_FLOAT32)
def test_one_that_casts_to_float32_inside_is_told(verify: Any, name: str) -> None:
    """Of x and v in float64: over the finest step y stands still, which its slope denies."""
    f, right, wrong = IN_FLOAT32[name]

    def told(backward: Callable[..., Tensor]) -> int:
        inside = custom(
            lambda x: f(x.float()).to(x), lambda x, g: backward((x[0].float(),), g.float()).to(g)
        )
        return sum(bool(notes(verify(inside, matrix(2, 3, seed)))) for seed in range(4))

    assert told(right) == 0
    assert told(wrong) >= 3


def test_what_is_rounding_in_float32_inside_is_not_told() -> None:
    """Along some of these points little is left of the derivative of a logsumexp's gradient."""
    f = custom(
        lambda x: (10 * x.float()).logsumexp(-1).to(x),
        lambda x, g: (10 * g.float()[:, None] * (10 * x[0].float()).softmax(-1)).to(g),
    )
    told = [notes(vtj.certify(f, matrix(1, 3, seed))) for seed in range(20)]
    assert told == [[]] * 20


class WithNumber(torch.autograd.Function):
    """A sine beside a number that has no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        mean = x.mean()
        ctx.mark_non_differentiable(mean)
        return x.sin(), mean

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Any) -> Tensor:
        (x,) = ctx.saved_tensors
        return g * x.detach().cos()


class InMemory(WithNumber):
    """The same, of a g that is read as it lies in memory."""

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Any) -> Tensor:
        (x,) = ctx.saved_tensors
        return g.as_strided(x.shape, x.stride()) * x.cos()


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_an_output_without_a_gradient_stops_no_further_look(verify: Any) -> None:
    assert notes(verify(WithNumber.apply, X))[0].startswith("silently wrong")
    report = verify(InMemory.apply, X)
    assert report.verdict == "wrong"
    assert "where v is not contiguous" in str(report.findings)
