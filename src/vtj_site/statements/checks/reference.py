"""Checks for the pages of `docs/reference`, and of what `docs/explanation/names.md` says too."""

import warnings
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
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
    "the word of a docstring",
    "The docstring of `torch.autograd.backward` says this word and means VJP.",
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
    assert "jacobian-vector" in said[0]


@statement(
    "the product sums over the dimensions of y",
    "`J` has the dimensions of `y`, then those of `x`; the product sums over those of `y`, and no "
    "factor comes in for how many there are:",
)
@statement(
    "numerator layout",
    "On this site `J` has the shape of `y` followed by the shape of `x`: one row for each output, "
    "the *numerator layout*.",
)
@statement(
    "jacrev and jacobian",
    "`torch.func.jacrev` and `torch.autograd.functional.jacobian` return it so.",
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
        torch.testing.assert_close(torch.func.jacrev(f)(x), by_torch)
        for engine in ("reverse", "forward", "numeric"):
            ours = vtj.jacobian(f, x.detach(), engine).to(x.dtype)
            torch.testing.assert_close(ours, by_torch, rtol=1e-4, atol=1e-4)


@statement(
    "retain_graph as create_graph",
    "The default, `None`, stands for the value of `create_graph`.",
)
def _() -> None:
    for f in ELEMENTWISE:
        for create in (False, True):
            x = leaf(3)
            y = f(x).sum()
            torch.autograd.grad(y, x, create_graph=create)
            assert bool(refused(torch.autograd.grad, y, x)) is not create, f


@statement(
    "inputs",
    "A tensor that `y` does not depend on is passed over if it requires a gradient, and raises "
    "otherwise; an empty sequence raises.",
)
def _() -> None:
    for f in ELEMENTWISE:
        x, unused = leaf(3), leaf(2)
        f(x).sum().backward(inputs=[x, unused])
        assert x.grad is not None, f
        assert unused.grad is None, f
        for inputs, said in ((), "empty"), ([x, leaf(2).detach()], "requires_grad=False"):
            asked = f(x).sum(), None, None, False, None, inputs
            assert said in refused(torch.autograd.backward, *asked), f


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


@statement(
    "functional.vjp without v",
    "`v` can be omitted if the output has one element and is real.",
)
def _() -> None:
    for shape in ((), (1,), (1, 1), (3,), (2, 2)):
        for x in (leaf(*shape), leaf(*shape).cfloat()):
            said = refused(functional_vjp, torch.square, x)
            assert bool(said) is (x.numel() > 1 or x.is_complex()), (shape, said)


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


@statement(
    "second pass",
    "So the first pass frees the saved tensors, and a second pass that needs them raises:",
)
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
    "A gradient of a wrong shape or type is reported before a missing graph, a gradient on another "
    "device after it.",
)
def _() -> None:
    for each, tried in outcomes().items():
        recorded = outcomes()[each._replace(requires_grad=True)]
        if recorded.raised and not each.requires_grad and each.kind != "omitted":
            after = each.kind == "meta" and each.shape == each.y_shape
            assert (tried != recorded) is after, (each, tried, recorded)


@statement(
    "these tensors",
    "Add to the `.grad` of these tensors and not of the other leaves: pass a tensor, a sequence "
    "or a dict of tensors.",
)
@statement(
    "retained too",
    "A tensor on which you called `retain_grad()` gets its `.grad` too, if it lies on the way to "
    "them.",
)
def _() -> None:
    for f in ELEMENTWISE:
        for inputs in (lambda x: x, lambda x: [x], lambda x: (x,), lambda x: {"x": x}):
            x, other = leaf(3), leaf(3)
            y = f(x) * (aside := 2 * other)
            y.retain_grad()
            aside.retain_grad()
            y.sum().backward(inputs=inputs(x))
            assert (x.grad is not None, other.grad, y.grad.tolist()) == (True, None, [1, 1, 1])
            assert aside.grad is None


@statement("None for one element", "`None` stands for the `v` of a tensor with one element.")
@statement("without a list", "A single tensor is also taken without a list.")
def _() -> None:
    for f in ELEMENTWISE:
        x, one = leaf(3), leaf(3)
        v = leaf(3).detach()
        torch.autograd.backward([f(x), f(x).sum()], [v, None])
        (alone,) = torch.autograd.grad(f(one), one, v + 1)
        torch.testing.assert_close(x.grad, alone)
        assert refused(torch.autograd.backward, [f(x)], [None]), f


@statement("old name", "This is the old name of `grad_tensors`, and brings a `FutureWarning`.")
@statement("only_inputs", "It is ignored, but `False` brings a `FutureWarning`.")
def _() -> None:
    for f in ELEMENTWISE:
        x, v = leaf(3), leaf(3).detach()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            torch.autograd.backward([f(x)], grad_variables=[v])
            (found,) = torch.autograd.grad(f(x), x, v, only_inputs=False)
        assert [each.category for each in said] == [FutureWarning] * 2, said
        assert found.equal(x.grad), f


