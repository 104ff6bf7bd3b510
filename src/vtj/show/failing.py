"""Why a backward call failed, in one sentence, and what to write instead."""

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_tuple
from vtj.outcome import Outcome
from vtj.show.detached import cut


@dataclass(frozen=True)
class Failure:
    """One failed backward call.

    Attributes:
        error: What torch, or `f`, raised.
        cause: Why, in one sentence.
        fix: Code that works, with the names `f`, `x`, `v` and `torch`; or a small `f` that shows
            what to change in yours; empty where none is known.
    """

    error: Exception
    cause: str
    fix: str


@dataclass(frozen=True)
class FailedCall:
    """A call of backward that failed: ``y = f(x)`` and ``y.backward(v)``."""

    f: Function
    x: Tensors
    v: Any
    y: Any
    error: Exception

    @property
    def run(self) -> str:
        """The line that makes y."""
        return "y = f(*x)\n" if isinstance(self.x, tuple) else "y = f(x)\n"

    @property
    def pairs(self) -> list[tuple[str, Any, str, Any]]:
        """The parts of v and y that belong together, each after its name."""
        pairs = zip(_parts("v", self.v), _parts("y", self.y), strict=False)
        return [(*of_v, *of_y) for of_v, of_y in pairs]

    def rewritten(self, back: str) -> str:
        """Make y and go back from it so; several outputs get a v each."""
        return self.run + (EVERY_OUTPUT if isinstance(self.y, tuple) else back)


Advice = tuple[str, str]
"""The cause, and code that works."""

MANY = (tuple, list)
EVERY_OUTPUT = "torch.autograd.backward(y, [torch.ones_like(part) for part in y])"
WITH_ONES = "y.backward(torch.ones_like(y))"


def diagnose(f: Function, x: Tensors, v: Any, outcome: Outcome) -> Failure:
    """Explain the error that `vtj.backward` caught."""
    assert outcome.error is not None
    call = FailedCall(f, x, v, outcome.y, outcome.error)
    return Failure(call.error, *_advice(call))


def _advice(call: FailedCall) -> Advice:
    if call.y is not None and (misfit := _misfit(call)):
        return misfit
    message = f"{type(call.error).__name__}: {call.error}"
    of_the_call = call.y is not None and not _in_a_backward(call.error)
    for pattern, advice in (*OF_THE_CALL, *ANYWHERE) if of_the_call else ANYWHERE:
        if re.search(pattern, message):
            return advice(call) if callable(advice) else advice
    if call.y is not None:
        return "A backward that f uses raised this; torch accepted the call itself.", ""
    return "f itself raised this, before any backward.", ""


def _in_a_backward(error: Exception) -> bool:
    """Return whether Python code that autograd called raised this, and not torch itself."""
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    return "_engine_run_backward" in names[:-1]


