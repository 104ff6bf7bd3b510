"""A v that is not contiguous: Functions that are right while its elements lie side by side."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import matrix

X = matrix(3, 4)


def with_reference(f: Any, x: Tensor) -> vtj.Report:
    return vtj.check(f, x, reference=torch.square)


VERIFY = [vtj.check, vtj.certify, with_reference]


class Square(torch.autograd.Function):
    """Right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Contiguous(Square):
    """Goes through the memory of g as if its rows lay one behind the other."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return Square.backward(ctx, torch.as_strided(g, g.shape, (g.shape[1], 1)))


class ByRows(Square):
    """Goes by the stride of the rows, and takes that of the columns for one."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return Square.backward(ctx, torch.as_strided(g, g.shape, (g.stride(0), 1)))


class Viewed(Square):
    """Refuses a g that it cannot view as a vector."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return Square.backward(ctx, g.view(-1).view(g.shape))


class Refuses(Square):
    """Refuses a g that is not contiguous, that of ``y.sum().backward()`` too."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        if not g.is_contiguous():
            raise RuntimeError("g must be contiguous")
        return Square.backward(ctx, g)


class OneNumber(Square):
    """Takes a stride of zero for a gradient of zero."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return Square.backward(ctx, g) * (0 not in g.stride())


class Once(Square):
    """Frees what it saved: right, but for one backward through a graph."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        if hasattr(ctx, "gone"):
            raise RuntimeError("what forward saved is gone")
        ctx.gone = True
        return Square.backward(ctx, g)


def row(report: vtj.Report, what: str = "v not contiguous") -> Any:
    (found,) = [one for one in report.rows if one.what == what]
    return found


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("f", [Contiguous, ByRows])
def test_a_backward_that_takes_v_for_contiguous_is_wrong(verify: Any, f: Any) -> None:
    report = verify(f.apply, X)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert row(report).result == "fails"
    assert "the backward is another where v is not contiguous: " in report.findings[0]


@pytest.mark.parametrize("verify", VERIFY)
def test_one_that_goes_by_strides_holds(verify: Any) -> None:
    report = verify(Square.apply, X)
    assert report, str(report)
    assert row(report).result == "holds"


@pytest.mark.parametrize("verify", VERIFY)
def test_one_that_refuses_deceives_nobody(verify: Any) -> None:
    report = verify(Viewed.apply, X)
    assert report, str(report)
    assert row(report).result == "note"
    assert row(report).note.startswith("begin backward with v = v.contiguous(), or it raises")


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("f", "says"),
    [
        (
            Refuses,
            "backward raises RuntimeError: g must be contiguous: where v is expanded, as y.sum",
        ),
        (
            OneNumber,
            "the backward is another where v is expanded, as y.sum().backward() hands it on",
        ),
    ],
)
def test_one_that_fails_in_the_commonest_call_is_wrong(verify: Any, f: Any, says: str) -> None:
    report = verify(f.apply, X)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert row(report, "v expanded").result == "fails"
    (told,) = report.findings
    assert says in told
    assert told.endswith("; begin backward with v = v.contiguous()")


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("f", [Square, Viewed])
def test_one_that_takes_an_expanded_v_holds(verify: Any, f: Any) -> None:
    report = verify(f.apply, X)
    assert report, str(report)
    assert row(report, "v expanded").result == "holds"


@pytest.mark.parametrize("verify", [vtj.check, with_reference])
def test_a_graph_that_is_good_for_one_backward_is_no_matter_of_v(verify: Any) -> None:
    assert verify(Once.apply, X)


@pytest.mark.parametrize("verify", VERIFY)
def test_a_backward_that_ignores_strides_is_told_of_once(verify: Any) -> None:
    report = verify(Contiguous.apply, X)
    assert len(report.findings) == 1
    assert "v expanded" not in [one.what for one in report.rows]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: Square.apply(x).sum(),
        lambda x: checkpoint(lambda x: x.sin(), x, use_reentrant=True) + Square.apply(x),
        torch.square,
    ],
    ids=["one number", "reentrant checkpoint", "torch's own"],
)
def test_where_it_cannot_be_asked_or_need_not_be_there_is_no_row(verify: Any, f: Any) -> None:
    report = verify(f, X)
    assert report, str(report)
    assert "v not contiguous" not in [one.what for one in report.rows]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_loss_beside_logits_has_no_columns(verify: Any) -> None:
    def of(square: Any) -> Any:
        return lambda x: (x.sum(), square(x))

    assert verify(of(Square.apply), X)
    assert verify(of(Square.apply), X, reference=of(torch.square))
    assert row(verify(of(ByRows.apply), X)).result == "fails"


class Unit(Square):
    """Divides g by its length, and multiplies by it again: a row of zeros has none."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        length = g.norm(dim=-1, keepdim=True)
        return Square.backward(ctx, g / length) * length


class NoZeros(Square):
    """Takes an element of g that is zero for one."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return Square.backward(ctx, torch.where(g == 0, 1.0, g))


class RefusesZeros(Square):
    """Refuses a g with zeros in it."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        if (g == 0).any():
            raise RuntimeError("a zero in g")
        return Square.backward(ctx, g)


@pytest.mark.parametrize("f", [Unit, NoZeros, RefusesZeros])
@pytest.mark.parametrize("verify", VERIFY)
def test_a_backward_that_zeros_in_v_mislead_is_wrong(verify: Any, f: Any) -> None:
    report = verify(f.apply, matrix(20, 8))
    assert report.verdict == "wrong"
    assert "where elements of v are zero" in report.findings[0]


def test_a_right_backward_has_no_row_on_zeros() -> None:
    assert all(row.what != "v with zeros" for row in vtj.certify(Square.apply, X).rows)