@statement(
    "result and function",
    "Runs `func(*primals)` and returns its result and a function that takes `v`.",
)
@statement(
    "at once",
    "The older relative of `torch.func.vjp`: it returns `y` and the product at once.",
)
def _() -> None:
    for f in OPERATIONS:
        v = leaf(*f(leaf(2, 2)).shape).detach()
        result, back = torch.func.vjp(f, leaf(2, 2))[:2]
        y, product = functional_vjp(f, leaf(2, 2), v)  # type: ignore[no-untyped-call]
        assert result.equal(f(leaf(2, 2))), f
        assert y.equal(result), f
        torch.testing.assert_close(back(v)[0], product)


@statement("strict", "`True` refuses a function whose output does not depend on one of its inputs.")
def _() -> None:
    for f in ELEMENTWISE:
        for strict in (False, True):
            for used in (False, True):
                said = refused(
                    functional_vjp, lambda a, b, f=f, used=used: f(a) * (b if used else 1),
                    (leaf(3), leaf(3)), leaf(3), False, strict,
                )  # fmt: skip
                assert bool(said) is (strict and not used), (f, said)


@statement("conjugate of J", "For complex tensors torch multiplies `v` by the conjugate of `J`.")
def _() -> None:
    for f in ELEMENTWISE:
        z, v = torch.tensor(0.5 + 2j, requires_grad=True), torch.tensor(3 - 1j)
        derivative = torch.func.jvp(f, (z.detach(),), (torch.ones_like(v),))[1]
        torch.testing.assert_close(torch.autograd.grad(f(z), z, v)[0], v * derivative.conj())


@statement("needs create_graph", "It needs `create_graph=True`.")
def _() -> None:
    for f in ELEMENTWISE:
        for create in (False, True):
            x = leaf(3)
            (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=create)
            assert bool(refused(first.sum().backward)) is not create, f


@statement("one row of J", "It reads one row of `J`.")
def _() -> None:
    for f in (lambda x: x.cumsum(0), lambda x: x**2, lambda x: torch.outer(x, x)[1]):
        x = leaf(3)
        J = vtj.jacobian(f, x.detach(), "forward")  # noqa: N806
        for row, one_hot in zip(J, torch.eye(3), strict=True):
            (found,) = torch.autograd.grad(f(x), x, one_hot)
            torch.testing.assert_close(found, row)


@statement(
    "gradient for several outputs", 'For several outputs PyTorch says "gradient" for the VJP.'
)
def _() -> None:
    assert "sum of gradients of outputs" in str(torch.autograd.grad.__doc__)
    for f in OPERATIONS:
        x = leaf(2, 2)
        v = leaf(*f(x).shape).detach() - 1
        (called_gradient,) = torch.autograd.grad(f(x), x, v)
        torch.testing.assert_close(called_gradient, torch.func.vjp(f, x.detach())[1](v)[0])


@statement(
    "values at kinks",
    "The derivative does not exist there; each operation of torch has a value of its own for it.",
)
def _() -> None:
    found = []
    operations: tuple[Callable[[Tensor], Tensor], ...] = (
        lambda x: x.relu(),
        lambda x: x.abs(),
        lambda x: x.clamp(0, 1),
        lambda x: x.maximum(0 * x),
    )
    for f in operations:
        x = torch.tensor(0.0, requires_grad=True)
        left, right = (((f(x + step) - f(x)) / step).item() for step in (-0.5, 0.5))
        (value,) = torch.autograd.grad(f(x), x)
        assert left != right, f
        assert value.isfinite(), f
        found.append(value.item())
    assert len({*found}) > 1, found


@statement("made of several", "A function such as `cross_entropy` is made of several.")
def _() -> None:
    scores, labels = leaf(2, 3), torch.tensor([0, 2])
    last = torch.nn.functional.cross_entropy(scores, labels).grad_fn
    assert last is not None
    before = [node for node, _ in last.next_functions if node is not None]
    assert before
    assert all("AccumulateGrad" not in node.name() for node in before)


@statement(
    "energy from another tensor",
    "The energy was computed from another tensor, or from `pos` before it required a gradient.",
)
def _() -> None:
    for f in OPERATIONS:
        from_copy, from_earlier, from_itself = (leaf(2, 2).detach() for _ in range(3))
        earlier = f(from_earlier) * leaf(1)
        for x in (from_copy, from_earlier, from_itself):
            x.requires_grad_()
        of_copy = f(from_copy.detach().clone().requires_grad_()).sum()
        said = "to not have been used in the graph"
        assert said in refused(torch.autograd.grad, of_copy, from_copy), f
        assert said in refused(torch.autograd.grad, earlier.sum(), from_earlier), f
        assert not refused(torch.autograd.grad, f(from_itself).sum(), from_itself), f


