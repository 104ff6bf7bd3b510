"""What y.backward(gradient) does, combination by combination.

Plain torch in old syntax, and no import from vtj: `nox -s history` runs this file on every release
back to torch 1.0 (Python 3.7).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch

SHAPES = ((), (1,), (1, 1), (3,), (2, 3), (0,))
GRADIENT_SHAPES = (*SHAPES, (4,), (3, 1))
KINDS = ("int64", "float64", "bool", "complex64", "numpy", "meta")


class Tried(NamedTuple):
    """What a call led to: the text of its result, or the name and message of what it raised."""

    raised: str
    text: str

    def __str__(self) -> str:
        return self.raised + ": " + self.text if self.raised else self.text


class Combination(NamedTuple):
    """One combination: y's shape, the gradient's kind and shape, and whether x requires grad."""

    y_shape: tuple[int, ...]
    kind: str
    shape: tuple[int, ...] | None
    requires_grad: bool

    @property
    def given(self) -> str:
        """The gradient's kind and shape in words."""
        return self.kind if self.shape is None else f"{self.kind} {self.shape}"

    def __str__(self) -> str:
        leaf = "" if self.requires_grad else ", x does not require grad"
        return f"y {self.y_shape}, gradient {self.given}{leaf}"


def attempt(run: Callable[[], object]) -> Tried:
    """Call `run` and write down its result or its exception, without C++ stack frames."""
    try:
        return Tried("", str(run()))
    except Exception as error:
        message = re.split(r"\n(?:frame #|Exception raised from)", str(error))[0]
        return Tried(type(error).__name__, message)


def backward(y: Any, *gradient: object) -> None:
    """Call y.backward, which torch leaves without types."""
    y.backward(*gradient)


def counting(shape: tuple[int, ...]) -> torch.Tensor:
    """Return 1, 2, 3 … as a float32 tensor of this shape."""
    size = 1
    for length in shape:
        size *= length
    return torch.arange(1.0, size + 1.0).reshape(shape)


def gradient(kind: str, shape: tuple[int, ...]) -> object:
    """Return the gradient argument of this kind: 1, 2, 3 … (bool: whether that is odd)."""
    v = counting(shape)
    if kind == "list":
        return v.tolist()
    if kind == "float":
        return 1.0
    if kind == "bool":
        return v % 2 == 1
    if kind == "numpy":
        return v.numpy()
    return v.to("meta") if kind == "meta" else v.to(getattr(torch, kind))


def combinations() -> Iterator[Combination]:
    """Every combination of the table, in the table's order."""
    for requires_grad in (True, False):
        for y_shape in SHAPES:
            yield Combination(y_shape, "omitted", None, requires_grad)
            for shape in GRADIENT_SHAPES:
                yield Combination(y_shape, "float32", shape, requires_grad)
            yield Combination(y_shape, "float", None, requires_grad)
            yield Combination(y_shape, "list", y_shape or (1,), requires_grad)
            for kind in KINDS:
                yield Combination(y_shape, kind, y_shape, requires_grad)


def left_in(x: torch.Tensor, y: torch.Tensor, *gradient: object) -> torch.Tensor | None:
    """Call y.backward and return what it leaves in x.grad."""
    backward(y, *gradient)
    return x.grad


def run(combination: Combination) -> Tried:
    """Run y = x**2 at x = 1, 2, 3 … backward with this gradient; its text is x.grad's."""

    def x_grad() -> torch.Tensor | None:
        x = counting(combination.y_shape).requires_grad_(combination.requires_grad)
        given = (
            []
            if combination.kind == "omitted"
            else [gradient(combination.kind, combination.shape or ())]
        )
        return left_in(x, x**2, *given)

    return attempt(x_grad)


def several() -> dict[str, Tried]:
    """Run torch.autograd.backward on two outputs, y1 = sum(x) and y2 = x**2, at x = [1, 2, 3]."""
    one, three, four = torch.tensor(1.0), counting((3,)), counting((4,))
    gradients: dict[str, Any] = {
        "omitted": None,
        "[(), (3,)]": [one, three],
        "[None, (3,)]": [None, three],
        "[(), None]": [one, None],
        "[()]": [one],
        "[]": [],
        "[(1,), (3,)]": [counting((1,)), three],
        "[(), (4,)]": [one, four],
        "[None, (4,)]": [None, four],
        "[(3,), (4,)]": [three, four],
        "(3,)": three,
    }

    def x_grad(given: Any) -> torch.Tensor | None:
        x = counting((3,)).requires_grad_()
        torch.autograd.backward([x.sum(), x**2], given)
        return x.grad

    return {name: attempt(partial(x_grad, given)) for name, given in gradients.items()}
