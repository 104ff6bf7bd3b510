"""The graph that backward walks: values on the way forward, gradients on the way back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from torch import Tensor

from vtj.calling.tensors import Function, Tensors
from vtj.checking import check
from vtj.contraction import contract
from vtj.show.measured import confirmed
from vtj.show.recorded_graph import Station, blame, walk
from vtj.show.svg import Drawing, Figure, Steps, width_of
from vtj.show.told import CALL, FIRST, label, told, written

LIMIT = 24
LINE, ROOM, GAP = 17.0, 46.0, 10.0
SHARES = 0.3, 0.68
WRONG = "sends ", "right: "  # how the lines of a wrong backward begin
TITLE = "Values forward, gradients back"
LEGEND = "= value, ↑ gradient that arrives"
ELEMENT = "".join(
    f"<{tag}>{Path(__file__).with_name(file).read_text(encoding='utf-8')}</{tag}>"
    for tag, file in (("style", "steps.css"), ("script", "steps.js"))
)
"""What makes the list of steps beneath a graph one that can be stepped through."""


@dataclass(frozen=True, repr=False)
class SteppedFigure(Figure):
    """A graph that is shown step by step; a notebook gets the element's script and style too."""

    def _repr_html_(self) -> str:
        return self.html + ELEMENT


def graph(f: Function, x: Tensors, v: Any = None) -> SteppedFigure:
    """Show backward going through the graph of `f` at `x`, step by step.

    Each node has its value, what it keeps for the way back, and the gradient that arrives; each way
    back has what is sent along it. Variables of `f` name their nodes. `f` returns one tensor; `v`
    may be omitted where that is a scalar. Where scripts are off, and on paper, the whole graph
    stands above the list of all steps. A `torch.autograd.Function` whose `backward` is wrong is
    named in the title; its node says what it sends and what is right, by differences of `forward`.

    Raises:
        ValueError: When the graph has more than 24 nodes.
        JacobianMismatch: When `vtj.check` does not find x.grad correct, and no such function is
            to blame.

    Example:
        >>> import torch
        >>> graph(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])).description
        'x: value [1, 2], gradient [2, 40]. y: pow: value [1, 4], gradient [1, 10], keeps [1, 2].'
    """
    stations = walk(f, x, v)
    if len(stations) > LIMIT:
        raise ValueError(f"the graph has {len(stations)} nodes; the figure shows up to {LIMIT}")
    title, report = TITLE, check(f, x, v)
    if not confirmed(report):
        blamed = blame(stations)
        if not blamed:
            report.raise_for_mismatch()
        title += f": wrong at {' and '.join(map(label, blamed))}"
    layers, ways = _layers(stations)
    rows = [sum(node.width + GAP for node in layer) - GAP for layer in layers]
    wide = 4 + max(width_of(LEGEND), *rows)
    high = _place(layers, wide)
    drawing = Drawing(wide, high + ROOM + 22)
    routes = _routes(ways)
    for way, points in zip(ways, routes, strict=True):
        drawing.line(points, steps=_during(way.sender, at=0))
    for way, points in zip(ways, routes, strict=True):
        if way.sent is not None:
            steps = _during(way.sender, at=0, since=0) | _during(way.nodes[0].station, until=0)
            _number(drawing, *_along(points, way.share), written(way.sent), steps)
    (root,) = layers[-1]
    drawing.line([(root.x, high), (root.x, high + ROOM - 18)], steps={"at": CALL})
    given = f"v = {written(stations[0].arrived)}"
    _number(drawing, root.x, high + ROOM - 10, given, {"at": CALL, "since": CALL})
    boxes = [node for layer in layers for node in layer if node.station]
    for node in boxes:
        _box(drawing, node, CALL if node is root else None)
    drawing.text(2, drawing.size[1] - 6, LEGEND, anchor="start")
    element = ElementTree.Element("vtj-steps")
    listed = ElementTree.SubElement(element, "ol")
    for sentence, *lines in told(stations):
        item = ElementTree.SubElement(listed, "li")
        for words in (sentence, *lines):
            ElementTree.SubElement(item, "p").text = words
    description = " ".join(map(_described, boxes))
    figure = drawing.figure(title, description, element)
    return SteppedFigure(figure.title, figure.description, figure.html)


@dataclass(eq=False)
class _Node:
    """A box, or a place that a long way goes through."""

    station: Station | None = None
    above: list["_Node"] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    high: float = 0.0  # of its layer

    @property
    def lines(self) -> list[str]:
        return _lines(self.station) if self.station else []

    @property
    def width(self) -> float:
        return max((width_of(line) + 12 for line in self.lines), default=10.0)


@dataclass(eq=False)
class _Way:
    """A way from an input down to the node that computes with it, and what comes back along it."""

    nodes: list[_Node]
    sender: Station
    sent: Tensor | None
    share: float = 0.0  # of the way up, where its number stands


