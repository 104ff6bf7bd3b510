"""Where a function leaves the graph, and what to write instead."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from vtj.show.detached import cut

X = torch.tensor([1.0, 2.0])
DOUBLED = "def f(x):\n    return 2 * x  # not 2 * x.detach(), nor .data, .item(), .numpy()"
SOFTMAX = "def f(x):\n    return torch.softmax(x, 0)  # not x.argmax(): an index has no slope"
STACKED = (
    "def f(x):\n    return torch.stack([x[0] ** 2, x[1]])  # not torch.tensor([x[0] ** 2, x[1]])"
)
CUTS: dict[str, tuple[Callable[[Tensor], Tensor], str, str]] = {
    "detach": (lambda x: 2 * x.detach(), "torch.Tensor.detach", DOUBLED),
    "detach last": (lambda x: x.argmax() * x.detach(), "torch.Tensor.detach", DOUBLED),
    "detach first": (
        lambda x: x.detach().argmax() * x.size(0), "torch.Tensor.detach", DOUBLED,
    ),
    "data": (lambda x: x.data, "torch.Tensor.data", DOUBLED),
    "item": (lambda x: torch.full((2,), x[0].item()), "torch.Tensor.item", DOUBLED),
    "tolist": (lambda x: torch.tensor(x.tolist()), "torch.Tensor.tolist", DOUBLED),
    "numpy": (lambda x: torch.from_numpy(x.numpy(force=True)), "torch.Tensor.numpy", DOUBLED),
    "float": (lambda x: torch.full((2,), float(x[0])), "torch.Tensor.__float__", DOUBLED),
    "int": (lambda x: torch.full((2,), int(x[0])), "torch.Tensor.__int__", DOUBLED),
    "bool": (lambda x: torch.ones(2) * bool(x[0]), "torch.Tensor.__bool__", DOUBLED),
    "argmax": (lambda x: x.argmax(), "torch.Tensor.argmax", SOFTMAX),
    "argmax last": (lambda x: x.detach() * x.argmax(), "torch.Tensor.argmax", SOFTMAX),
    "argmax, the function": (torch.argmax, "torch.argmax", SOFTMAX),
    "argmax by keyword": (lambda x: torch.argmax(input=x), "torch.argmax", SOFTMAX),
    "a new tensor": (lambda x: torch.tensor([x[0] ** 2, x[1]]), "torch.tensor", STACKED),
}  # fmt: skip


@pytest.mark.parametrize("name", CUTS)
def test_names_the_last_call_that_leaves_the_graph(name: str) -> None:
    f, where, code = CUTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of some of these itself
        cause, instead = cut(f, X)
    assert cause == f"Nothing leads from x to y that requires grad: f cuts the graph at {where}."
    assert instead == code
    names: dict[str, Any] = {"torch": torch}
    exec(instead, names)
    assert names["f"](X.clone().requires_grad_()).requires_grad


def without_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        return 2 * x


def left_outside(x: Tensor) -> Tensor:
    return without_grad(x) * x.argmax()


def test_no_grad_is_named_where_it_is_the_last() -> None:
    assert cut(without_grad, X) == (
        "Nothing leads from x to y that requires grad: f computes it under torch.no_grad().",
        "def f(x):\n    return 2 * x  # outside of torch.no_grad()",
    )
    assert cut(left_outside, X)[0].endswith("f cuts the graph at torch.Tensor.argmax.")


@pytest.mark.parametrize("size", [lambda x: 2, lambda x: x.shape[0]], ids=["known", "of x"])
def test_a_function_may_not_use_the_values_of_x(size: Callable[[Tensor], int]) -> None:
    assert cut(lambda x: torch.ones(size(x)), X) == (
        "Nothing leads from x to y that requires grad: f does not use the values of x.",
        DOUBLED,
    )


def test_several_inputs() -> None:
    cause, _ = cut(lambda a, b: a.detach() * b.detach(), (X, X))
    assert cause.endswith("f cuts the graph at torch.Tensor.detach.")