@statement(
    "graph saves v itself",
    "With `create_graph=True` the graph saves `grad_y` itself, and the next round overwrites it.",
)
def _() -> None:
    for f in (torch.square, torch.exp, torch.sin):
        for create in (False, True):
            x, v, saved = leaf(3), torch.ones(3), list[int]()
            y = f(x)

            def pack(tensor: Tensor, saved: list[int] = saved) -> Tensor:
                saved.append(tensor.data_ptr())
                return tensor

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                torch.autograd.grad(y, x, v, retain_graph=True, create_graph=create)
            assert (v.data_ptr() in saved) is create, f
        (slope,) = torch.autograd.grad(y, x, v, create_graph=True)
        v[0] = 0.0  # as the next round does
        said = refused(torch.autograd.grad, slope.sum(), x)
        assert "modified by an inplace operation" in said, f


@statement(
    "a copy is made",
    "That makes a copy, and the graph keeps the tensor on the GPU until `backward`.",
)
def _() -> None:
    for f in (torch.square, torch.sin, torch.cos):
        hidden = 2 * leaf(3)
        y, copy, watched = f(hidden), hidden.detach().clone(), weakref.ref(hidden)
        assert copy.data_ptr() != hidden.data_ptr(), f
        del hidden
        assert watched() is not None, f
        y.sum().backward()  # type: ignore[no-untyped-call]
        assert watched() is None, f


@statement(
    "a hook calls itself",
    "A hook that goes back through its own tensor calls itself without end.",
)
def _() -> None:
    for f in ELEMENTWISE:
        x, calls = leaf(3), list[Tensor]()
        y = f(x)

        def hook(v: Tensor, x: Tensor = x, y: Tensor = y, calls: list[Tensor] = calls) -> Tensor:
            calls.append(v)
            if len(calls) > 9:
                raise RuntimeError("the hook calls itself")
            (found,) = torch.autograd.grad(y, x, v, retain_graph=True)
            return found

        y.register_hook(hook)
        assert "the hook calls itself" in refused(torch.autograd.grad, y.sum(), x), f


@statement(
    "gradients too many",
    "Torch silently drops `None`s that are too many, and refuses a tensor too many.",
)
def _() -> None:
    class Returning(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, more: tuple[Tensor | None, ...]) -> Tensor:
            ctx.more = more
            return 2 * x

        @staticmethod
        def backward(ctx: Any, v: Tensor) -> Any:
            return 2 * v, None, *ctx.more

    for more in (None,), (None,) * 2, (None,) * 9:
        x = leaf(3)
        y, of_too_many = (Returning.apply(x, each) for each in (more, (*more, x)))  # type: ignore[no-untyped-call]
        (found,) = torch.autograd.grad(y.sum(), x)
        assert found.eq(2).all(), more
        said = refused(torch.autograd.grad, of_too_many.sum(), x)
        assert "returned an incorrect number of gradients" in said, more


@statement(
    "accumulate node",
    "It is the `AccumulateGrad` node of `p`, which adds each gradient that arrives to `p.grad`.",
)
def _() -> None:
    for shape in ((), (2,), (2, 3)):
        p = leaf(*shape)
        node = p.expand_as(p).grad_fn.next_functions[0][0]
        assert node is not None
        assert node.name() == "torch::autograd::AccumulateGrad"
        assert node.variable is p
        gradients = torch.arange(1.0, 4)
        for count, gradient in enumerate(gradients, 1):
            p.backward(gradient.expand_as(p))
            torch.testing.assert_close(p.grad, gradients[:count].sum().expand_as(p))


@statement(
    "ignored samples",
    "`ignore_index` leaves out the samples of that class, and its score stays in the softmax of "
    "the others.",
)
def _() -> None:
    for ignored in range(3):
        scores, labels = leaf(4, 3), torch.tensor([0, 2, 1, 0])
        cross_entropy = torch.nn.functional.cross_entropy
        (gradient,) = torch.autograd.grad(
            cross_entropy(scores, labels, ignore_index=ignored), scores
        )
        kept = labels != ignored
        assert not gradient[~kept].any()
        softmax = scores.softmax(1)[kept, ignored]
        torch.testing.assert_close(gradient[kept, ignored], softmax / kept.sum())
        assert gradient[kept, ignored].all()


@statement(
    "a hook waits",
    "The hook of a module waits for the gradients of those of its inputs that require one, and "
    "else for those of its outputs.",
)
def _() -> None:
    for activation in (torch.nn.Tanh(), torch.nn.Sigmoid(), torch.nn.Softplus()):
        for requires in (True, False):
            outer, called = torch.nn.Sequential(torch.nn.Linear(2, 2), activation), list[str]()
            for name, module in ("outer", outer), ("first", outer[0]), ("last", outer[1]):
                module.register_full_backward_hook(
                    lambda *_, name=name, called=called: called.append(name)
                )
            with warnings.catch_warnings(action="ignore"):  # where no input requires a gradient
                outer(torch.ones(3, 2, requires_grad=requires)).sum().backward()
            at = called.index("outer")
            assert called[at:] == ["outer"] if requires else called[0] == "outer", called