def _misfit(call: FailedCall) -> Advice | None:
    """Explain how v does not fit y: in number, or the first in shape or in kind of number."""
    came, counted = len(_parts("v", call.v)), isinstance(call.v, (*MANY, Tensor))
    if not came or (isinstance(call.y, tuple) and counted and came != len(call.y)):
        return _not_as_many(call, came)
    for of_v, v, of_y, y in call.pairs:
        if isinstance(v, Tensor) and v.shape != y.shape:
            return _shape(call, of_v, v, of_y, y)
        if isinstance(v, Tensor) and v.is_complex() != y.is_complex():
            return _complex_dtype(call, of_v, v, of_y, y)
    return None


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return every part of a value after its name."""
    if not isinstance(value, MANY):
        return [(name, value)]
    return [(f"{name}[{position}]", part) for position, part in enumerate(value)]


def _shape(call: FailedCall, of_v: str, v: Tensor, of_y: str, y: Tensor) -> Advice:
    cause = (
        f"{of_v} has shape {tuple(v.shape)} and {of_y} has shape {tuple(y.shape)}: "
        "v needs exactly y's shape, nothing is broadcast."
    )
    if v.numel() == y.numel():
        return cause, call.rewritten(f"y.backward({of_v}.reshape(y.shape))")
    if y.numel() == 1:
        torch_1_2 = f"y.backward({of_v}.sum().reshape(y.shape))  # what torch 1.2 did"
        return cause, call.rewritten(torch_1_2)
    try:
        v.expand_as(y)
    except RuntimeError:
        return cause, call.rewritten(WITH_ONES + "  # or a v of y's shape")
    return cause, call.rewritten(f"y.backward({of_v}.expand_as(y))")


def _not_scalar(call: FailedCall) -> Advice:
    if isinstance(call.y, tuple):
        shapes = ", ".join(str(tuple(part.shape)) for part in call.y)
        cause = f"f returns tensors of shapes {shapes}: all that are no scalars need a v."
    else:
        cause = (
            f"y has shape {tuple(call.y.shape)}, so it is not one number but {call.y.numel()}: "
            "v must say how much each of them counts."
        )
    return cause, call.rewritten(WITH_ONES + "  # the gradient of y.sum(); or weights of your own")


def _complex_scalar(call: FailedCall) -> Advice:
    of_y = next(name for name, part in _parts("y", call.y) if part.is_complex())
    cause = f"{of_y} is complex, and only a real scalar has a gradient without v."
    fix = f"{of_y}.abs().square().sum().backward()  # or another real number made of {of_y}"
    return cause, call.run + fix


def _complex_dtype(call: FailedCall, of_v: str, v: Tensor, of_y: str, y: Tensor) -> Advice:
    rule = "complex needs complex, real needs real"
    cause = f"{of_v} has dtype {v.dtype} and {of_y} {y.dtype}: {rule}."
    fix = f"y.backward({of_v}.to(y.dtype))" if y.is_complex() else f"y.backward({of_v}.real)"
    return cause, call.rewritten(fix)


def _no_tensor(call: FailedCall) -> Advice:
    cause = f"v is {type(call.v).__name__}; backward takes a torch.Tensor of y's shape, or None."
    fix = WITH_ONES
    if isinstance(call.y, Tensor):
        try:
            shape = torch.as_tensor(call.v, dtype=call.y.dtype).shape
        except (RuntimeError, TypeError, ValueError):
            return cause, call.run + fix
        if not shape:
            fix = "y.backward(torch.full_like(y, float(v)))"
        elif shape == call.y.shape:
            fix = "y.backward(torch.as_tensor(v, dtype=y.dtype))"
    return cause, call.rewritten(fix)


def _not_as_many(call: FailedCall, came: int) -> Advice:
    returns = "one tensor" if isinstance(call.y, Tensor) else f"{len(call.y)} tensors"
    cause = f"f returns {returns} and {came} v came: each output needs its own."
    return cause, call.rewritten(WITH_ONES)


def _overwritten(call: FailedCall) -> Advice:
    # torch 2.4 calls it ExpBackward0, later ones Exp
    found = re.search(r"output \d+ of (\w+?)(?:Backward\d+)?\b", str(call.error))
    what = f"the output of {found[1]}" if found else "a tensor"
    cause = f"f overwrote {what} in place (as y += 1 or y[0] = 0 do) and backward needs it."
    context = "torch.autograd.graph.allow_mutation_on_saved_tensors()"
    return cause, f"with {context}:  # or, in f, y = y + 1\n" + _inside(call)


def _inside(call: FailedCall) -> str:
    """Write the call inside of a with block."""
    several = isinstance(call.y, tuple)
    back = "torch.autograd.backward(y, v)" if several else "y.backward(v)"
    return f"    {call.run}    {back}"


def _no_graph(call: FailedCall) -> Advice:
    if not torch.is_grad_enabled():
        cause = "Autograd is switched off here, by torch.no_grad() or torch.inference_mode()."
        return cause, "with torch.inference_mode(False), torch.enable_grad():\n" + _inside(call)
    found = re.search(r"element (\d+) of tensors", str(call.error))
    if found and isinstance(call.y, tuple):
        dtype = call.y[int(found[1])].dtype
        cause = f"y[{found[1]}], of dtype {dtype}, has no graph that leads to x."
        only = "y = [part for part in y if part.requires_grad]\n"
        return cause, call.run + only + EVERY_OUTPUT
    return cut(call.f, call.x)


def _device(call: FailedCall) -> Advice:
    given = (pair for pair in call.pairs if pair[1] is not None)
    of_v, v, of_y, y = next(pair for pair in given if pair[1].device != pair[3].device)
    cause = f"{of_v} is on device {v.device} and {of_y} on {y.device}."
    return cause, call.rewritten(f"{WITH_ONES}  # or {of_v}.to(y.device)")


def _no_floats(call: FailedCall) -> Advice:
    dtypes = ", ".join(dict.fromkeys(str(part.dtype) for part in as_tuple(call.x)))
    cause = f"x has dtype {dtypes}; only floating and complex tensors have gradients."
    one = "x = x.float().requires_grad_()\n"
    many = "x = tuple(part.float().requires_grad_() for part in x)\n"
    return cause, (many if isinstance(call.x, tuple) else one) + call.run + "y.backward(v)"


def _leaf(call: FailedCall) -> Advice:
    cause = (
        "f writes into x itself, and torch does not let a leaf that requires grad be overwritten."
    )
    one, many = "y = f(x.clone())\n", "y = f(*(part.clone() for part in x))\n"
    return cause, (many if isinstance(call.x, tuple) else one) + "y.backward(v)"


def _no_output(call: FailedCall) -> Advice:
    cause = f"f returned no tensor to call backward on: {call.error}."
    return cause, "def f(x):\n    return x.sum()  # a tensor, without .item(), in no list"


FREED = (
    "Another backward ran through this graph, in f or before it, and freed what it had saved.",
    "def f(x):\n"
    "    y = x**2\n"
    "    torch.autograd.grad(y.sum(), x, retain_graph=True)  # keeps the graph for later\n"
    "    return y",
)
UNUSED = (
    "autograd.grad in f asks for the slope along a tensor that its result was not made from "
    "(x[0] is a new tensor every time).",
    "def f(x):\n"
    "    first = x[0]\n"
    "    y = first**2 + x.sum()  # made from `first` itself\n"
    "    return torch.autograd.grad(y, first, create_graph=True)[0]",
)
REENTRANT = (
    "Reentrant checkpointing allows only a plain backward, and f asks autograd.grad.",
    "def f(x):\n"
    "    y = torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)\n"
    "    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]",
)
Table = tuple[tuple[str, Advice | Callable[[FailedCall], Advice]], ...]

OF_THE_CALL: Table = (
    ("only for scalar outputs", _not_scalar),
    ("only for real scalar outputs", _complex_scalar),
    ("TypeError: (gradients can be|.*object is not iterable|iteration over a 0-d)", _no_tensor),
    ("does not require grad and does not have a grad_fn", _no_graph),
    ("expected device", _device),
)
"""Patterns of messages about y and v, each with its advice; f can raise them too."""

ANYWHERE: Table = (
    ("backward through the graph a second time", FREED),
    ("modified by an inplace operation", _overwritten),
    ("appears to not have been used in the graph", UNUSED),
    ("[Oo]nly Tensors of floating point", _no_floats),
    ("use_reentrant=True", REENTRANT),
    ("leaf Variable that requires grad is being used in an in-place", _leaf),
    (r"TypeError: y\b.*expected a torch\.Tensor", _no_output),
)
"""Patterns of messages that mean the same wherever they are raised."""
