"""Runs each case of the zoo once and writes down what came of it, as plain data.

`python -m vtj_site.statements.facts FILE` writes the records of the whole zoo into a file: a build
starts it beside its pages, in a process of its own.
"""

import pickle
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vtj_site.statements import bound
from vtj_site.statements.zoo import CUBE, MAKE_V, Case, cases, filled

RELATIVE = {"torch.bfloat16": 0.05}
"""bfloat16 keeps 8 bits: `inv` of the zoo loses two more of them."""
SMALLEST = 1e-3
"""Below that a product counts as zero: differences leave 1e-10 where `x.round()` has none."""
STEP = 1e-6
"""Of the central differences, in float64: the largest third derivative, of `log`, adds 1e-11."""


Numbers = NDArray[np.float64]


class Slopes(NamedTuple):
    """A Jacobian: `real` in the real and imaginary parts of each number in turn, as torch counts.

    `plain` has the derivatives in the direction of the real numbers: vᵀ·J, nothing conjugated.
    """

    real: Numbers
    plain: NDArray[np.complex128]


@dataclass(frozen=True)
class Seen:
    """What is written down of a tensor."""

    shape: tuple[int, ...]
    dtype: str  # say "float32"
    leaf: bool
    requires_grad: bool
    elements: int

    @property
    def is_complex(self) -> bool:
        """Whether its numbers are complex."""
        return self.dtype.startswith("complex")

    @property
    def is_real(self) -> bool:
        """Whether its numbers are real, and not only whole."""
        return "float" in self.dtype


@dataclass
class Record:
    """What came of one case; the call is its last step, and "before" is right before that."""

    case: Case
    refused: str = ""  # "operation", "before" or "call": where torch raised
    error: str = ""  # `Type: message`, its first line
    warned: str = ""  # the type of the first warning
    x: Seen | None = None
    y: Seen | None = None
    v: Seen | None = None  # what the call hands over, where that is a tensor
    v_type: str = ""  # of what it hands over, say "Tensor" or "list of float"
    grad: Seen | None = None  # the gradient: what arrived in x.grad, or what the call returned
    returned: bool = False  # whether the call returned it
    y_is_view: bool = False
    hooks: int = 0  # how many hooks on x and y replace what arrives there: each by 5 times that
    depends: bool = False  # whether y changes when x does
    agrees: bool | None = None  # whether the gradient is the product; None without either
    times: float | None = None  # of the product it is so many times, where that is not zero
    plain: bool | None = None  # whether it is vᵀ·J, nothing conjugated
    of_ones: bool | None = None  # whether it is the product of all ones and J
    added: bool | None = None  # whether x.grad, filled before, has become that and the gradient
    filled: bool = False  # whether x.grad came to hold something else than before
    kept: bool = False  # whether x.grad was there before and is the same tensor after
    leaf_filled: bool = False  # whether the leaf that x was made from got a .grad
    y_filled: bool = False  # whether y got a .grad
    zero: bool | None = None  # whether the gradient is zero everywhere
    shares_v: bool = False  # whether the gradient and v have their memory in common
    x_written: bool = False  # whether the values of x were written over before
    y_written: bool = False
    counted: int = 0  # how many of those writes the counts of x and y show
    changed: str = ""  # which of x, y and v the call itself has changed
    again: str | None = None  # what a further pass through the graph raised; "" if nothing

    @property
    def cut(self) -> bool:
        """Whether the operation takes a part of `y` out of the graph."""
        return ".detach()" in self.case.op


def run(case: Case) -> Record:
    """Run a case in names of its own.

    The gradient is compared with a product of `v` and a Jacobian by central differences. Where
    numbers are complex, that is torch's convention: the gradient of the real part of `conj(v)·y`.
    """
    import torch

    always = torch.is_warn_always_enabled()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.set_warn_always(True)  # else it says some things once in a process
        record = Record(case)
        _run(record)
        torch.set_warn_always(always)
    record.warned = said[0].category.__name__ if said else ""
    return record


