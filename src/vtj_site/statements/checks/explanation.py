"""Checks for the pages of `docs/explanation`."""

import random
from functools import partial
from typing import Any

import numpy as np
import torch

import vtj
from vtj_site.records.releases import spans
from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import ELEMENTWISE, leaf, refused

POINT = torch.tensor([0.75, 2.0, 3.5])
DROPOUT = torch.nn.Dropout()


@statement(
    "once for a vector",
    "The old engine did not go back once for each element: it added up the elements of `v`, then "
    "went back once.",
)
@statement(
    "sum of a vector, then once back",
    "Neither is true: old releases, which took a vector for a scalar, added up the elements of "
    "`v`, then went back once.",
)
@statement(
    "one pass for a vector",
    "Backward did not run once for each entry, though that would add up to the same result.",
)
def _() -> None:
    handed = spans("what the node of y = x**2 received")[0]
    left = spans("vector gradient for a scalar y = x**2")[0]
    x, v = torch.tensor(1.0, requires_grad=True), torch.tensor([1.0, 10.0, 100.0, 1000.0])
    (each,) = torch.autograd.grad(x**2, x, v, is_grads_batched=True)
    # one number was handed on, and so there was one pass
    assert (handed.releases, handed.answer) == (left.releases, str(v.sum())), handed
    assert left.answer == str(each.sum()), left


@statement("families count once", "In a verdict they count once.")
@statement(
    "too few families",
    "With fewer than two votes, the verdict is *undecided*, unless a test of behavior fails.",
)
def _() -> None:
    def loses_signs(x: torch.Tensor) -> torch.Tensor:
        y = x**2
        if y.requires_grad:
            y.register_hook(torch.abs)  # type: ignore[no-untyped-call]
        return y

    for engines in (["reverse"], ["numeric"]):
        assert vtj.check(loses_signs, POINT, engines=engines).verdict == "wrong", engines
    for f in ELEMENTWISE[:2]:
        for engines in (["reverse", "jacrev"], ["numeric"], ["forward", "jacfwd"]):
            assert vtj.check(f, POINT, engines=engines).verdict == "undecided", (f, engines)
        assert vtj.check(f, POINT, engines=["reverse", "forward"]).verdict == "correct", f


@statement(
    "smaller steps before wrong",
    "Before `vtj.check` calls a backward wrong, it repeats the finite differences with smaller "
    "steps where they disagree most with it.",
)
def _() -> None:
    v_of_last = torch.tensor([0.0, 0.0, 1.0])

    def wrong_at_the_last(x: torch.Tensor, f: Any) -> Any:
        steps.append((x.detach() - POINT).tolist())
        y = f(x)
        if y.requires_grad:
            y.register_hook(lambda v: v + v * v_of_last)
        return y

    for f in ELEMENTWISE:
        steps = list[list[float]]()
        report = vtj.check(lambda x, f=f: wrong_at_the_last(x, f), POINT)
        assert report.culprit == "backward", report
        alone = [step for step in steps if np.count_nonzero(step) == 1]
        first, second, last = ([abs(step[i]) for step in alone if step[i]] for i in range(3))
        assert 1e6 * min(last) < min(*first, *second), alone


@statement("only correct is true", "In an `if`, only *correct* is true.")
def _() -> None:
    reports = [vtj.check(f, POINT) for f in (torch.exp, torch.digamma, lambda x: x * x.detach())]
    assert {one.verdict for one in reports} == {"correct", "undecided", "wrong"}
    assert all(bool(one) == (one.verdict == "correct") for one in reports)


@statement(
    "by hand",
    "A `J` by hand is called wrong if the differences contradict it, or backward and forward "
    "together.",
)
def _() -> None:
    alone = [["reverse"], ["forward"]]
    for f in ELEMENTWISE:
        for engines in (*alone, ["numeric"], ["reverse", "forward"]):
            told = vtj.check(f, POINT, jacobian=3 * np.eye(3), engines=engines)
            assert told.culprit == (None if engines in alone else "jacobian"), (f, engines, told)


@statement(
    "differences alone",
    "Against a custom backward alone, the differences decide, since they call `f` itself.",
)
def _() -> None:
    class LosesTheFactor(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, v: torch.Tensor) -> Any:
            (x,) = ctx.saved_tensors
            return v * x

    f = LosesTheFactor.apply
    slopes = vtj.jacobian(f, POINT.double(), "numeric")
    assert torch.allclose(slopes, 2 * POINT.double().diag()), slopes
    for engines in (["reverse", "numeric"], ["reverse", "jacrev", "numeric"]):
        assert vtj.check(f, POINT, engines=engines).culprit == "backward", engines


@statement(
    "kinks",
    "What torch chooses at a kink is not called a mistake if it lies between the slopes on either "
    "side.",
)
def _() -> None:
    at = torch.tensor([0.0, 2.0])
    for f in (torch.relu, torch.abs, lambda x: x.clamp(min=0)):
        assert vtj.check(f, at), f
    assert not vtj.check(lambda x: x.relu() - (-x).relu(), at)  # torch says 0 of the slope of x


