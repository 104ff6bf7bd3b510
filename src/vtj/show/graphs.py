"""The graph that backward walks: values on the way forward, gradients on the way back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from torch import Tensor

from vtj.calling.tensors import Function, Tensors
from vtj.checking import check
from vtj.oracle.blocks import as_array
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


@dataclass
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
    level: dict[int, int] = {}
    while len(level) < len(stations):
        for i, station in enumerate(stations):
            if all(j in level for j in station.below):
                level[i] = max((level[j] + 1 for j in station.below), default=0)
    nodes = [_Node(_lines(station)) for station in stations]
    layers: list[list[_Node]] = [[] for _ in range(max(level.values()) + 1)]
    for i in reversed(range(len(stations))):
        layers[level[i]].append(nodes[i])
    ways = []
    for i, station in enumerate(stations):
        for j in dict.fromkeys(station.below):
            between = [_Node([]) for _ in range(level[j] + 1, level[i])]
            for depth, node in enumerate(between, start=level[j] + 1):
                layers[depth].append(node)
            ways.append([nodes[j], *between, nodes[i]])
    for way in ways:
        for upper, lower in pairwise(way):
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
    leaving = {id(way): (way[0], way[1]) for way in ways}
    reaching = {id(way): (way[-1], way[-2]) for way in ways}
    routes = []
    for way in ways:
        first, last = (_port(ends, id(way)) for ends in (leaving, reaching))
        inner = [(node.x, node.y + dy) for node in way[1:-1] for dy in (0, HIGH)]
        routes.append([(first, way[0].y + HIGH), *inner, (last, way[-1].y)])
    return routes


def _port(ends: dict[int, tuple[_Node, _Node]], way: int) -> float:
    node = ends[way][0]
    beside = sorted((k for k in ends if ends[k][0] is node), key=lambda k: ends[k][1].x)
    step = min(20.0, (node.width - 16) / len(beside))
    return node.x + (beside.index(way) - (len(beside) - 1) / 2) * step


def _lines(station: Station) -> list[str]:
    lines = [station.name]
    if station.value is not None:
        lines.append(f"→ {_short(station.value)}")
    if station.arrived is not None:
        lines.append(f"← {_short(station.arrived)}")
    return lines


def _box(drawing: Drawing, node: _Node) -> None:
    drawing.box(node.x - node.width / 2, node.y, node.width, HIGH, corner=6)
    for place, line in enumerate(node.lines):
        arrived = line.startswith("←")
        color = "accent" if arrived else "plain"
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
