"""Walk the graph that autograd recorded, with what each node computed and what came back to it."""

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx
from torch.autograd.graph import get_gradient_edge
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from vtj.calling import without_trace
from vtj.calling.tensors import Function, Tensors, fresh_leaves
from vtj.contraction import contract
from vtj.engines import jacobian

LONGEST = 9  # elements of a gradient for which a node is asked for its Jacobian, row by row
FAR = 1e-3  # between a right gradient and a wrong one: what `vtj.check` promises to tell apart


@dataclass
class Way:
    """What one node sends to one of its inputs."""

    to: int  # the position of the node that made that input
    output: int  # which of its outputs
    sent: Tensor | None
    jacobian: Tensor | None  # of the node's output by that input, where the node tells it
    right: Tensor | None = None  # the Jacobian of forward, where what was sent is not by it


@dataclass
class Kept:
    """What a node keeps for the way back."""

    called: str  # as `Station.called`
    value: Tensor


@dataclass
class Station:
    """One node of the graph: an operation in torch's own word, or an input by its name."""

    name: str
    called: str  # as in f: a variable's name, x[1] for an element of one; or empty
    ways: list[Way]
    value: Tensor | None  # where that was seen; of several outputs the one of `arrived`
    arrived: Tensor | None  # the gradient, where backward came by; of several the first
    output: int  # which of its outputs that is
    keeps: list[Kept]
    turn: int | None  # how many nodes backward came by before
    freed: int | None  # the turn after which what it keeps was gone
    own: "Own | None" = None  # where it is a function of the reader's own

    @property
    def below(self) -> list[int]:
        """The positions of the nodes that its inputs come from."""
        return [way.to for way in self.ways]


@dataclass
class Own:
    """A call of a `torch.autograd.Function`: all its arguments, and which of them are tensors."""

    apply: Any
    arguments: list[Any]

    @property
    def places(self) -> list[int]:
        """Where the tensors are."""
        return [i for i, given in enumerate(self.arguments) if isinstance(given, Tensor)]

    def jacobian(self, place: int) -> Any:
        """Return the Jacobian of forward by one argument, from differences."""

        def moved(x: Tensor) -> Any:
            return self.apply(*self.arguments[:place], x, *self.arguments[place + 1 :])

        return jacobian(moved, self.arguments[place], "numeric")


def blame(stations: list[Station]) -> list[Station]:
    """Return the functions of the reader's own that send what forward does not say.

    `Way.right` of what they send holds what they should have multiplied with.
    """
    for station in stations:
        if station.own is None or station.arrived is None:
            continue
        for way, place in zip(station.ways, station.own.places, strict=False):
            slope = station.own.jacobian(place)
            if not isinstance(slope, Tensor):  # of several outputs
                continue
            right = contract(station.arrived.double(), slope.double())
            sent = torch.zeros_like(right) if way.sent is None else way.sent.double()
            # Torch sums what a backward returns in a larger shape.
            if not torch.allclose(sent.sum_to_size(right.shape), right, rtol=FAR, atol=FAR**2):
                way.right = slope.to(station.arrived)
    return [station for station in stations if any(w.right is not None for w in station.ways)]


def walk(f: Function, x: Tensors, v: Any = None) -> list[Station]:
    """Run `f` and backward once; return the nodes from y down to the inputs.

    Example:
        >>> for station in walk(lambda x: (3 * x).sum(), torch.tensor([1.0, 2.0])):
        ...     print(station.name, station.value, station.arrived)
        sum tensor(9.) tensor(1.)
        mul tensor([3., 6.]) tensor([1., 1.])
        x tensor([1., 2.]) tensor([3., 3.])
    """
    try:
        return _walked(f, x, v, asking=True)
    except RuntimeError:
        # A checkpoint hands out once what it keeps; what backward itself raises, it raises again.
        return _walked(f, x, v, asking=False)


def _walked(f: Function, x: Tensors, v: Any, *, asking: bool) -> list[Station]:
    """Walk, and ask the nodes what they keep and multiply with, or leave that alone."""
    leaves = fresh_leaves(x)
    with without_trace(f) as (same, _):
        with _Values() as values, _variables(f) as (variables, calls):
            y = same(*leaves)
        if not isinstance(y, Tensor):
            raise TypeError(f"f returned {type(y).__name__}; expected one torch.Tensor to be drawn")
        nodes = _nodes(y)
        inputs = {_node(leaf): name for name, leaf in zip(_names(x), leaves, strict=True)}
        called = _Called(nodes[0], inputs, variables)
        held = {node: _saved(node) or [] for node in nodes if asking}
        keeps = {node: [Kept(called(k), k.detach()) for k in kept] for node, kept in held.items()}
        pass_ = _Pass(nodes, [node for node in keeps if keeps[node]], asking=asking)
        pass_.run(y, v, leaves)
    seen = {_node(leaf): leaf.detach() for leaf in leaves}
    stations = []
    for node in nodes:
        arrived = pass_.arrived.get(node, (None,))
        output = next((i for i, gradient in enumerate(arrived) if gradient is not None), 0)
        value = y.detach() if node is nodes[0] else seen.get(node, values.of(node, output))
        name = inputs.get(node) or _operation(node, f)
        turn = pass_.order.index(node) if node in pass_.order else None
        more = keeps.get(node, []), turn, pass_.freed.get(node)
        ways = pass_.ways(node)
        own = Own(node._forward_cls.apply, calls[node]) if node in calls else None
        seen_there = value, arrived[output], output
        stations.append(Station(name, called(node), ways, *seen_there, *more, own))
    return stations