def _run(record: Record) -> None:
    import torch
    from torch.utils.checkpoint import checkpoint

    case = record.case
    names: dict[str, Any] = {"torch": torch, "checkpoint": checkpoint}
    if "Cube" in case.op:
        exec(compiled(CUBE), names)
    exec(compiled(case.tensor.code), names)
    x, leaf = names["x"], names.get("leaf")
    record.x = seen(x)
    if not attempt(record, "operation", f"y = {case.op}", names):
        return
    made, written = (copy(x), copy(names["y"])), versions(x, names["y"])
    exec(compiled(MAKE_V), names)
    if not attempt(record, "before", f"handed = {case.call.v or 'torch.ones_like(y)'}", names):
        return
    handed, first = names["handed"], names["y"]
    if not attempt(record, "before", filled(case.call.first, case, "handed"), names):
        return
    y = names["y"]
    record.y, record.y_is_view = seen(y), y._is_view()
    record.x_written = not same(made[0], x)
    record.y_written = y is first and not same(made[1], y)
    record.counted = versions(x, y) - written if y is first else 0
    record.hooks = sum(len(each._backward_hooks or ()) for each in {x, y})
    record.v_type = type_of(handed) if case.call.v else ""
    if isinstance(handed, torch.Tensor):
        record.v = seen(handed) if case.call.v else None
    slopes = jacobian(case.op, case.tensor.code)
    record.depends = slopes is not None and bool(slopes.real.any())
    had = grad_of(x)
    before = [copy(each) for each in (x, y, handed, had)]
    before_leaf = leaf is not None and copy(leaf.grad)
    if not attempt(record, "call", filled(case.call.code, case, "handed"), names):
        return
    now = [x, y, handed]
    record.changed = "".join(
        name for name, old, new in zip("xyv", before, now, strict=False) if not same(old, new)
    )
    after = grad_of(x)
    record.filled = after is not None and not same(after, before[3])
    record.kept = after is not None and after is had
    record.leaf_filled = leaf is not None and not same(leaf.grad, before_leaf)
    record.y_filled = grad_of(y) is not None and y is not x
    record.returned = "grad" in names
    gradient = names["grad"] if record.returned else after
    if gradient is not None:
        record.grad = seen(gradient)
        if isinstance(handed, torch.Tensor):
            record.shares_v = memory(gradient) == memory(handed) != 0
        if not record.returned and before[3] is not None:
            record.added = added(case, before[2], before[3], gradient)
            if record.added is not False:
                gradient = gradient - before[3]
        record.zero = not gradient.any() if gradient.numel() else None
        compare(record, gradient, before[2], slopes)
    if y.requires_grad and x.requires_grad:
        try:
            torch.autograd.grad(y, x, torch.ones_like(y))
            record.again = ""
        except Exception as error:
            record.again = told(error)


def added(case: Case, v: Any, before: Any, after: Any) -> bool | None:
    """Whether `.grad` is what was there and the gradient that a fresh graph gives.

    None where nobody could tell, because one of them is zero.
    """
    import torch

    names: dict[str, Any] = {"torch": torch}
    exec(compiled(CUBE), names)
    exec(compiled(case.tensor.code), names)
    exec(compiled(f"y = {case.op}"), names)
    (alone,) = torch.autograd.grad(names["y"], names["x"], v, allow_unused=True)
    if alone is None or not before.any() or not alone.any():
        return None
    return torch.allclose(after, before + alone, RELATIVE.get(str(after.dtype), 1e-4))


def attempt(record: Record, step: str, code: str, names: dict[str, Any]) -> bool:
    """Run a step of a case; if torch raises, write down what, and return False."""
    try:
        exec(compiled(code), names)
    except Exception as error:
        record.refused, record.error = step, told(error)
        return False
    return True


def compare(record: Record, gradient: Any, v: Any, slopes: Slopes | None) -> None:
    """Write down whether a gradient is the product of a `v` and a Jacobian, or a multiple of it."""
    if slopes is None or not hasattr(v, "detach") or v.numel() != len(slopes.plain):
        return
    weights, found = coordinates(v), coordinates(gradient)
    product = weights @ slopes.real
    if found.shape != product.shape:
        return
    size = max(float(abs(product).max(initial=0)), SMALLEST)
    close = size * RELATIVE.get(str(gradient.dtype), 1e-4)
    record.agrees = bool(abs(found - product).max(initial=0) <= close)
    if square := float(product @ product):
        ratio = float(found @ product) / square
        if abs(found - ratio * product).max() <= close * max(1, abs(ratio)):
            record.times = round(ratio, 1)
    plain = (weights.view(complex) @ slopes.plain).view(float)
    record.plain = bool(abs(found - plain).max(initial=0) <= close)
    record.of_ones = bool(abs(found - slopes.real[::2].sum(0)).max(initial=0) <= close)


