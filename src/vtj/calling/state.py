"""What `f` keeps between calls, found through the modules and tensors it refers to."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import CellType
from typing import Any

import torch
from torch import Tensor, nn

from vtj.calling.tensors import Function
from vtj.outcome import same


@dataclass(frozen=True)
class Buffer:
    """A buffer of a module, as it was.

    Attributes:
        name: Its name, from the module that `f` refers to.
        module: Where it is registered.
        tensor: What was registered; None where nothing was yet.
        value: A copy of it.
    """

    name: str
    module: nn.Module
    tensor: Any
    value: Any

    @property
    def changed(self) -> bool:
        """Whether the module has something else there by now."""
        now = getattr(self.module, self._own_name, None)
        return (now is None) != (self.value is None) or not same(now, self.value)

    def put_back(self) -> None:
        """Give the module the tensor that it had, with the values that it had."""
        if not same(self.tensor, self.value):
            if self.tensor.shape != self.value.shape:
                self.tensor.resize_(self.value.shape)
            self.tensor.copy_(self.value)
        setattr(self.module, self._own_name, self.tensor)

    @property
    def _own_name(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class Kept:
    """What `f` refers to, as it was.

    Attributes:
        buffers: The buffers of its modules.
        grads: The leaves it refers to, with the `.grad` each had.
    """

    buffers: list[Buffer]
    grads: list[tuple[Tensor, Tensor | None]]

    @property
    def changed(self) -> list[str]:
        """The names of the buffers that no longer hold what they held."""
        return [buffer.name for buffer in self.buffers if buffer.changed]


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
    kept = Kept(buffers, [(leaf, leaf.grad) for leaf in leaves])
    for leaf in leaves:
        leaf.grad = None
    try:
        yield kept
    finally:
        with torch.no_grad():
            for buffer in kept.buffers:
                buffer.put_back()
        for leaf, grad in kept.grads:
            leaf.grad = grad


def _reach(f: Function) -> tuple[list[Buffer], list[Tensor]]:
    buffers: list[Buffer] = []
    leaves: list[Tensor] = []
    for value in _referred(f):
        if isinstance(value, nn.Module):
            buffers += _buffers(value)
            leaves += value.parameters()
        elif isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
            leaves.append(value)
    return buffers, leaves


def _buffers(outermost: nn.Module) -> Iterator[Buffer]:
    for path, module in outermost.named_modules():
        for name, tensor in module._buffers.items():  # named_buffers leaves out those still None
            value = None if tensor is None else tensor.detach().clone()
            yield Buffer(f"{path}.{name}" if path else name, module, tensor, value)


def _referred(f: Any) -> list[Any]:
    if isinstance(f, partial):
        return [*_referred(f.func), *f.args, *f.keywords.values()]
    found = [f, getattr(f, "__self__", None)]
    wrappers: list[Any] = []
    inner = inspect.unwrap(getattr(f, "__func__", f), stop=wrappers.append)
    for function in filter(inspect.isfunction, (*wrappers, inner)):
        found += [_content(cell) for cell in function.__closure__ or ()]
        found += [function.__globals__.get(name) for name in function.__code__.co_names]
    return found


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not assigned yet
        return None