class _Pass:
    """One backward, with what its hooks saw at each node."""

    def __init__(self, nodes: list[Any], keeping: list[Any], *, asking: bool) -> None:
        self.nodes, self.keeping, self.asking = nodes, keeping, asking
        self.order: list[Any] = []
        self.arrived: dict[Any, tuple[Tensor | None, ...]] = {}
        self.sent: dict[Any, tuple[Tensor | None, ...]] = {}
        self.jacobians: dict[Any, list[Tensor | None]] = {}
        self.freed: dict[Any, int] = {}

    def run(self, y: Tensor, v: Any, leaves: tuple[Tensor, ...]) -> None:
        hooks = []
        for node in self.nodes:
            hooks.append(node.register_prehook(partial(self._before, node)))
            if node.next_functions:
                hooks.append(node.register_hook(partial(self._after, node)))
        try:
            torch.autograd.backward(y, v, inputs=leaves)
        finally:
            for hook in hooks:
                hook.remove()
        self._look()

    def _before(self, node: Any, gradients: tuple[Tensor | None, ...]) -> None:
        self._look()
        self.order.append(node)
        self.arrived[node] = _copies(gradients)

    def _after(self, node: Any, sent: Any, gradients: Any) -> None:
        self.sent[node] = _copies(sent)
        if self.asking:
            self.jacobians[node] = _jacobians(node, self.arrived[node])

    def _look(self) -> None:
        """Note which nodes have lost what they kept since the last look."""
        for node in self.keeping:
            if node not in self.freed and _saved(node) is None:
                self.freed[node] = len(self.order) - 1

    def ways(self, node: Any) -> list[Way]:
        """Return the ways from a node to its inputs."""
        none = [None] * len(node.next_functions)
        sent, jacobians = self.sent.get(node, none), self.jacobians.get(node, none)
        return [
            Way(self.nodes.index(other), output, gradient, jacobian)
            for (other, output), gradient, jacobian in zip(
                node.next_functions, sent, jacobians, strict=True
            )
            if other is not None
        ]


def _copy(given: Any) -> Any:
    return given.detach().clone() if isinstance(given, Tensor) else given


def _copies(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
    return tuple(g if g is None else g.detach().clone() for g in gradients)


def _jacobians(node: Any, arrived: tuple[Tensor | None, ...]) -> list[Tensor | None]:
    """Hand a node one unit vector after the other; Nones where it has several outputs or is long.

    An item write is asked nothing: it goes back through nodes of its own.
    """
    nothing: list[Tensor | None] = [None] * len(node.next_functions)
    gradient = arrived[0]
    if len(arrived) > 1 or gradient is None or gradient.numel() > LONGEST or _is_write(node):
        return nothing
    rows, back = [], getattr(node, "apply", node)  # a function of the reader's own is no callable
    for unit in torch.eye(gradient.numel(), dtype=gradient.dtype, device=gradient.device):
        row = back(unit.reshape(gradient.shape))
        rows.append(row if isinstance(row, tuple) else (row,))
    if len(rows[0]) != len(nothing):  # arguments of a reader's own function that are no tensors
        return nothing
    return [
        None
        if any(part is None for part in column)
        else torch.stack(column).reshape(gradient.shape + column[0].shape).detach()
        for column in zip(*rows, strict=True)
    ]


def _saved(node: Any) -> list[Tensor] | None:
    """Return the tensors that a node keeps, or None where they are freed."""
    names = [name.removeprefix("_raw") for name in dir(node) if name.startswith("_raw_saved_")]
    names.sort(key=lambda name: "self" not in name)  # the first factor first
    try:
        # A function of the reader's own has them under another name.
        held = [getattr(node, name.replace("_saved_tensors", "saved_tensors")) for name in names]
    except RuntimeError:
        return None
    return [tensor for tensor in tree_leaves(held) if isinstance(tensor, Tensor)]


@contextmanager
def _variables(f: Function) -> Iterator[tuple[dict[str, Any], dict[Any, list[Any]]]]:
    """Collect what the variables of f hold when it returns, and what own functions get."""
    inner = type(f).forward if isinstance(f, torch.nn.Module) else f
    code = getattr(inner, "__code__", None)
    held: dict[str, Any] = {}
    calls: dict[Any, list[Any]] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            held.update(frame.f_locals)
        elif event == "call" and frame.f_code.co_name in ("forward", "setup_context"):
            names, more, _, local = inspect.getargvalues(frame)
            given = [*(local[name] for name in names), *local.get(more or "", ())]
            if given and isinstance(given[0], FunctionCtx):  # which is the node
                inputs = given[1] if frame.f_code.co_name == "setup_context" else given[1:]
                calls[given[0]] = [*map(_copy, inputs)]

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield held, calls
    finally:
        sys.setprofile(before)


class _Called:
    """Knows what a node's output, or a tensor, is called in f; empty where it has no name."""

    def __init__(self, root: Any, inputs: dict[Any, str], variables: dict[str, Any]) -> None:
        self.names = dict(inputs)
        for name, tensor in variables.items():
            if isinstance(tensor, Tensor) and tensor.grad_fn is not None and not tensor.output_nr:
                self.names.setdefault(tensor.grad_fn, name)
        self.names.setdefault(root, "y")

    def __call__(self, of: Any) -> str:
        if isinstance(of, Tensor):
            return self(_node(of)) if of.requires_grad and not of.output_nr else ""
        if of in self.names or not of.name().startswith("SelectBackward") or of._saved_dim:
            name: str = self.names.get(of, "")
            return name
        index = int(of._saved_index)  # torch keeps it unsigned
        whole = self(of.next_functions[0][0])
        return f"{whole}[{index - 2**64 if index >= 2**63 else index}]" if whole else ""


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
        return None if _is_write(node) else self.seen.get((node, output))


def _is_write(node: Any) -> bool:
    return "CopySlices" in str(node.name())


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
