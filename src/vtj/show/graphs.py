"""The graph that backward walks: values on the way forward, gradients on the way back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_array
from vtj.checking import check
from vtj.show.measured import number, require_confirmed
from vtj.show.recorded_graph import Station, walk
from vtj.show.svg import Drawing, Figure, width_of

LIMIT = 24
HIGH, ROOM, GAP = 62.0, 46.0, 12.0


def graph(f: Function, x: Tensors, v: Any = None) -> Figure:
    """Draw the graph of `f` at `x`: each node with its value and the gradient that arrives there.

    Solid arrows carry values from the inputs down to y, dashed ones gradients from v back up.
    `f` returns one tensor; `v` may be omitted where that is a scalar.

    Raises:
        ValueError: When the graph has more than 24 nodes.
        JacobianMismatch: When `vtj.check` does not find x.grad correct.

    Example:
        >>> import torch
        >>> graph(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])).description
        'x: value [1, 2], gradient [2, 40]. pow: value [1, 4], gradient [1, 10].'
    """
    stations = walk(f, x, v)
    if len(stations) > LIMIT:
        raise ValueError(f"the graph has {len(stations)} nodes; the figure shows up to {LIMIT}")
    require_confirmed(check(f, x, v))
    layers, ways = _layers(stations)
    legend = "→ value   ← gradient arriving"
    rows = [sum(node.width + GAP for node in layer) - GAP for layer in layers]
    wide = 4 + max(width_of(legend), *rows)
    drawing = Drawing(wide, len(layers) * (HIGH + ROOM) - ROOM + 34)
    _place(layers, wide)
    for points in _routes(ways):
        down = [(x - 3, y) for x, y in points]
        up = [(x + 3, y) for x, y in reversed(points)]
        drawing.arrow(down)
        drawing.arrow(up, color="accent", dashed=True)
    boxes = [node for layer in layers for node in layer if node.lines]
    for node in boxes:
        _box(drawing, node)
    drawing.text(2, drawing.size[1] - 6, legend, anchor="start")
    return drawing.figure("Values forward, gradients back", " ".join(map(_described, boxes)))


@dataclass(eq=False)
class _Node:
    lines: list[str]
    above: list["_Node"] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max((width_of(line) + 12 for line in self.lines), default=10.0)


def _layers(stations: Sequence[Station]) -> tuple[list[list[_Node]], list[list[_Node]]]:
    """Put every node one layer below the lowest of its inputs, long ways on nodes of their own."""

    @cache
    def level(i: int) -> int:
        return max((level(j) + 1 for j in stations[i].below), default=0)

    nodes = [_Node(_lines(station)) for station in stations]
    layers: list[list[_Node]] = [[] for _ in range(max(map(level, range(len(nodes)))) + 1)]
    for i in reversed(range(len(nodes))):
        layers[level(i)].append(nodes[i])
    ways = []
    for i, station in enumerate(stations):
        for j in dict.fromkeys(station.below):
            way = [nodes[j]]
            for depth in range(level(j) + 1, level(i)):
                way.append(_Node([]))
                layers[depth].append(way[-1])
            ways.append([*way, nodes[i]])
            for upper, lower in pairwise(ways[-1]):
                lower.above.append(upper)
    return layers, ways


def _place(layers: Sequence[list[_Node]], wide: float) -> None:
    """Order each layer by where its inputs are, and center it."""
    for depth, layer in enumerate(layers):
        layer.sort(key=lambda node: sum(n.x for n in node.above) / max(len(node.above), 1))
        at = (wide - sum(node.width + GAP for node in layer) + GAP) / 2
        for node in layer:
            node.x, node.y = at + node.width / 2, 1 + depth * (HIGH + ROOM)
            at += node.width + GAP


def _routes(ways: Sequence[list[_Node]]) -> list[list[tuple[float, float]]]:
    """Return the points of every way, which leave and reach a box side by side."""
    routes = []
    for way in ways:
        first = _port(way[0], way[1], [other[1] for other in ways if other[0] is way[0]])
        last = _port(way[-1], way[-2], [other[-2] for other in ways if other[-1] is way[-1]])
        inner = [(node.x, node.y + dy) for node in way[1:-1] for dy in (0, HIGH)]
        routes.append([(first, way[0].y + HIGH), *inner, (last, way[-1].y)])
    return routes


def _port(node: _Node, towards: _Node, every: Sequence[_Node]) -> float:
    """Return where on the side of a box the way to one of several nodes starts."""
    beside = sorted(every, key=lambda other: other.x)
    step = min(20.0, (node.width - 16) / len(beside))
    return node.x + (beside.index(towards) - (len(beside) - 1) / 2) * step


def _lines(station: Station) -> list[str]:
    values = (("→", station.value), ("←", station.arrived))
    return [station.name, *(f"{sign} {_short(seen)}" for sign, seen in values if seen is not None)]


def _box(drawing: Drawing, node: _Node) -> None:
    drawing.box(node.x - node.width / 2, node.y, node.width, HIGH, corner=6)
    for place, line in enumerate(node.lines):
        color = "accent" if line.startswith("←") else "plain"
        drawing.text(node.x, node.y + 18 + 18 * place, line, color=color, strong=place == 0)


def _described(node: _Node) -> str:
    said = [line.replace("→", "value").replace("←", "gradient") for line in node.lines[1:]]
    return f"{node.lines[0]}: {', '.join(said) or 'not visited'}."


def _short(tensor: Tensor) -> str:
    values = as_array(tensor)
    if values.ndim == 0:
        return number(float(values))
    if values.ndim == 1 and values.size <= 3:
        return f"[{', '.join(map(number, values.tolist()))}]"
    return f"shape {tuple(values.shape)}"
