"""Checks for the pages of `docs/reference`, and of what `docs/explanation/names.md` says too."""

import torch
from torch.autograd.functional import jacobian
from torch.autograd.functional import vjp as functional_vjp

import vtj
from vtj_site.outcomes.tables import outcomes
from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import ELEMENTWISE, OPERATIONS, leaf, refused


@statement(
    "five functions agree",
    "`torch.autograd.backward` does so for several tensors at once, and three other functions "
    "compute the same product:",
)
@statement(
    "backward and grad agree",
    "`torch.autograd.backward` and `torch.autograd.grad` compute the same product; only the "
    "docstring of the second names it as the field does.",
)
def _() -> None:
    for f in OPERATIONS:
        x, several = leaf(2, 2), leaf(2, 2)
        v = leaf(*f(x).shape).detach() - 1
        f(x).backward(v)
        torch.autograd.backward([f(several), f(several)], [v, 2 * v])
        torch.testing.assert_close(several.grad, 3 * x.grad)
        for found in (
            torch.autograd.grad(f(x), x, v)[0],
            torch.func.vjp(f, x.detach())[1](v)[0],
            functional_vjp(f, x.detach(), v)[1],  # type: ignore[no-untyped-call]
        ):
            torch.testing.assert_close(found, x.grad)
    said = [str(each.__doc__).lower() for each in (torch.autograd.backward, torch.autograd.grad)]
    assert ["vector-jacobian" in text for text in said] == [False, True]


@statement(
    "the product sums over the dimensions of y",
    "`J` has the dimensions of `y`, then those of `x`; the product sums over those of `y`, and no "
    "factor comes in for how many there are:",
)
@statement(
    "the shape of J",
    "On this site it has the shape of `y` followed by the shape of `x`: not transposed and not "
    "flattened.",
)
def _() -> None:
    for f in OPERATIONS:
        x = leaf(2, 2)
        by_torch, v = jacobian(f, x), leaf(*f(x).shape).detach() - 1  # type: ignore[no-untyped-call]
        f(x).backward(v)
        assert by_torch.shape == (*v.shape, *x.shape), f
        torch.testing.assert_close(x.grad, torch.tensordot(v, by_torch, v.ndim))
        for engine in ("reverse", "forward", "numeric"):
            ours = vtj.jacobian(f, x.detach(), engine).to(x.dtype)
            torch.testing.assert_close(ours, by_torch, rtol=1e-4, atol=1e-4)


@statement("retain_graph as create_graph", "The default, `None`, means: as `create_graph`.")
def _() -> None:
    for f in ELEMENTWISE:
        for create in (False, True):
            x = leaf(3)
            y = f(x).sum()
            torch.autograd.grad(y, x, create_graph=create)
            assert bool(refused(torch.autograd.grad, y, x)) is not create, f


@statement(
    "inputs", "A tensor that `y` does not depend on is passed over; an empty sequence raises."
)
def _() -> None:
    for f in ELEMENTWISE:
        x, unused = leaf(3), leaf(2)
        f(x).sum().backward(inputs=[x, unused])
        assert x.grad is not None, f
        assert unused.grad is None, f
        assert "empty" in refused(torch.autograd.backward, f(x).sum(), None, None, False, None, ())


@statement(
    "pull back as often as you like",
    "That function can be called as often as you like and gives a tuple, with a gradient for each "
    "input.",
)
@statement("pull back needs v", "Its `v` cannot be omitted.")
def _() -> None:
    for f in OPERATIONS:
        y, back = torch.func.vjp(lambda a, b, f=f: f(a @ b), leaf(2, 2), leaf(2, 2))[:2]
        found = [back(torch.ones_like(y)) for _ in range(4)]
        assert [len(each) for each in found] == [2] * 4, f
        assert all(each[n].equal(found[0][n]) for each in found for n in range(2)), f
        assert refused(back), f


@statement("functional.vjp without v", "`v` can be omitted if the output has one element.")
def _() -> None:
    for shape in ((), (1,), (1, 1), (3,), (2, 2)):
        said = refused(functional_vjp, torch.square, leaf(*shape))
        assert bool(said) is (leaf(*shape).numel() > 1), (shape, said)


@statement(
    "outside the slopes",
    "Through several operations the result can lie outside the slopes on either side.",
)
def _() -> None:
    for f, slope, found in (
        (lambda x: x.relu() - (-x).relu(), 1, 0),
        (lambda x: 3 * x.relu() - 3 * (-x).relu(), 3, 0),
        (lambda x: x.abs() + x - 2 * x.relu(), 0, 1),
    ):
        zero = torch.tensor(0.0, requires_grad=True)
        assert [f(torch.tensor(step)) / step for step in (-0.5, 0.5)] == [slope, slope]  # type: ignore[no-untyped-call]
        assert torch.autograd.grad(f(zero), zero)[0] == found  # type: ignore[no-untyped-call]


@statement("frees unless retained", "`backward` frees it, unless you pass `retain_graph=True`.")
def _() -> None:
    for f in ELEMENTWISE:
        for retain in (False, True):
            y = f(leaf(3)).sum()
            y.backward(retain_graph=retain)
            assert ("second time" in refused(y.backward)) is not retain, f


@statement(
    "dtypes taken and refused",
    "Any real dtype is taken for a real `y`, and cast without a word; a complex one is refused.",
)
def _() -> None:
    for each, tried in outcomes().items():
        if each.requires_grad and each.shape == each.y_shape and each.kind[-1].isdigit():
            assert bool(tried.raised) is (each.kind == "complex64"), (each, tried)


@statement(
    "what is no tensor is refused",
    "A number, a list of numbers and a NumPy array are refused; where `y` has elements, each with "
    "another message.",
)
def _() -> None:
    for shape in {each.y_shape for each in outcomes()}:
        kinds = [each for each in outcomes() if each.y_shape == shape and each.requires_grad]
        tried = [outcomes()[each] for each in kinds if each.kind in ("float", "list", "numpy")]
        assert all(one.raised for one in tried), tried
        assert len({one.text for one in tried}) == (2 if shape == (0,) else 3), tried


@statement(
    "which error comes first",
    "A gradient of a wrong shape or type is reported before the missing graph is, one on another "
    "device after it.",
)
def _() -> None:
    for each, tried in outcomes().items():
        recorded = outcomes()[each._replace(requires_grad=True)]
        if recorded.raised and not each.requires_grad and each.kind != "omitted":
            after = each.kind == "meta" and each.shape == each.y_shape
            assert (tried != recorded) is after, (each, tried, recorded)
