"""The questions whose answers changed between releases of torch, and the core of the combinations.

`nox -s history` runs this on every release back to torch 1.0: old syntax, and no import from vtj
except its neighbour's, which is copied along.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .trials import attempt, backward, combinations, counting, left_in, run

CORE_KINDS = ("omitted", "float32", "float", "list", "int64", "float64", "bool", "numpy")
CORE_SHAPES = ((), (1,), (3,))

DECADES = (1.0, 10.0, 100.0, 1000.0)


def vector_for_a_square() -> object:
    """Answer by-examples-53: a vector gradient for y = x**2 with a scalar x."""
    x = torch.tensor(1.0, requires_grad=True)
    return left_in(x, x**2, torch.tensor(DECADES))


def vector_for_a_sum() -> object:
    """Answer by-examples-68: a vector gradient for the sum of a vector."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return left_in(x, x.sum(), torch.tensor(DECADES))


def seed_the_node_received(gradient: float | tuple[float, ...] = DECADES) -> object:
    """Return what the node of a scalar y = x**2 is handed when the gradient is a vector."""
    received = []
    x = torch.tensor(1.0, requires_grad=True)
    y: Any = x**2
    y.grad_fn.register_hook(lambda _, incoming: received.append(incoming[0].clone()))
    backward(y, torch.tensor(gradient))
    return received[0]


def one_element_gradient() -> object:
    """Answer forum-08: torch.Tensor([1]) as the gradient of a 0-d output."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return left_in(x, (2 * x).sum(), torch.Tensor([1]))


def second_backward() -> object:
    """Call backward twice through a node that saved something."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**2).sum()
    backward(y)
    return left_in(x, y)


def overwritten_in_place() -> object:
    """Overwrite what exp saved for its backward."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    return left_in(x, y.sum())


def unused_tensor() -> object:
    """Ask autograd.grad for a tensor that y does not depend on."""
    x, z = (torch.ones(2, requires_grad=True) for _ in range(2))
    return torch.autograd.grad(x.sum(), z)


def gradient_shared_with_v() -> object:
    """Call backward(v) twice through a view and return v afterwards."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 2.0])
    backward(x.view(2), v)
    backward(x.view(2), v)
    return v


def mismatch_in_the_second_output() -> object:
    """Give the second of two outputs a gradient of the wrong shape."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    several: Any = torch.autograd.backward
    return several([2 * x, 3 * x], [counting((2,)), counting((3,))])


QUESTIONS: dict[str, Callable[[], object]] = {
    "vector gradient for a scalar y = x**2": vector_for_a_square,
    "vector gradient for a scalar y = sum(x)": vector_for_a_sum,
    "what the node of y = x**2 received": seed_the_node_received,
    "torch.Tensor([1]) for a 0-d output": one_element_gradient,
    "a second backward": second_backward,
    "an in-place change of a saved tensor": overwritten_in_place,
    "a tensor that was not used": unused_tensor,
    "v after two backwards through a view": gradient_shared_with_v,
    "a mismatch in the second of two outputs": mismatch_in_the_second_output,
}


def answers() -> dict[str, str]:
    """Ask every question and run every core combination on the torch that is imported."""
    found = {question: str(attempt(ask)) for question, ask in QUESTIONS.items()}
    for each in combinations():
        core = each.requires_grad and each.y_shape in CORE_SHAPES and each.kind in CORE_KINDS
        if core and (each.shape is None or each.shape in (*CORE_SHAPES, (4,))):
            found[str(each)] = str(run(each))
    return found
