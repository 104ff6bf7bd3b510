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


SILENT: dict[str, Callable[..., Any]] = {
    "detached": custom(torch.sin, detached),
    "half of it detached": custom(lambda x: x**3, half_detached),
    "an intermediate saved": Saved.apply,
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
    "a kink nearby": custom(
        lambda x: (x - 0.60001).relu() ** 2, lambda x, g: 2 * (x[0] - 0.60001).relu() * g
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
