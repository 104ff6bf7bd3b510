"""Every error a backward call can raise: its cause in one sentence, and a fix that runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from vtj.outcome import backward
from vtj.show.failing import ADVICE, diagnose

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


def leaf_overwritten(x: Tensor) -> Tensor:
    x.mul_(2)
    return x


def leaves_overwritten(a: Tensor, b: Tensor) -> Tensor:
    a.mul_(2)
    return a * b


def reentrant(x: Tensor) -> Tensor:
    return torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)[0]


def without_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        return 2 * x


@dataclass(frozen=True)
class Broken:
    f: Callable[..., Any]
    x: Any
    v: Any
    message: str  # torch's own words
    cause: str  # part of ours
    grad: Any = None  # what the fix leaves in x.grad, where it keeps f


BROKEN = {
    "y is no scalar": Broken(
        lambda x: 2 * x, X, None,
        "grad can be implicitly created only for scalar outputs",
        "y has shape (2,), so it is not one number but 2", [2, 2],
    ),
    "several outputs, no v": Broken(
        two, X, None,
        "grad can be implicitly created only for scalar outputs",
        "f returns tensors of shapes (2,), ()", [3, 3],
    ),
    "y has no elements": Broken(
        lambda x: x[:0], X, None,
        "grad can be implicitly created only for scalar outputs", "(0,)", [0, 0],
    ),
    "y is a complex scalar": Broken(
        lambda x: (x * 1j).sum(), X, None,
        "grad can be implicitly created only for real scalar outputs but got torch.complex64",
        "y is complex", [6, 6],
    ),
    "a vector for a scalar": Broken(
        lambda x: (x**2).sum(), X, torch.tensor([1.0, 10.0, 100.0, 1000.0]),
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) and output[0] has a "
        "shape of torch.Size([]).",
        "v has shape (4,) and y has shape (): v needs exactly y's shape", [2222, 4444],
    ),
    "one too many dimensions": Broken(
        lambda x: x.sum(), X, torch.ones(1), "Mismatch in shape", "v has shape (1,)", [1, 1],
    ),
    "v that could be broadcast": Broken(
        lambda x: 2 * x, X, torch.ones(1), "Mismatch in shape", "nothing is broadcast", [2, 2],
    ),
    "v of a shape of its own": Broken(
        lambda x: 2 * x, X, torch.ones(4, 4), "Mismatch in shape", "v has shape (4, 4)", [2, 2],
    ),
    "the wrong shape for the second output": Broken(
        two, X, (torch.ones(2), torch.ones(3)),
        "The size of tensor a (2) must match the size of tensor b (3)",
        "v[1] has shape (3,) and y[1] has shape ()", [3, 3],
    ),
    "the wrong shape for the first output": Broken(
        two, X, (torch.ones(3), torch.ones(())), "Mismatch in shape", "v[0] has shape (3,)", [3, 3],
    ),
    "complex v, real y": Broken(
        lambda x: 2 * x, X, torch.ones(2) * (1 + 1j),
        "For complex Tensors, both grad_output and output are required to have the same dtype",
        "v has dtype torch.complex64 and y torch.float32", [2, 2],
    ),
    "real v, complex y": Broken(
        lambda x: x * 1j, X, torch.ones(2), "For complex Tensors", "complex needs complex", [0, 0],
    ),
    "a list": Broken(
        lambda x: 2 * x, X, [1.0, 10.0],
        "gradients can be either Tensors or None, but got float", "v is list", [2, 20],
    ),
    "a list of another shape": Broken(
        lambda x: 2 * x, X, [1.0], "gradients can be either", "v is list", [2, 2],
    ),
    "a list for several outputs": Broken(
        two, X, [1.0, 1.0], "gradients can be either", "v is list", [3, 3],
    ),
    "a NumPy array": Broken(
        lambda x: 2 * x, X, np.array([1.0, 10.0]),
        "gradients can be either Tensors or None, but got float64", "v is ndarray", [2, 20],
    ),
    "a float": Broken(
        lambda x: 2 * x, X, 10.0, "'float' object is not iterable", "v is float", [20, 20],
    ),
    "a NumPy number": Broken(
        lambda x: x.sum(), X, np.array(10.0),
        "iteration over a 0-d array", "v is ndarray", [10, 10],
    ),
    "one v for two outputs": Broken(
        two, X, torch.ones(2), "got 2 tensors and 1 gradients",
        "f returns 2 tensors and 1 v came", [3, 3],
    ),
    "three v for two outputs": Broken(
        two, X, (X, X, X), "Boolean value of Tensor", "3 v came", [3, 3],
    ),
    "a graph used up": Broken(
        used_up, X, X,
        "Trying to backward through the graph a second time", "freed what it had saved",
    ),
    "a saved tensor overwritten": Broken(
        overwritten, torch.zeros(2), X,
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation", "f overwrote the output of Exp", [1, 2],
    ),
    "a detached graph": Broken(
        lambda x: 2 * x.detach(), X, X,
        "element 0 of tensors does not require grad and does not have a grad_fn",
        "f cuts the graph at torch.Tensor.detach",
    ),
    "an index": Broken(lambda x: x.argmax(), X, None, "does not require grad", "Tensor.argmax"),
    "a new tensor": Broken(
        lambda x: torch.tensor([x.detach()[0] ** 2, 1.0]) * torch.as_tensor(2.0), X, X,
        "does not require grad", "f cuts the graph at torch.Tensor.detach",
    ),
    ".data": Broken(lambda x: x.data * 2, X, X, "does not require grad", "at torch.Tensor.data."),
    "no_grad inside": Broken(without_grad, X, X, "does not require grad", "under torch.no_grad()"),
    "x not used": Broken(
        lambda x: torch.ones(x.shape[0]), X, X,
        "does not require grad", "f does not use the values of x",
    ),
    "an index among the outputs": Broken(
        lambda x: (2 * x, x.argmax()), X, (X, None),
        "element 1 of tensors does not require grad", "y[1], of dtype torch.int64, has no graph",
        [2, 2],
    ),
    "grad of a tensor not in the graph": Broken(
        unused, X, None,
        "The differentiated Tensor at index 0 appears to not have been used in the graph.",
        "autograd.grad in f",
    ),
    "integers": Broken(
        lambda x: 2 * x, torch.tensor([1, 2]), X,
        "only Tensors of floating point dtype can require gradients",
        "x has dtype torch.int64", [2, 4],
    ),
    "integers among floats": Broken(
        lambda a, b: a * b, (torch.tensor([1, 2]), torch.tensor([3, 4])), X,
        "only Tensors of floating point dtype can require gradients",
        "x has dtype torch.int64;", [3, 8],
    ),
    "reentrant checkpointing": Broken(
        reentrant, X, X, "When use_reentrant=True", "Reentrant checkpointing",
    ),
    "a leaf overwritten": Broken(
        leaf_overwritten, X, X,
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "f writes into x itself", [2, 4],
    ),
    "one of two leaves overwritten": Broken(
        leaves_overwritten, (X, X), X, "a leaf Variable", "f writes into x itself", [2, 8],
    ),
    "a float returned": Broken(
        lambda x: 3.0, X, None, "float; expected a torch.Tensor", "returned no tensor",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_explains_the_error_and_the_fix_runs(name: str) -> None:
    broken = BROKEN[name]
    outcome = backward(broken.f, broken.x, broken.v)
    assert broken.message in str(outcome.error)
    failure = diagnose(broken.f, broken.x, broken.v, outcome)
    assert failure.error is outcome.error
    assert broken.cause in failure.cause
    assert failure.cause.endswith(".")

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
    untested = [p for p, _ in ADVICE if not any(re.search(p, message) for message in seen)]
    assert untested == ["expected device"]  # needs a second device; see the next test


def test_another_device() -> None:
    y, v = torch.ones(2), torch.ones(2, device="meta")
    x = X.clone().requires_grad_()
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.backward(2 * x, v)
    outcome = backward(lambda x: 2 * x, X, None)
    failure = diagnose(lambda x: 2 * x, X, v, type(outcome)(y, None, caught.value, False, False))
    assert failure.cause == "v is on device meta and y on cpu."
    names: dict[str, Any] = {"torch": torch, "f": lambda x: 2 * x, "x": x, "v": v}
    exec(failure.fix, names)
    assert x.grad is not None


@pytest.mark.parametrize("several", [False, True])
def test_autograd_switched_off(several: bool) -> None:
    x = (X, X) if several else X
    f = (lambda a, b: a * b) if several else (lambda x: x**2)
    with torch.no_grad():
        outcome = backward(f, x, X)
        failure = diagnose(f, x, X, outcome)
        assert "switched off" in failure.cause
        names: dict[str, Any] = {"torch": torch, "f": f, "x": _leaves(x), "v": X}
        exec(failure.fix, names)
    first = names["x"][0] if several else names["x"]
    assert first.grad is not None


def test_an_error_nobody_knows() -> None:
    outcome = backward(lambda x: x / (1 // 0), X, X)
    failure = diagnose(lambda x: x, X, X, outcome)
    assert failure.cause.startswith("f itself raised this")
    assert failure.fix == ""


def test_an_error_of_backward_that_nobody_knows() -> None:
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            raise KeyError("lost")

    outcome = backward(Raises.apply, X, X)
    assert diagnose(Raises.apply, X, X, outcome).cause.startswith("A backward that f uses")


def test_nothing_to_explain() -> None:
    with pytest.raises(ValueError, match="the outcome has no error"):
        diagnose(torch.exp, X, X, backward(torch.exp, X, X))
