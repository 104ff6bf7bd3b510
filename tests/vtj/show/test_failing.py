"""Every error a backward call can raise: its cause in one sentence, and a fix that runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.outcome import Outcome, backward
from vtj.show.failing import ANYWHERE, OF_THE_CALL, diagnose

X = torch.tensor([1.0, 2.0])


def two(x: Tensor) -> tuple[Tensor, Tensor]:
    return 2 * x, x.sum()


def used_up(x: Tensor) -> Tensor:
    y = x**2
    torch.autograd.backward(y.sum())
    return y


def overwritten(x: Tensor) -> Tensor:
    y = x.exp()
    y.add_(1)
    return y


def unused(x: Tensor) -> Tensor:
    return torch.autograd.grad((x**2).sum(), x[0])[0]


def buffer_overwritten(x: Tensor) -> Tensor:
    buffer = torch.ones(2)
    y = x * buffer
    buffer.add_(1)
    return y


def leaf_overwritten(x: Tensor) -> Tensor:
    x.mul_(2)
    return x


def leaves_overwritten(a: Tensor, b: Tensor) -> Tensor:
    a.mul_(2)
    return a * b


def reentrant(x: Tensor) -> Tensor:
    return torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)[0]


@dataclass(frozen=True)
class Broken:
    f: Callable[..., Any]
    x: Any
    v: Any
    cause: str
    fix: str
    grad: Any = None  # what the fix leaves in x.grad, where it keeps f


Y = "y = f(x)\n"
ONES = Y + "y.backward(torch.ones_like(y))"
EACH = "y = f(x)\ntorch.autograd.backward(y, [torch.ones_like(part) for part in y])"
DOUBLED = "def f(x):\n    return 2 * x  # not 2 * x.detach(), nor .data, .item(), .numpy()"
COMPLEX = torch.ones(2) * (1 + 1j)


def shape(of_v: str, v: tuple[int, ...], of_y: str, y: tuple[int, ...]) -> str:
    rule = "v needs exactly y's shape, nothing is broadcast."
    return f"{of_v} has shape {v} and {of_y} has shape {y}: {rule}"


def no_tensor(kind: str) -> str:
    return f"v is {kind}; backward takes a torch.Tensor of y's shape, or None."


def dtype(of_v: str, v: str, of_y: str, y: str) -> str:
    return f"{of_v} has dtype {v} and {of_y} {y}: complex needs complex, real needs real."


def count(returned: str, came: int) -> str:
    return f"f returns {returned} and {came} v came: each output needs its own."


def overwrote(what: str) -> str:
    return f"f overwrote {what} in place (as y += 1 or y[0] = 0 do) and backward needs it."


def cut(why: str) -> str:
    return f"Nothing leads from x to y that requires grad: {why}."


BROKEN = {
    "y is no scalar": Broken(
        lambda x: 2 * x, X, None,
        "y has shape (2,), so it is not one number but 2: v must say how much each of them counts.",
        Y + "y.backward(torch.ones_like(y))  # the gradient of y.sum(); or weights of your own",
        [2, 2],
    ),
    "several outputs, no v": Broken(
        two, X, None,
        "f returns tensors of shapes (2,), (): all that are no scalars need a v.", EACH, [3, 3],
    ),
    "y is a complex scalar": Broken(
        lambda x: (x * 1j).sum(), X, None,
        "y is complex, and only a real scalar has a gradient without v.",
        Y + "y.abs().square().sum().backward()  # or another real number made of y", [6, 6],
    ),
    "a vector for a scalar": Broken(
        lambda x: (x**2).sum(), X, torch.tensor([1.0, 10.0, 100.0, 1000.0]),
        shape("v", (4,), "y", ()),
        Y + "y.backward(v.sum().reshape(y.shape))  # what torch 1.2 did", [2222, 4444],
    ),
    "v that could be broadcast": Broken(
        lambda x: 2 * x, X, torch.ones(1),
        shape("v", (1,), "y", (2,)), Y + "y.backward(v.expand_as(y))", [2, 2],
    ),
    "v of a shape of its own": Broken(
        lambda x: 2 * x, X, torch.ones(4, 4),
        shape("v", (4, 4), "y", (2,)), Y + "y.backward(torch.ones_like(y))  # or a v of y's shape",
        [2, 2],
    ),
    "the wrong shape for the second output": Broken(
        two, X, (torch.ones(2), torch.ones(3)),
        shape("v[1]", (3,), "y[1]", ()), EACH, [3, 3],
    ),
    "complex v, real y": Broken(
        lambda x: 2 * x, X, torch.ones(2) * (1 + 1j),
        dtype("v", "torch.complex64", "y", "torch.float32"), Y + "y.backward(v.real)", [2, 2],
    ),
    "real v, complex y": Broken(
        lambda x: x * 1j, X, torch.ones(2),
        dtype("v", "torch.float32", "y", "torch.complex64"), Y + "y.backward(v.to(y.dtype))",
        [0, 0],
    ),
    "a list": Broken(
        lambda x: 2 * x, X, [1.0, 10.0],
        no_tensor("list"), Y + "y.backward(torch.as_tensor(v, dtype=y.dtype))", [2, 20],
    ),
    "a list for several outputs": Broken(two, X, [1.0, 1.0], no_tensor("list"), EACH, [3, 3]),
    "a NumPy array": Broken(
        lambda x: 2 * x, X, np.array([1.0, 10.0]),
        no_tensor("ndarray"), Y + "y.backward(torch.as_tensor(v, dtype=y.dtype))", [2, 20],
    ),
    "a float": Broken(
        lambda x: 2 * x, X, 10.0,
        no_tensor("float"), Y + "y.backward(torch.full_like(y, float(v)))", [20, 20],
    ),
    "a NumPy number": Broken(
        lambda x: x.sum(), X, np.array(10.0),
        no_tensor("ndarray"), Y + "y.backward(torch.full_like(y, float(v)))", [10, 10],
    ),
    "one v for two outputs": Broken(two, X, torch.ones(2), count("2 tensors", 1), EACH, [3, 3]),
    "three v for two outputs": Broken(two, X, (X, X, X), count("2 tensors", 3), EACH, [3, 3]),
    "a graph used up": Broken(
        used_up, X, X,
        "Another backward ran through this graph, in f or before it, and freed what it had saved.",
        "def f(x):\n"
        "    y = x**2\n"
        "    torch.autograd.grad(y.sum(), x, retain_graph=True)  # keeps the graph for later\n"
        "    return y",
    ),
    "a saved tensor overwritten": Broken(
        overwritten, torch.zeros(2), X,
        overwrote("the output of Exp"),
        "with torch.autograd.graph.allow_mutation_on_saved_tensors():  # or, in f, y = y + 1\n"
        "    y = f(x)\n"
        "    y.backward(v)",
        [1, 2],
    ),
    "a detached graph": Broken(
        lambda x: 2 * x.detach(), X, X,
        cut("f cuts the graph at torch.Tensor.detach"), DOUBLED,
    ),
    "an index among the outputs": Broken(
        lambda x: (2 * x, x.argmax()), X, (X, None),
        "y[1], of dtype torch.int64, has no graph that leads to x.",
        "y = f(x)\n"
        "y = [part for part in y if part.requires_grad]\n"
        "torch.autograd.backward(y, [torch.ones_like(part) for part in y])",
        [2, 2],
    ),
    "grad of a tensor not in the graph": Broken(
        unused, X, None,
        "autograd.grad in f asks for the slope along a tensor that its result was not "
        "made from (x[0] is a new tensor every time).",
        "def f(x):\n"
        "    first = x[0]\n"
        "    y = first**2 + x.sum()  # made from `first` itself\n"
        "    return torch.autograd.grad(y, first, create_graph=True)[0]",
    ),
    "integers": Broken(
        lambda x: 2 * x, torch.tensor([1, 2]), X,
        "x has dtype torch.int64; only floating and complex tensors have gradients.",
        "x = x.float().requires_grad_()\ny = f(x)\ny.backward(v)", [2, 4],
    ),
    "reentrant checkpointing": Broken(
        reentrant, X, X,
        "Reentrant checkpointing allows only a plain backward, and f asks autograd.grad.",
        "def f(x):\n"
        "    y = torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)\n"
        "    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]",
    ),
    "a leaf overwritten": Broken(
        leaf_overwritten, X, X,
        "f writes into x itself, and torch does not let a leaf that requires grad be overwritten.",
        "y = f(x.clone())\ny.backward(v)", [2, 4],
    ),
    "one of two leaves overwritten": Broken(
        leaves_overwritten, (X, X), X,
        "f writes into x itself, and torch does not let a leaf that requires grad be overwritten.",
        "y = f(*(part.clone() for part in x))\ny.backward(v)", [2, 8],
    ),
    "a float returned": Broken(
        lambda x: 3.0, X, None,
        "f returned no tensor to call backward on: y is float; expected a torch.Tensor "
        "or a tuple of them.",
        "def f(x):\n    return x.sum()  # a tensor, without .item(), in no list",
    ),
    "two inputs, no v": Broken(
        lambda a, b: a * b, (X, X), None,
        "y has shape (2,), so it is not one number but 2: v must say how much each of them counts.",
        "y = f(*x)\n"
        "y.backward(torch.ones_like(y))  # the gradient of y.sum(); or weights of your own",
        [1, 2],
    ),
    "a complex scalar among the outputs": Broken(
        lambda x: (x.sum(), (x * 1j).sum()), X, None,
        "y[1] is complex, and only a real scalar has a gradient without v.",
        Y + "y[1].abs().square().sum().backward()  # or another real number made of y[1]", [6, 6],
    ),
    "a tuple with a v of another shape": Broken(
        lambda x: 2 * x, X, (torch.ones(1),),
        shape("v[0]", (1,), "y", (2,)), Y + "y.backward(v[0].expand_as(y))", [2, 2],
    ),
    "a list with a v of another order": Broken(
        lambda x: 2 * x, X, [torch.ones(1, 2)],
        shape("v[0]", (1, 2), "y", (2,)), Y + "y.backward(v[0].reshape(y.shape))", [2, 2],
    ),
    "no v for the first output, the wrong shape for the second": Broken(
        lambda x: (x.sum(), 2 * x), X, (None, torch.ones(3)),
        shape("v[1]", (3,), "y[1]", (2,)), EACH, [3, 3],
    ),
    "complex v for the second output": Broken(
        lambda x: (2 * x, 3 * x), X, (X, COMPLEX),
        dtype("v[1]", "torch.complex64", "y[1]", "torch.float32"), EACH, [5, 5],
    ),
    "a list with a complex v": Broken(
        lambda x: 2 * x, X, [COMPLEX],
        dtype("v[0]", "torch.complex64", "y", "torch.float32"), Y + "y.backward(v[0].real)",
        [2, 2],
    ),
    "a tensor and a number": Broken(two, X, [X, 3.0], no_tensor("list"), EACH, [3, 3]),
    "a number for several outputs": Broken(two, X, 3.0, no_tensor("float"), EACH, [3, 3]),
    "a word": Broken(
        lambda x: 2 * x, X, "1",
        no_tensor("str"), Y + "y.backward(torch.ones_like(y))", [2, 2],
    ),
    "a complex number": Broken(
        lambda x: 2 * x, X, 1j,
        no_tensor("complex"), Y + "y.backward(torch.ones_like(y))", [2, 2],
    ),
    "a saved buffer overwritten": Broken(
        buffer_overwritten, X, X,
        overwrote("a tensor"),
        "with torch.autograd.graph.allow_mutation_on_saved_tensors():  # or, in f, y = y + 1\n"
        "    y = f(x)\n"
        "    y.backward(v)",
        [1, 2],
    ),
    "a saved buffer overwritten, several outputs": Broken(
        lambda x: (buffer_overwritten(x), 2 * x), X, (X, X),
        overwrote("a tensor"),
        "with torch.autograd.graph.allow_mutation_on_saved_tensors():  # or, in f, y = y + 1\n"
        "    y = f(x)\n"
        "    torch.autograd.backward(y, v)",
        [3, 6],
    ),
    "no v in a tuple": Broken(
        lambda x: 3 * x, X, (),
        count("one tensor", 0), Y + "y.backward(torch.ones_like(y))", [3, 3],
    ),
    "floats among integers": Broken(
        lambda a, b: a * b, (torch.tensor([1, 2]), X), X,
        "x has dtype torch.int64, torch.float32; only floating and complex tensors have gradients.",
        "x = tuple(part.float().requires_grad_() for part in x)\ny = f(*x)\ny.backward(v)", [1, 4],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_explains_the_error_and_the_fix_runs(name: str) -> None:
    broken = BROKEN[name]
    outcome = backward(broken.f, broken.x, broken.v)
    assert outcome.error is not None
    failure = diagnose(broken.f, broken.x, broken.v, outcome)
    assert failure.error is outcome.error
    assert failure.cause == broken.cause
    assert failure.fix == broken.fix

    names: dict[str, Any] = {
        "torch": torch, "f": broken.f, "v": broken.v, "x": _leaves(broken.x),
    }  # fmt: skip
    exec(failure.fix, names)
    if broken.grad is None:  # the fix shows another f
        assert names["f"] is not broken.f
        y = names["f"](names["x"])
        y.backward(torch.ones_like(y))
    x = names["x"]
    first = x[0] if isinstance(x, tuple) else x
    assert first.grad is not None
    if broken.grad is not None:
        torch.testing.assert_close(first.grad, torch.tensor(broken.grad, dtype=torch.float32))


def _leaves(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_leaves, x))
    return x.detach().clone().requires_grad_() if x.is_floating_point() else x.clone()


def test_every_piece_of_advice_is_given_by_a_test() -> None:
    import re

    seen = [
        f"{type(outcome.error).__name__}: {outcome.error}"
        for broken in BROKEN.values()
        for outcome in [backward(broken.f, broken.x, broken.v)]
    ]
    untested = [
        p
        for p, _ in (*OF_THE_CALL, *ANYWHERE)
        if not any(re.search(p, message) for message in seen)
    ]
    assert untested == ["expected device"]  # needs a second device; see the next test


@pytest.mark.parametrize(
    ("several", "v", "cause", "fix"),
    [
        (
            False,
            torch.ones(2, device="meta"),
            "v is on device meta and y on cpu.",
            f"{ONES}  # or v.to(y.device)",
        ),
        (
            False,
            [torch.ones(2, device="meta")],
            "v[0] is on device meta and y on cpu.",
            f"{ONES}  # or v[0].to(y.device)",
        ),
        (
            True,
            (X, torch.ones((), device="meta")),
            "v[1] is on device meta and y[1] on cpu.",
            EACH,
        ),
        (
            True,
            (None, torch.ones((), device="meta")),
            "v[1] is on device meta and y[1] on cpu.",
            EACH,
        ),
    ],
)
def test_another_device(several: bool, v: Any, cause: str, fix: str) -> None:
    f = two if several else lambda x: 2 * x
    error = RuntimeError("invalid gradient at index 0 - expected device cpu but got meta")
    y = backward(f, X, (X, torch.tensor(1.0)) if several else X).y
    failure = diagnose(f, X, v, Outcome(y, None, error, False, False))
    assert failure.cause == cause
    assert failure.fix == fix
    names: dict[str, Any] = {"torch": torch, "f": f, "x": X.clone().requires_grad_(), "v": v}
    exec(failure.fix, names)
    assert names["x"].grad.tolist() == ([3, 3] if several else [2, 2])


def test_torch_says_so_of_another_device() -> None:
    with pytest.raises(RuntimeError, match="expected device cpu but got meta"):
        torch.autograd.backward(2 * X.clone().requires_grad_(), torch.ones(2, device="meta"))


@pytest.mark.parametrize(
    ("f", "x", "v", "calls", "grad"),
    [
        (lambda x: x**2, X, X, ["y = f(x)", "y.backward(v)"], [2, 8]),
        (lambda a, b: a * b, (X, X), X, ["y = f(*x)", "y.backward(v)"], [1, 4]),
        (
            lambda x: (x**2, 2 * x), X, (X, X),
            ["y = f(x)", "torch.autograd.backward(y, v)"], [4, 12],
        ),
    ],
    ids=["one", "inputs", "outputs"],
)  # fmt: skip
def test_autograd_switched_off(f: Any, x: Any, v: Any, calls: list[str], grad: list[float]) -> None:
    with torch.no_grad():
        failure = diagnose(f, x, v, backward(f, x, v))
        assert failure.cause == (
            "Autograd is switched off here, by torch.no_grad() or torch.inference_mode()."
        )
        assert failure.fix == "\n    ".join(
            ["with torch.inference_mode(False), torch.enable_grad():", *calls]
        )
        names: dict[str, Any] = {"torch": torch, "f": f, "x": _leaves(x), "v": v}
        exec(failure.fix, names)
    first = names["x"][0] if isinstance(x, tuple) else names["x"]
    assert first.grad.tolist() == grad


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: torch.autograd.grad(x**2, x)[0], "only for scalar outputs"),
        (lambda x: torch.autograd.grad((x * 1j).sum(), x)[0], "only for real scalar outputs"),
        (lambda x: torch.autograd.grad(x.detach().sum(), x)[0], "does not require grad"),
        (
            lambda x: torch.autograd.grad(x**2, x, torch.ones(2, device="meta"))[0],
            "expected device cpu but got meta",
        ),
        (lambda x: x * list(3), "'int' object is not iterable"),  # type: ignore[call-overload]
    ],
    ids=["no scalar", "complex", "no graph", "device", "no iterable"],
)
def test_what_f_itself_raised_is_not_blamed_on_the_call(f: Any, message: str) -> None:
    outcome = backward(f, X, X)
    assert message in str(outcome.error)
    failure = diagnose(f, X, X, outcome)
    assert (failure.error, failure.fix) == (outcome.error, "")
    assert failure.cause == "f itself raised this, before any backward."


@pytest.mark.parametrize(
    ("raises", "message"),
    [
        (lambda g: g.sum().backward(), "does not require grad"),
        (lambda g: torch.autograd.grad(g.requires_grad_() ** 2, g), "only for scalar outputs"),
        (lambda g: [*g.sum()], "iteration over a 0-d"),
        (lambda g: {}["lost"], "lost"),
    ],
    ids=["no graph", "no scalar", "no iterable", "an error nobody knows"],
)
def test_what_a_backward_of_f_raised_is_not_blamed_on_the_call(raises: Any, message: str) -> None:
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            with torch.enable_grad():
                raises(grads[0].detach().clone())

    outcome = backward(Raises.apply, X, X)
    assert message in str(outcome.error)
    failure = diagnose(Raises.apply, X, X, outcome)
    assert failure.cause == "A backward that f uses raised this; torch accepted the call itself."
    assert failure.fix == ""
