"""Run ``y.backward(v)`` on fresh leaves and say what it did."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from vtj.calling import waiting
from vtj.calling.tensors import (
    Function,
    Tensors,
    as_tuple,
    fresh_leaves,
    like,
    materialized,
    require_function,
    same,
)


@dataclass(frozen=True)
class Outcome:
    """What one ``y.backward(v)`` did on fresh leaves.

    Attributes:
        y: `f(x)` before backward, detached; None when `f` raised or returned something else than
            tensors.
        grad: What `x.grad` holds afterwards, a tuple when `x` is one; None where nothing was put.
        error: What torch (or `f`) raised, or None.
        v_changed: Whether backward wrote into `v`.
        x_changed: Whether `f` or backward wrote into `x`.
        y_changed: Whether backward wrote into `y`.

    Example:
        >>> import torch
        >>> outcome = backward(lambda x: x**2, torch.tensor(3.0))
        >>> outcome.y, outcome.grad, outcome.error
        (tensor(9.), tensor(6.), None)
    """

    y: Tensors | None
    grad: Tensor | tuple[Tensor | None, ...] | None
    error: Exception | None
    v_changed: bool
    x_changed: bool
    y_changed: bool = False


def backward(f: Function, x: Tensors, v: Any = None) -> Outcome:
    """Run ``y = f(x); y.backward(v)`` on copies of `x` and `v`; an error is part of the outcome.

    The gradients of other tensors are left alone (`inputs=` keeps backward off them). Reentrant
    checkpointing refuses `inputs=`; there plain ``y.backward(v)`` runs.

    Args:
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple; returns a tensor or a tuple of tensors.
        x: A tensor, or a tuple of tensors, of any shape and floating or complex dtype.
        v: The gradient argument, with `y`'s shape; a tuple when `y` is one; None to omit it.

    Raises:
        TypeError: When `f` cannot be called or `x` is neither a tensor nor a tuple of them.
        ValueError: When `x` is an empty tuple.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html

    Example:
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> backward(lambda x: 3 * x**2, x, torch.tensor([1.0, 10.0])).grad
        tensor([  6., 120.])
        >>> backward(lambda x: 3 * x**2, x).error
        RuntimeError('grad can be implicitly created only for scalar outputs')
    """
    require_function(f)
    as_tuple(x)
    try:
        return _run(f, x, v, only_x=True)
    except RefusesInputs:
        return _run(f, x, v, only_x=False)


def finished(
    leaves: tuple[Tensor, ...],
    y: Any,
    x: Tensors,
    v: Any,
    *,
    only_x: bool = True,
    retain_graph: bool = False,
) -> Outcome:
    """Run ``y.backward(v)`` where `f` has run already, on leaves that are copies of `x`.

    The graph behind `y` is used up, unless it is retained. `RefusesInputs` is raised where only a
    new run of `f` and a plain ``y.backward(v)`` will do.
    """
    used, before, error = _copy(v), _copy(_detached(y)), None
    try:
        _backward(y, used, leaves if only_x else None, retain_graph)
    except Exception as raised:
        if only_x and "use_reentrant=True" in str(raised):
            raise RefusesInputs from raised
        if waiting.failed(leaves):
            return _unreadable(x, raised)
        error = raised
    told = _told(leaves, before, x, error, v_changed=not same(used, v))
    return replace(told, y_changed=not same(before, _detached(y)))


def vjp(f: Function, x: Tensors, v: Any = None) -> Tensors:
    """Return vᵀ·J: the gradient alone, zeros where `y` does not depend on `x`.

    For complex tensors torch multiplies by the conjugate of `J`.

    Args:
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor or a tuple of tensors.
        v: The gradient argument, with `y`'s shape; a tuple when `y` is one; None to omit it.

    Returns:
        A tensor of `x`'s shape and dtype; a tuple of them when `x` is a tuple.

    Raises:
        Exception: What torch raises, unchanged.

    Example:
        >>> import torch
        >>> vjp(lambda x: x.sum(), torch.tensor([1.0, 2.0]), torch.tensor(100.0))
        tensor([100., 100.])
    """
    outcome = backward(f, x, v)
    if outcome.error is not None:
        raise outcome.error
    grads = outcome.grad if isinstance(outcome.grad, tuple) else (outcome.grad,)
    parts = as_tuple(x)
    filled = [
        torch.zeros_like(part) if grad is None else grad
        for part, grad in zip(parts, grads, strict=True)
    ]
    gradient: Tensors = like(tuple(filled), x)
    return gradient


class RefusesInputs(Exception):  # noqa: N818 - no reader sees it
    """Reentrant checkpointing allows only a plain ``y.backward(v)``."""


def _run(f: Function, x: Tensors, v: Any, *, only_x: bool) -> Outcome:
    leaves: tuple[Tensor, ...] = ()
    try:
        leaves = fresh_leaves(x)
        y = waiting.waited_for(lambda: f(*leaves), leaves)
    except Exception as error:
        if waiting.failed(leaves):
            return _unreadable(x, error)
        return _told(leaves, None, x, error, v_changed=False)
    return finished(leaves, y, x, v, only_x=only_x)


def _told(
    leaves: tuple[Tensor, ...],
    y: Tensors | None,
    x: Tensors,
    error: Exception | None,
    *,
    v_changed: bool,
) -> Outcome:
    held = [leaf.grad for leaf in leaves] or [None] * len(as_tuple(x))
    grads = [None if one is None else materialized(one) for one in held]
    return Outcome(
        y=y,
        grad=like(tuple(grads), x),
        error=error,
        v_changed=v_changed,
        x_changed=bool(leaves) and not same(leaves, as_tuple(x)),
    )


def _unreadable(x: Tensors, error: Exception) -> Outcome:
    """Return what is left to tell when the device failed on which all lies."""
    nothing = like((None,) * len(as_tuple(x)), x)
    return Outcome(y=None, grad=nothing, error=error, v_changed=False, x_changed=False)


def _backward(y: Any, v: Any, inputs: Sequence[Tensor] | None, retain_graph: bool) -> None:
    if isinstance(y, Tensor):

        def run() -> Tensor:  # as a reader calls it: the method, which a subclass may have changed
            y.backward(v, retain_graph=retain_graph, inputs=inputs)  # type: ignore[no-untyped-call]
            return y

        waiting.waited_for(run, y, by_backward=True)
    else:
        waiting.backward(as_tuple(y, "y"), v, inputs=inputs, retain_graph=retain_graph)


def _copy(v: Any) -> Any:
    if isinstance(v, Tensor):
        return v.detach().clone()
    return tuple(_copy(part) for part in v) if isinstance(v, tuple) else v


def _detached(y: Any) -> Tensors | None:
    if isinstance(y, Tensor):
        return y.detach()
    if isinstance(y, tuple) and all(isinstance(part, Tensor) for part in y):
        return tuple(part.detach() for part in y)
    return None
