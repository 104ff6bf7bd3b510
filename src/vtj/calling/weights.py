"""The parameters of a module, as what moves: others stand in their place while it is checked."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parameter import is_lazy

from vtj.calling.outputs import may_have_a_gradient
from vtj.calling.tensors import same

# Scripted code reads its own copies, and data parallel training waits for hooks of the parameters.
NOT_THESE = (torch.jit.ScriptModule, DistributedDataParallel)


class _Place(NamedTuple):
    """Where a module keeps a tensor."""

    holder: dict[str, Any]  # the parameters of a module, or its buffers
    key: str
    tensor: Tensor  # what it holds
    name: str  # from the outermost module


class Weights:
    """The tensors of a module: parameters that require grad move, and all others follow in dtype.

    They stay in place from one call to the next, and so also while a backward passes through the
    graph of the last: a checkpoint runs parts of the module again then. A buffer is a new copy at
    every call.
    """

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        named = module.named_parameters()
        self.moving = {name: part for name, part in named if part.requires_grad}
        self.changed: list[str] | None = None  # buffers that the first call changed
        self._parameters, self._buffers = list(_parameters(module)), list(_buffers(module))
        self._padding = {
            name: (row, self.moving[name].detach())
            for name, row in _padding(module)
            if name in self.moving
        }
        # modules whose gradients are sparse, of which an embedding that declares padding is one
        self._sparse = any(getattr(each, "sparse", False) for each in module.modules())
        self._now: list[tuple[_Place, Tensor, Tensor]] = []  # buffers, as given and a copy
        self._others: dict[tuple[int, torch.dtype], Tensor] = {}

    @staticmethod
    def of(f: Any) -> Optional["Weights"]:
        """Return those of the module that `f` is, or is a method of; None where it is none."""
        module = f if isinstance(f, nn.Module) else getattr(f, "__self__", None)
        if not isinstance(module, nn.Module) or isinstance(module, NOT_THESE):
            return None
        for name, part in module.named_parameters():
            if is_lazy(part):
                told = "has no values yet; call the module once, so that it is initialized"
                raise ValueError(f"{name} {told}")
        return Weights(module)

    def of_another(self, g: Any) -> Optional["Weights"]:
        """Return those of the module that another function is; None where they are not the same.

        The same are those of one name and shape, also where they are held there.
        """
        theirs = Weights.of(g)
        if theirs is None or not self.moving.keys() >= theirs.moving.keys():
            return None
        named = dict(theirs.module.named_parameters())
        for name, part in self.moving.items():
            if name not in named or _kind(named[name]) != _kind(part):
                return None
        theirs.moving = {name: named[name] for name in self.moving}  # in the order of these
        theirs._padding = {
            name: (row, self.moving[name].detach())
            for name, row in _padding(theirs.module)
            if name in self.moving
        }
        return theirs

    def put_in(self, parts: Sequence[Tensor], given: Sequence[torch.dtype]) -> None:
        """Put the last of the parts in the place of what moves, and the others in their dtype.

        `given` are the dtypes that the parts had, of complex ones that of their pairs. No parameter
        that moves is touched here: with torch 2.4 its dtype would count as one on the way
        (`dtypes_noted`).
        """
        become = {dtype: part.dtype.to_real() for dtype, part in zip(given, parts, strict=True)}
        raised = all(dtype == torch.float64 for dtype in become.values())
        first = len(parts) - len(self.moving)
        now = {
            id(one): self._with_padding(name, part)
            for (name, one), part in zip(self.moving.items(), parts[first:], strict=True)
        }

        def dtype(part: Tensor) -> torch.dtype:
            if not may_have_a_gradient(part):
                return part.dtype
            real = part.dtype.to_real()
            dtype = torch.float64 if raised else become.get(real, real)
            return dtype.to_complex() if part.is_complex() else dtype

        for place in self._parameters:
            one = place.tensor
            if id(one) not in now:
                key = (id(one), dtype(one))
                if key not in self._others:
                    self._others[key] = one.detach().to(dtype(one))
                now[id(one)] = self._others[key]
            place.holder[place.key] = now[id(one)]
        self._now = []
        for place in self._buffers:
            kept = place.tensor.detach().to(dtype(place.tensor))
            copy = kept.clone()
            place.holder[place.key] = copy
            if self.changed is None:
                self._now.append((place, kept, copy))

    def look(self) -> None:
        """Note after the first call which buffers it changed."""
        if self.changed is None:
            self.changed = [
                place.name
                for place, kept, copy in self._now
                if place.holder.get(place.key) is not copy or not same(copy, kept)
            ]
            self._now = []

    def put_back(self) -> None:
        """Put everything back where it was."""
        for place in (*self._parameters, *self._buffers):
            place.holder[place.key] = place.tensor
        for module in self.module.modules():
            if isinstance(module, nn.RNNBase):  # it keeps a list of its own
                module._flat_weights = [
                    getattr(module, name, None) for name in module._flat_weights_names
                ]

    def _with_padding(self, name: str, part: Tensor) -> Tensor:
        """Hold the row that an embedding declares to have no gradient."""
        if name not in self._padding:
            return part
        held, one = self._padding[name]
        row = (torch.arange(part.shape[0], device=part.device) == held)[:, None]
        if self._sparse:  # no gradient of torch.where can be sparse
            return part + torch.where(row, one.to(part.dtype) - part, 0.0).detach()
        return torch.where(row, one.to(part.dtype), part)


def _kind(part: Tensor) -> tuple[torch.Size, bool]:
    return part.shape, part.is_complex()


def _parameters(outermost: nn.Module) -> Iterator[_Place]:
    for path, module in outermost.named_modules():
        for key, part in module._parameters.items():
            if part is not None:
                yield _Place(module._parameters, key, part, f"{path}.{key}" if path else key)


def _buffers(outermost: nn.Module) -> Iterator[_Place]:
    for path, module in outermost.named_modules():
        for key, part in module._buffers.items():
            if part is not None:
                yield _Place(module._buffers, key, part, f"{path}.{key}" if path else key)


def _padding(outermost: nn.Module) -> Iterator[tuple[str, int]]:
    for path, module in outermost.named_modules():
        if isinstance(module, nn.Embedding | nn.EmbeddingBag) and module.padding_idx is not None:
            yield f"{path}.weight" if path else "weight", module.padding_idx
