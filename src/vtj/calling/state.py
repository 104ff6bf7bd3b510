"""What `f` keeps between calls, found through the modules and tensors it refers to."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from vtj.calling.tensors import Function
from vtj.outcome import same


@dataclass
class Kept:
    """What `f` refers to, as it was.

    Attributes:
        buffers: The buffers of its modules: name, tensor, and a copy of its values.
        grads: The leaves it refers to, with the `.grad` each had.
    """

    buffers: list[tuple[str, Tensor, Tensor]] = field(default_factory=list)
    grads: list[tuple[Tensor, Tensor | None]] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """The names of the buffers that no longer hold what they held."""
        return [name for name, buffer, value in self.buffers if not same(buffer, value)]


@contextmanager
def state_kept(f: Function) -> Iterator[Kept]:
    """Put back what `f` changed in the buffers of its modules and in `.grad` of its parameters.

    Seen are modules and tensors that `f` is, is bound to, closes over or names as globals.

    Example:
        >>> norm = nn.BatchNorm1d(2)
        >>> with state_kept(norm) as kept:
        ...     _ = norm(torch.ones(3, 2))
        ...     changed = kept.changed
        >>> changed, norm.running_mean.tolist()
        (['running_mean', 'running_var', 'num_batches_tracked'], [0.0, 0.0])
    """
    buffers, leaves = _reach(f)
    kept = Kept(
        [(name, buffer, buffer.detach().clone()) for name, buffer in buffers],
        [(leaf, leaf.grad) for leaf in leaves],
    )
    for leaf in leaves:
        leaf.grad = None
    try:
        yield kept
    finally:
        with torch.no_grad():
            for _, buffer, value in kept.buffers:
                if not same(buffer, value):
                    buffer.copy_(value)
        for leaf, grad in kept.grads:
            leaf.grad = grad


def _reach(f: Function) -> tuple[list[tuple[str, Tensor]], list[Tensor]]:
    buffers: list[tuple[str, Tensor]] = []
    leaves: list[Tensor] = []
    for value in _referred(f):
        if isinstance(value, nn.Module):
            buffers += value.named_buffers()
            leaves += value.parameters()
        elif isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
            leaves.append(value)
    return buffers, leaves


def _referred(f: Any) -> list[Any]:
    if isinstance(f, partial):
        return [*_referred(f.func), *f.args, *f.keywords.values()]
    found = [f, getattr(f, "__self__", None)]
    function = inspect.unwrap(getattr(f, "__func__", f))
    if inspect.isfunction(function):
        names = inspect.getclosurevars(function)
        found += [*names.nonlocals.values(), *names.globals.values()]
    return found