@statement("too large to hold", "Because it is too large to hold.")
def _() -> None:
    layer = torch.nn.Conv2d(64, 64, kernel_size=3, padding=1, device="meta")
    images = torch.empty(32, 64, 56, 56, device="meta")
    jacobian = images.element_size() * layer(images).numel() * images.numel()
    assert jacobian > 2**40 * 100, jacobian  # a hundred TiB


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


@statement("changed count", "A saved tensor whose count has changed makes `backward` raise.")
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


@statement("it fills", "it fills `.grad`")
@statement(
    "allowed steps", "An optimizer writes to leaves under `torch.no_grad()`, which is allowed."
)
@statement("the optimizer updates", "It fills `.grad`; the optimizer updates.")
@statement("steps", "`backward` does not update the parameters: the optimizer does.")
def _() -> None:
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop):
        x, before = leaf(3), leaf(3)
        (x**3).sum().backward()
        assert x.equal(before), optimizer
        chosen = optimizer([x], lr=0.5)
        counted = x._version
        chosen.step()
        assert not x.equal(before), optimizer
        assert x.is_leaf, optimizer
        assert x._version > counted, optimizer


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


@statement("what a hook sees", "A hook sees the `v` that arrives at its tensor.")
def _() -> None:
    for f in ELEMENTWISE:
        x, seen = leaf(3), list[torch.Tensor]()
        y = f(x)
        y.register_hook(seen.append)
        (5 * y).sum().backward()
        assert seen[0].tolist() == [5, 5, 5], f


@statement(
    "what is saved",
    "To go back, some operations need a value from the forward pass, and save it: `x**2` saves "
    "`x`, `x.exp()` its own result.",
)
@statement(
    "others do without",
    "Others do without, which decides what happens when you call `backward` a second time:",
)
@statement("its factor", "`2 * x` saves its factor")
@statement(
    "saved factor",
    "A constant derivative is not enough for that: `2 * x` saves its other factor, though that is "
    "a number.",
)
def _() -> None:
    x = leaf(3)
    square, result, double, sign = x**2, x.exp(), 2 * x, -x
    assert square.grad_fn._saved_self.equal(x)
    assert result.grad_fn._saved_result.equal(result)
    assert double.grad_fn._saved_other == 2
    for y in (square, result, double, sign):
        y.sum().backward()
        assert bool(refused(y.sum().backward)) is (y is not sign), y


@statement(
    "zeros in the tensor",
    "Older code clears with `x.grad.data.zero_()`: that fails while `.grad` is still `None`, and "
    "it writes zeros into the tensor itself, so a gradient that you kept is lost too.",
)
def _() -> None:
    for f in ELEMENTWISE:
        x = leaf(3)
        try:
            x.grad.data.zero_()
        except AttributeError:
            f(x).sum().backward()
        kept = x.grad
        x.grad.data.zero_()
        assert kept.tolist() == [0, 0, 0], f


@statement("leaves get a grad", "`backward` fills `.grad` for leaves that require a gradient.")
@statement("any tensor of the graph", "any tensor of the graph, after `retain_grad()`")
def _() -> None:
    for f in ELEMENTWISE:
        x, constant = leaf(3), leaf(3).detach()
        chain = [y := f(x), y * constant, y.sum()]
        chain[0].retain_grad()
        (chain[1] + chain[2]).sum().backward()
        assert x.grad is not None, f
        assert chain[0].grad is not None, f
        assert (constant.grad, chain[1].retains_grad) == (None, False), f


@statement("recorded as a graph", "While you compute, PyTorch records what you did as a graph.")
@statement(
    "adds a node",
    "A differentiable operation on a tensor that requires a gradient adds a node.",
)
@statement(
    "where x.grad is filled", "The last one, `AccumulateGrad`, is where `x.grad` gets filled."
)
@statement(
    "from y to the leaves",
    "`backward` walks it from `y` to the leaves and hands each operation its `v`.",
)
def _() -> None:
    for f in ELEMENTWISE:
        x, walked = leaf(3), list[tuple[str, torch.Tensor]]()
        y = f(x)
        last = y.grad_fn.next_functions[0][0]
        assert (last.name(), last.variable is x) == ("torch::autograd::AccumulateGrad", True)
        for node in (y.grad_fn, last):
            note = partial(lambda walked, name, v: walked.append((name, v[0])), walked, node.name())
            node.register_prehook(note)
        y.backward(v := leaf(3).detach())
        assert f(x.detach()).grad_fn is None, f
        assert [name for name, _ in walked] == [y.grad_fn.name(), last.name()], f
        assert [x.grad.equal(walked[1][1]), v.equal(walked[0][1])] == [True, True], f


@statement("copied", "Your `v` itself is copied, and the result of a multiplication is new memory.")
@statement(
    "views of v",
    "But going back through a `view` or a `cat` makes a view of `v`: a new tensor on the memory "
    "of `v`.",
)
def _() -> None:
    for f, shared in (
        (lambda x: x + 1, False),
        (lambda x: 2 * x, False),
        (lambda x: x.view(3, 1), True),
        (lambda x: torch.cat([x, x.detach()]), True),
    ):
        x = leaf(3)
        v = torch.ones_like(f(x))
        f(x).backward(v)
        assert x.grad is not v
        assert (x.grad.untyped_storage().data_ptr() == v.untyped_storage().data_ptr()) is shared
