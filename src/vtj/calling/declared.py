"""Outputs that an operation itself declares to have no gradient, as torch documents them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.autograd.function import FunctionCtx
from torch.overrides import TorchFunctionMode

from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves


def holding_declared(f: Function, x: Tensors) -> tuple[Function, list[int]]:
    """Return `f` with outputs that have no gradient by declaration held at their values, and which.

    So it is one that a custom Function names in ``ctx.mark_non_differentiable``, or that torch's
    own operation gives beside one with a gradient, as the mean of ``torch.native_layer_norm``.
    gradcheck leaves these out too. What is detached by hand is not among them.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.mark_non_differentiable.html
    """
    with _declared() as declared:
        y = f(*fresh_leaves(x))
    outputs = as_tuple(y, "y")
    # pairs of a complex output are a view of it
    seen = [part if part._base is None else part._base for part in outputs]
    held = [
        i
        for i, (part, base) in enumerate(zip(outputs, seen, strict=True))
        if any(one is part or one is base for one in declared)
    ]
    if not held:
        return f, held

    def holding(*x: Tensor) -> Tensors:
        now = as_tuple(f(*x), "y")
        return tuple(outputs[i] if i in held else part for i, part in enumerate(now))

    return holding, held


class _Mixed(TorchFunctionMode):
    """Runs every function as it is, and notes outputs without a gradient beside ones with it."""

    def __init__(self, noted: list[Tensor]) -> None:
        super().__init__()
        self.noted = noted

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        parts = out if isinstance(out, (tuple, list)) else ()
        tensors = [part for part in parts if isinstance(part, Tensor)]
        if any(part.requires_grad for part in tensors):
            self.noted += [part for part in tensors if not part.requires_grad]
        return out


@contextmanager
def _declared() -> Iterator[list[Tensor]]:
    noted: list[Tensor] = []
    mark = FunctionCtx.mark_non_differentiable

    def noting(ctx: Any, *parts: Tensor) -> None:
        noted.extend(parts)
        mark(ctx, *parts)

    FunctionCtx.mark_non_differentiable = noting  # type: ignore[assignment,method-assign]
    try:
        with _Mixed(noted):
            yield noted
    finally:
        FunctionCtx.mark_non_differentiable = mark  # type: ignore[method-assign]
