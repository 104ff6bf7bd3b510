"""What `f` keeps between calls, found through the modules and tensors it refers to."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import CellType
from typing import Any

import torch
from torch import Tensor, nn

from vtj.calling.tensors import Function, same
from vtj.calling.weights import Weights


@dataclass(frozen=True)
class Buffer:
    """A buffer of a module, as it was."""

    name: str  # from the module that `f` refers to
    module: nn.Module  # where it is registered
    tensor: Any  # what was registered; None where nothing was yet
    value: Any  # a copy of it

    @property
    def changed(self) -> bool:
        """Whether the module has something else there by now."""
        now = getattr(self.module, self._own_name, None)
        return (now is None) != (self.value is None) or not same(now, self.value)

    def put_back(self) -> None:
        """Return to the module the tensor that it had, with the values that it had."""
        if not same(self.tensor, self.value):
            if self.tensor.shape != self.value.shape:
                self.tensor.resize_(self.value.shape)
            self.tensor.copy_(self.value)
        setattr(self.module, self._own_name, self.tensor)

    @property
    def _own_name(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class Leaf:
    """A leaf that requires grad, and how `f` refers to it."""

    tensor: Tensor
    grad: Tensor | None = None  # the `.grad` that it had
    name: str = ""  # as in ``net.0.weight``; empty where `f` reaches it in a way not followed
    module: str = ""  # an expression for the module whose parameter it is; empty where it is none
    own: bool = False  # whether `f` is that module


@dataclass(frozen=True)
class Kept:
    """What `f` refers to, as it was."""

    buffers: list[Buffer]
    leaves: list[Leaf]
    weights: Weights | None = None  # those that move with `x`, beside copies of the buffers

    @property
    def changed(self) -> list[str]:
        """The names of the buffers that no longer hold what they held."""
        held = [one for one in self.buffers if self.weights is None or one.value is None]
        of_copies = [] if self.weights is None else self.weights.changed or []
        return [*of_copies, *(buffer.name for buffer in held if buffer.changed)]

    def put_back(self) -> None:
        """Put back the buffers."""
        if self.buffers:  # the block alone takes a fifth as long as 3 * x**2 of 1,000 elements
            with torch.no_grad():
                for buffer in self.buffers:
                    buffer.put_back()

    def reached(self, in_graph: Sequence[Tensor]) -> list[Leaf]:
        """Return the leaves that a backward reaches, those with names before those `in_graph`."""
        ids = {id(leaf) for leaf in in_graph}
        # A module's own parameters count even where the graph does not show them: a custom
        # Function may have lost one, and reentrant checkpointing hides all (it fills `.grad`).
        found = {
            id(leaf.tensor): leaf
            for leaf in reversed(self.leaves)
            if id(leaf.tensor) in ids or leaf.own or leaf.tensor.grad is not None
        }
        named = list(reversed(found.values()))
        others = (Leaf(leaf) for leaf in in_graph if id(leaf) not in found)
        return [*named, *sorted(others, key=lambda leaf: leaf.tensor.shape)]


@contextmanager
def state_kept(f: Function, weights: Weights | None = None) -> Iterator[Kept]:
    """Put back what `f` changed in the buffers of its modules and in `.grad` of its parameters.

    Seen are modules and tensors that `f` is, is bound to, closes over or names as globals. Where
    the `weights` of a module move with `x`, none of its own are left that nobody looks at.

    Example:
        >>> norm = nn.BatchNorm1d(2)
        >>> with state_kept(norm) as kept:
        ...     _ = norm(torch.ones(3, 2))
        ...     changed = kept.changed
        >>> changed, norm.running_mean.tolist()
        (['running_mean', 'running_var', 'num_batches_tracked'], [0.0, 0.0])
    """
    kept = Kept([], [], weights)
    for name, value in _referred(f):
        if isinstance(value, nn.Module):
            kept.buffers.extend(_buffers(value))
            own = value is f or value is getattr(f, "__self__", None)
            kept.leaves.extend(_parameters(name, value, own and weights is None))
        elif isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
            kept.leaves.append(Leaf(value, value.grad, name))
    for leaf in kept.leaves:
        leaf.tensor.grad = None
    try:
        yield kept
    finally:
        if weights is not None:
            weights.put_back()
        kept.put_back()
        for leaf in kept.leaves:
            leaf.tensor.grad = leaf.grad


def _buffers(outermost: nn.Module) -> Iterator[Buffer]:
    for path, module in outermost.named_modules():
        for name, tensor in module._buffers.items():  # named_buffers leaves out those still None
            value = None if tensor is None else tensor.detach().clone()
            yield Buffer(f"{path}.{name}" if path else name, module, tensor, value)


def _parameters(module: str, value: nn.Module, own: bool) -> Iterator[Leaf]:
    for name, tensor in value.named_parameters():
        if tensor.requires_grad:
            yield Leaf(tensor, tensor.grad, name if own else f"{module}.{name}", module, own)


def _referred(f: Any, name: str = "f") -> Iterator[tuple[str, Any]]:
    """Yield everything that `f` refers to, each with an expression for it."""
    if isinstance(f, partial):
        yield from _referred(f.func, f"{name}.func")
        yield from ((f"{name}.args[{i}]", value) for i, value in enumerate(f.args))
        yield from ((f"{name}.keywords[{key!r}]", value) for key, value in f.keywords.items())
        return
    yield from ((name, f), (f"{name}.__self__", getattr(f, "__self__", None)))
    wrappers: list[Any] = []
    inner = inspect.unwrap(getattr(f, "__func__", f), stop=wrappers.append)
    for function in filter(inspect.isfunction, (*wrappers, inner)):
        code, cells = function.__code__, function.__closure__ or ()
        yield from (
            (one, _content(cell)) for one, cell in zip(code.co_freevars, cells, strict=True)
        )
        yield from ((one, function.__globals__.get(one)) for one in code.co_names)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not assigned yet
        return None
