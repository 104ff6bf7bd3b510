"""Walk the graph that autograd recorded, with what each node computed and what came back to it."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from vtj.calling import without_trace
from vtj.calling.tensors import Function, Tensors, fresh_leaves


@dataclass
class Station:
    """One node of the graph: an operation in torch's own word, or an input by its name."""

    name: str
    below: list[int]  # the positions of the nodes that its inputs come from
    value: Tensor | None  # where that was seen; of several outputs the one of `arrived`
    arrived: Tensor | None  # the gradient, where backward came by; of several the first


def walk(f: Function, x: Tensors, v: Any = None) -> list[Station]:
    """Run `f` and backward once; return the nodes from y down to the inputs.

    Example:
        >>> for station in walk(lambda x: (3 * x).sum(), torch.tensor([1.0, 2.0])):
        ...     print(station.name, station.value, station.arrived)
        sum tensor(9.) tensor(1.)
        mul tensor([3., 6.]) tensor([1., 1.])
        x tensor([1., 2.]) tensor([3., 3.])
    """
    leaves = fresh_leaves(x)
    with without_trace(f) as (same, _):
        with _Values() as values:
            y = same(*leaves)
        if not isinstance(y, Tensor):
            raise TypeError(f"f returned {type(y).__name__}; expected one torch.Tensor to be drawn")
        nodes = _nodes(y)
        arrived: dict[Any, tuple[Tensor | None, ...]] = {}
        hooks = [node.register_prehook(partial(arrived.__setitem__, node)) for node in nodes]
        try:
            torch.autograd.backward(y, v, inputs=leaves)
        finally:
            for hook in hooks:
                hook.remove()
    named = zip(_names(x), leaves, strict=True)
    inputs = {_node(leaf): (name, leaf.detach()) for name, leaf in named}
    stations = []
    for node in nodes:
        gradients = arrived.get(node, (None,))
        output = next((i for i, gradient in enumerate(gradients) if gradient is not None), 0)
        name, value = inputs.get(node) or (_operation(node, f), values.of(node, output))
        below = [nodes.index(other) for other, _ in node.next_functions if other is not None]
        value = y.detach() if node is nodes[0] else value
        stations.append(Station(name, below, value, gradients[output]))
    return stations


class _Values(TorchFunctionMode):
    """Sees every tensor that a call in Python returns or writes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[Any, int], Tensor] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves((out, args)):
            if isinstance(tensor, Tensor) and tensor.grad_fn is not None:
                place = tensor.grad_fn, tensor.output_nr
                self.seen.setdefault(place, tensor.detach().clone())
        return out

    def of(self, node: Any, output: int) -> Tensor | None:
        """Return a node's value; a tensor still being written to may hold what nobody wrote."""
        return None if "CopySlices" in node.name() else self.seen.get((node, output))


def _node(tensor: Tensor) -> Any:
    return get_gradient_edge(tensor).node


def _nodes(y: Tensor) -> list[Any]:
    if not y.requires_grad:
        torch.autograd.backward(y)  # torch's own error says it best
    found = [_node(y)]
    for node in found:
        below = dict.fromkeys(other for other, _ in node.next_functions if other is not None)
        found += [other for other in below if other not in found]
    return found


def _names(x: Tensors) -> list[str]:
    return [f"x[{i}]" for i in range(len(x))] if isinstance(x, tuple) else ["x"]


def _operation(node: Any, f: Function) -> str:
    variable = getattr(node, "variable", None)
    if variable is not None:
        named = f.named_parameters() if isinstance(f, torch.nn.Module) else ()
        return next((name for name, p in named if p is variable), "parameter")
    name = node.name().rsplit("::", 1)[-1]
    if name == "CopySlices":
        return "item write"
    words = re.sub(r"Backward\d*$", "", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words).lower()