@cache
def jacobian(op: str, code: str) -> Slopes | None:
    """Return the Jacobian of an operation by central differences; None for whole numbers."""
    import torch

    names: dict[str, Any] = {"torch": torch}
    exec(compiled(CUBE), names)
    exec(compiled(code), names)
    x = names["x"].detach()
    if not (x.is_floating_point() or x.is_complex()):
        return None
    exec(compiled(f"y = {op}"), {**names, "x": x.clone()}, names)
    flat = coordinates(x)
    slopes = np.zeros((2 * names["y"].numel(), len(flat)))
    with torch.no_grad():
        for place in range(0, len(flat), 1 if x.is_complex() else 2):
            ends = []
            for step in (STEP, -STEP):
                moved = flat.copy()
                moved[place] += step
                again = torch.from_numpy(moved.view(complex)).reshape(x.shape)
                names["x"] = again if x.is_complex() else again.real.clone()
                exec(compiled(f"y = {op}"), names)
                ends.append(coordinates(names["y"]))
            slopes[:, place] = (ends[0] - ends[1]) / (2 * STEP)
    plain = np.ascontiguousarray(slopes[:, ::2].T).view(complex).T
    return Slopes(slopes, plain)


def coordinates(tensor: Any) -> Numbers:
    """Return a tensor's numbers in one row, the real and the imaginary part of each in turn."""
    wide = tensor.detach().cdouble().resolve_conj().resolve_neg()
    return np.ascontiguousarray(wide.numpy()).reshape(-1).view(float)


def seen(tensor: Any) -> Seen:
    """Write down what a tensor is."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    shape, elements = tuple(tensor.shape), tensor.numel()
    return Seen(shape, dtype, tensor.is_leaf, tensor.requires_grad, elements)


def type_of(value: Any) -> str:
    """Return the name of a value's type; of a list, also that of its first item."""
    name = type(value).__name__
    return f"list of {type_of(value[0])}" if isinstance(value, list) and value else name


def grad_of(tensor: Any) -> Any:
    """Return the `.grad` of a tensor that has one, without the warning for others."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def copy(value: Any) -> Any:
    """Return the values of a tensor as they are now."""
    return value.detach().clone() if hasattr(value, "detach") else value


def same(one: Any, other: Any) -> bool:
    """Whether two values, tensors or none, are equal."""
    if hasattr(one, "detach") and hasattr(other, "detach"):
        return bool(one.shape == other.shape and one.detach().equal(other.detach()))
    return one is other or type(one) is type(other)


def versions(*tensors: Any) -> int:
    """Return how many writes in place torch has counted."""
    return sum(tensor._version for tensor in tensors)


def memory(tensor: Any) -> int:
    """Return where the numbers of a tensor begin; 0 where there are none."""
    return int(tensor.untyped_storage().data_ptr())


def told(error: Exception) -> str:
    """Return the type and the first line of an error."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


@cache
def compiled(code: str) -> CodeType:
    """Return code that can be run again and again."""
    return compile(code, "<case>", "exec")


def table() -> list[Record]:
    """Run the whole zoo."""
    import torch

    torch.set_num_threads(1)
    return [run(case) for case in cases()]


class Facts(NamedTuple):
    """All that the site's words rest on."""

    records: list[Record]
    bound: dict[str, bound.Bound]  # by name


def facts() -> Facts:
    """Run the whole zoo, and the check of every statement that is held by its wording."""
    from vtj_site.statements import checks  # which import torch, and declare themselves

    assert checks.__all__
    return Facts(table(), bound.run())


if __name__ == "__main__":
    from vtj_site.statements import facts as module  # pickles name the module, not "__main__"

    file = Path(sys.argv[1])
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_bytes(pickle.dumps(module.facts()))
    unfinished.rename(file)  # a build that is interrupted leaves no half of an answer
