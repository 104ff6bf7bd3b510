"""Checks for the pages of `docs/explanation`."""

import random

import numpy as np
import torch

import vtj
from vtj_site.records.releases import spans
from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import ELEMENTWISE, leaf, refused

POINT = torch.tensor([0.75, 2.0, 3.5])
DROPOUT = torch.nn.Dropout()


@statement(
    "one pass for a vector",
    "It was not run once for each entry, though that would add up to the same result.",
)
def _() -> None:
    handed = spans("what the node of y = x**2 received")[0]
    left = spans("vector gradient for a scalar y = x**2")[0]
    x, v = torch.tensor(1.0, requires_grad=True), torch.tensor([1.0, 10.0, 100.0, 1000.0])
    (each,) = torch.autograd.grad(x**2, x, v, is_grads_batched=True)
    # one number was handed on, and so there was one pass
    assert (handed.releases, handed.answer) == (left.releases, str(v.sum())), handed
    assert left.answer == str(each.sum()), left


@statement("too few families", "Where fewer than two families answer, the verdict is *undecided*.")
def _() -> None:
    for f in ELEMENTWISE[:2]:
        for engines in (["reverse", "jacrev"], ["numeric"], ["forward", "jacfwd"]):
            assert vtj.check(f, POINT, engines=engines).verdict == "undecided", (f, engines)
        assert vtj.check(f, POINT, engines=["reverse", "forward"]).verdict == "correct", f


@statement("only correct is true", "Only *correct* is true.")
def _() -> None:
    reports = [vtj.check(f, POINT) for f in (torch.exp, torch.digamma, lambda x: x * x.detach())]
    assert {one.verdict for one in reports} == {"correct", "undecided", "wrong"}
    assert all(bool(one) == (one.verdict == "correct") for one in reports)


@statement("by hand", "The differences accuse a `J` by hand; so do backward and forward together.")
def _() -> None:
    alone = [["reverse"], ["forward"]]
    for f in ELEMENTWISE:
        for engines in (*alone, ["numeric"], ["reverse", "forward"]):
            told = vtj.check(f, POINT, jacobian=3 * np.eye(3), engines=engines)
            assert told.culprit == (None if engines in alone else "jacobian"), (f, engines, told)


@statement("kinks", "That is not called a mistake if it lies between the slopes on either side.")
def _() -> None:
    at = torch.tensor([0.0, 2.0])
    for f in (torch.relu, torch.abs, lambda x: x.clamp(min=0)):
        assert vtj.check(f, at), f
    assert not vtj.check(lambda x: x.relu() - (-x).relu(), at)  # torch says 0 of the slope of x


@statement("stairs", "It is called wrong, or correct where the differences step over its stairs.")
def _() -> None:
    for f in (torch.sign, torch.round, torch.floor):
        verdicts = {
            vtj.check(lambda x, f=f: x + (f(x) - x).detach(), torch.tensor([point])).verdict
            for point in (0.1, 0.3, 0.75, 2.6, 3.6)
        }
        assert verdicts == ({"wrong"} if f is torch.sign else {"wrong", "correct"}), (f, verdicts)


@statement("detached", "Backward and forward both miss what is detached, and agree on a wrong `J`.")
def _() -> None:
    for f in ELEMENTWISE:
        part = vtj.check(lambda x, f=f: x * f(x.detach()), POINT, engines=["reverse", "forward"])
        whole = vtj.check(lambda x, f=f: x * f(x.detach()), POINT)
        assert (part.verdict, whole.culprit) == ("correct", "f"), (f, part, whole)


@statement(
    "seeded before each call",
    "Torch's, NumPy's and Python's global generators are seeded before each call, so that dropout "
    "is one fixed function.",
)
def _() -> None:
    for draw in (torch.rand, np.random.rand, lambda _: random.random(), lambda _: DROPOUT(POINT)):
        assert vtj.check(lambda x, draw=draw: x * torch.as_tensor(draw(1)), POINT), draw
    own = torch.Generator().manual_seed(0)
    assert not vtj.check(lambda x: x * torch.rand(3, generator=own), POINT)


@statement(
    "nothing flows back",
    "What you do under `torch.no_grad()`, behind `detach()`, in NumPy or in a fresh "
    "`torch.tensor([…])` is not recorded, and nothing flows back through it:",
)
def _() -> None:
    for f in ELEMENTWISE:
        for cut in (
            torch.no_grad()(f),
            lambda x, f=f: f(x.detach()),
            lambda x, f=f: torch.from_numpy(f(x.detach()).numpy() + 1),
            lambda x, f=f: torch.tensor([f(each).item() for each in x]),
        ):
            x = leaf(3)
            (cut(x) + 3 * x).sum().backward()
            assert not cut(x).requires_grad, f
            assert x.grad.tolist() == [3, 3, 3], f


@statement(
    "count that has changed",
    "When an operation needed what it saved and the count has changed, `backward` raises.",
)
def _() -> None:
    for f in (torch.exp, torch.sigmoid, torch.tanh, torch.sqrt):
        for write in (lambda y: y.zero_(), lambda y: y.detach().add_(1), lambda y: y[:1].mul_(2)):
            y = f(leaf(2))
            write(y)  # type: ignore[no-untyped-call]
            assert "inplace operation" in refused(y.sum().backward), f


@statement("the optimizer updates", "It fills `.grad`; the optimizer updates.")
@statement("steps", "`backward` does not update the parameters: the optimizer does.")
def _() -> None:
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop):
        x, before = leaf(3), leaf(3)
        (x**3).sum().backward()
        assert x.equal(before), optimizer
        optimizer([x], lr=0.5).step()
        assert not x.equal(before), optimizer


@statement("shared", "Two leaves can share one `.grad` too, without any `v` of yours.")
def _() -> None:
    for make, shared in (
        (lambda x: x.view(3), True),
        (lambda x: x[None], True),
        (lambda x: 2 * x, False),
    ):
        a, b = leaf(3), leaf(3)
        ((make(a) + make(b)) ** 2).sum().backward()  # type: ignore[no-untyped-call]
        assert (a.grad.data_ptr() == b.grad.data_ptr()) is shared


@statement("what a hook returns", "What it returns, if anything, replaces it.")
def _() -> None:
    for factor in (None, 0, 1, -2.5):
        for at in range(3):
            x = leaf(3)
            chain = [x, square := x**2, 5 * square]
            chain[at].register_hook(lambda v, k=factor: None if k is None else k * v)
            chain[-1].sum().backward()
            expected: torch.Tensor = 10 * x.detach() * (1 if factor is None else factor)
            assert x.grad.equal(expected), (factor, at)