def _layers(stations: Sequence[Station]) -> tuple[list[list[_Node]], list[_Way]]:
    """Put every node one layer below the lowest of its inputs, long ways on nodes of their own."""

    @cache
    def level(i: int) -> int:
        return max((level(j) + 1 for j in stations[i].below), default=0)

    nodes = [_Node(station) for station in stations]
    layers: list[list[_Node]] = [[] for _ in range(max(map(level, range(len(nodes)))) + 1)]
    for i in reversed(range(len(nodes))):
        layers[level(i)].append(nodes[i])
    ways = []
    for i, station in enumerate(stations):
        for edge in station.ways:
            way = [nodes[edge.to]]
            for depth in range(level(edge.to) + 1, level(i)):
                way.append(_Node())
                layers[depth].append(way[-1])
            ways.append(_Way([*way, nodes[i]], station, edge.sent))
            for upper, lower in pairwise(ways[-1].nodes):
                lower.above.append(upper)
    return layers, ways


def _place(layers: Sequence[list[_Node]], wide: float) -> float:
    """Order each layer by where its inputs are, and center it; return the height of all."""
    top = 1.0
    for layer in layers:
        layer.sort(key=lambda node: sum(n.x for n in node.above) / max(len(node.above), 1))
        at = (wide - sum(node.width + GAP for node in layer) + GAP) / 2
        high = 10.0 + LINE * max(len(node.lines) for node in layer)
        for node in layer:
            node.x, node.y, node.high = at + node.width / 2, top, high
            at += node.width + GAP
        top += high + ROOM
    return top - ROOM


def _routes(ways: Sequence[_Way]) -> list[list[tuple[float, float]]]:
    """Return the points of every way, which leave and reach a box side by side."""
    routes = []
    for way in ways:
        start, end = way.nodes[0], way.nodes[-1]
        downward = [other for other in ways if other.nodes[0] is start]
        upward = [other for other in ways if other.nodes[-1] is end]
        downward.sort(key=lambda other: other.nodes[1].x)
        upward.sort(key=lambda other: other.nodes[-2].x)
        # Numbers of neighbors stand at two heights, so that none covers the next.
        way.share = SHARES[downward.index(way) % 2]
        inner = [(node.x, node.y + dy) for node in way.nodes[1:-1] for dy in (0, node.high)]
        first = _port(start, downward.index(way), len(downward))
        last = _port(end, upward.index(way), len(upward))
        routes.append([(first, start.y + start.high), *inner, (last, end.y)])
    return routes


def _port(node: _Node, place: int, among: int) -> float:
    """Return where on the side of a box one of several ways starts."""
    step = min(20.0, (node.width - 16) / among)
    return node.x + (place - (among - 1) / 2) * step


def _along(points: Sequence[tuple[float, float]], share: float) -> tuple[float, float]:
    """Return a place on the last piece of a way, seen from its lower end."""
    (x1, y1), (x2, y2) = points[-1], points[-2]
    return x1 + share * (x2 - x1), y1 + share * (y2 - y1)


def _lines(station: Station) -> list[str]:
    lines = [label(station), f"= {written(station.value)}"]
    if station.value is None:
        lines.pop()
    if station.arrived is not None:
        lines.append(f"↑ {written(station.arrived)}")
    if station.keeps and station.turn is not None:
        lines.append(f"keeps {', '.join(written(kept.value) for kept in station.keeps)}")
    for way in station.ways:
        if way.right is not None and station.arrived is not None:
            right = contract(station.arrived, way.right)
            lines += [f"sends {written(way.sent)}, wrong", f"right: {written(right)}"]
    return lines


def _during(station: Station | None, **steps: int) -> dict[str, int]:
    """Return the steps of a node, as they are counted from the beginning."""
    if station is None or station.turn is None:
        return {}
    return {when: FIRST + station.turn + step for when, step in steps.items()}


def _number(drawing: Drawing, x: float, y: float, words: str, steps: Steps) -> None:
    """Write what goes along a way."""
    drawing.text(x, y + 5, words, color="accent", strong=True, steps=steps)


def _box(drawing: Drawing, node: _Node, since: int | None) -> None:
    """Draw a node; its gradient shows when backward comes by, or since another step."""
    steps = _during(node.station, at=0)
    wrong = any(line.startswith(WRONG) for line in node.lines)
    looks: Any = {"color": "bad", "shade": 0.3} if wrong else {}
    at = node.x - node.width / 2
    drawing.box(at, node.y, node.width, node.high, corner=6, steps=steps, **looks)
    for place, line in enumerate(node.lines):
        arrived, kept = line.startswith("↑"), line.startswith("keeps")
        steps = _during(node.station, since=0) if arrived else {}
        if arrived and since is not None:
            steps["since"] = since
        if kept:
            steps = _during(node.station, until=0)
        color = "accent" if arrived else "bad" if line.startswith(WRONG) else "plain"
        at = node.y + 2 + LINE * (place + 1)
        drawing.text(node.x, at, line, color=color, strong=place == 0, steps=steps)


def _described(node: _Node) -> str:
    name, *lines = node.lines
    said = [line.replace("= ", "value ", 1).replace("↑", "gradient") for line in lines]
    return f"{name}: {', '.join(said) or 'not visited'}."
