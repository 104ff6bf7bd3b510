"""Graphs: boxes, the ways between them, and every step, beside a pass that is not backward's.

torch.fx finds the operations of `f`, and forward mode gives the Jacobian of each. Multiplied and
added up from y to x, these are all the numbers that a graph shows. What an operation keeps, and
when that is freed, is what hooks on saved tensors see.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from types import MappingProxyType
from typing import Any
from weakref import finalize

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from vtj.contraction import contract
from vtj.engines import jacobian
from vtj.show import Figure
from vtj_site.figures.reading.compared import TENTHS, Exactly, Pair
from vtj_site.figures.reading.drawn import Box, Drawn, Label, Line, Point, drawn

LEGEND = "= value, ↑ gradient that arrives"


@dataclass(eq=False)
class Node:
    """x or an operation of f, and what is true of it."""

    name: str
    called: str
    value: Tensor
    inputs: list[int]
    slopes: list[Tensor]
    kept: list[tuple[str, Tensor]] = field(default_factory=list)
    arrived: Tensor | None = None
    wrong: Tensor | None = None  # what it sends, where that is not right

    @property
    def label(self) -> str:
        """What its box is called."""
        short = not self.called or not self.inputs or self.name == "select"
        return self.called or self.name if short else f"{self.called}: {self.name}"

    @property
    def lines(self) -> list[str]:
        """What its box says."""
        keeps = [f"keeps {', '.join(text(kept) for _, kept in self.kept)}"] * bool(self.kept)
        lines = [self.label, f"= {text(self.value)}", f"↑ {text(self.arrived)}", *keeps]
        if self.wrong is not None:
            lines += [f"sends {text(self.wrong)}, wrong", f"right: {text(self.right[0])}"]
        return lines

    @property
    def right(self) -> list[Tensor]:
        """What it should send to its inputs."""
        return [contract(_seen(self.arrived), slope) for slope in self.slopes]

    @property
    def sent(self) -> list[Tensor]:
        """What it sends to its inputs."""
        return self.right if self.wrong is None else [self.wrong]


@dataclass(eq=False)
class Place:
    """A box of the drawing with its words, and the numbers on its ways up and from below."""

    box: Box
    words: list[Label]
    up: list[tuple[str, "Place"]] = field(default_factory=list)
    below: list[tuple[int, str]] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """What it says."""
        return [label.words for label in self.words]

    @property
    def step(self) -> int:
        """The step in which backward comes by."""
        return dict(self.box.steps)["at"]


def graph(
    figure: Figure,
    *,
    f: Any,
    x: Tensor,
    v: Any = None,
    names: Mapping[str, Tensor] | None = None,
    wrong: Mapping[str, Tensor] | None = None,
) -> Iterator[Pair]:
    """Compare a graph with the operations that torch.fx finds in `f`.

    `names` holds variables of `f`: what an operation with such a value is called. `wrong` holds,
    for one whose backward is wrong and is shown to be, what that sends.
    """
    seen = drawn(figure)
    places = [Place(box, [a for a in seen.labels if _inside(a, box)]) for box in seen.boxes]
    yield from _ways(seen, places)
    nodes, freed = operations(f, x, v, names or {}, wrong or {})
    blamed = [node.label for node in nodes if node.wrong is not None]
    yield from _looks(places, blamed)
    title = "Values forward, gradients back" + f": wrong at {' and '.join(blamed)}" * bool(blamed)
    yield "the title", seen.title, Exactly(title)
    said, true = [_tree(place) for place in places], _trees(nodes)
    lines = [sorted(", ".join(one.lines) for one in ones) for ones in (places, nodes)]
    yield "the words of the boxes", lines[0], list(map(Exactly, lines[1]))
    yield "the ways to the boxes", sorted(said), sorted(map(Exactly, true))
    order = sorted(range(len(places)), key=lambda k: places[k].step)
    came = [nodes[true.index(said[k])] for k in order]
    steps = [places[k].step for k in order]
    yield "the steps of the boxes", steps, list(range(2, 2 + len(order)))
    early = [p.lines[0] for p in places if any(step >= p.step for step, _ in p.below)]
    yield "boxes with a step before that of what is sent there", early, []
    keepers = [node.label for node in came if node in freed]
    yield "the order in which is freed", keepers, [node.label for node in freed]
    parts = [[part for _, part in sorted(places[k].below)] for k in order]
    told = [*_begun(nodes), *map(partial(_told, nodes), came, parts)]
    yield "the number of steps", len(seen.told), len(told)
    for step, expected in zip(seen.told, told, strict=True):
        yield "a step", step, list(map(Exactly, expected))
    described = " ".join(
        f"{name}: {', '.join([f'value {value[2:]}', f'gradient {arrived[2:]}', *rest])}."
        for name, value, arrived, *rest in (place.lines for place in places)
    )
    yield "the description", seen.description, Exactly(described)


def operations(
    f: Any,
    x: Tensor,
    v: Any = None,
    names: Mapping[str, Tensor] = MappingProxyType({}),
    wrong: Mapping[str, Tensor] = MappingProxyType({}),
) -> tuple[list[Node], list[Node]]:
    """Return x and the operations of `f`, and these in the order in which they free what they keep.

    Example:
        >>> nodes, freed = operations(lambda x: (x**2).sum(), torch.tensor([1.0, 2.0]))
        >>> for node in nodes:
        ...     print(node.lines)
        ['x', '= [1, 2]', '↑ [2, 4]']
        ['pow', '= [1, 4]', '↑ [1, 1]', 'keeps [1, 2]']
        ['y: sum', '= 5', '↑ 1']
        >>> [node.name for node in freed]
        ['pow']
    """
    *found, result = make_fx(f)(x.detach()).graph.nodes
    values = {found[0]: x.detach().clone().requires_grad_()}
    nodes = [Node("x", "x", x.detach(), [], [])]
    freed: list[Node] = []
    for one in found[1:]:
        inputs: list[Any] = []
        map_arg(one.args, inputs.append)
        run = partial(_run, one, inputs)
        slopes: Any = jacobian(run, tuple(values[other].detach() for other in inputs), "forward")
        name = one.target.overloadpacket.__name__
        node = Node(name, "", torch.empty(0), list(map(found.index, inputs)), [*slopes])
        kept: list[Tensor] = []
        pack = partial(_Held, into=kept, freed=partial(freed.append, node))
        with saved_tensors_hooks(pack, lambda held: held.tensor):
            values[one] = run(*(values[other] for other in inputs))
        node.value = values[one].detach()
        node.called = _called(one, node, nodes, names, last=one is result.args[0])
        if node.called in wrong:  # torch.fx sees what forward does, not whose it is
            node.wrong = wrong[node.called]
            node.name = type(names[node.called].grad_fn).__name__.removesuffix("Backward").lower()
        nodes.append(node)
        known = [(values[other], of.called) for other, of in zip(found, nodes, strict=False)]
        kept.reverse()  # the first factor first
        for tensor in kept or _number_kept(run, one, values, inputs):
            same = [called for value, called in known if called and _is(value, tensor)]
            node.kept.append(((*same, "")[0], tensor))
    nodes[-1].arrived = torch.ones_like(nodes[-1].value) if v is None else v.to(nodes[-1].value)
    for node in reversed(nodes):
        for i, part in zip(node.inputs, node.sent, strict=True):
            before = nodes[i].arrived
            nodes[i].arrived = part if before is None else before + part
    torch.autograd.backward(values[result.args[0]], nodes[-1].arrived)
    return nodes, list(dict.fromkeys(freed))


class _Held:
    """A tensor that an operation keeps, until backward lets go of it."""

    def __init__(self, tensor: Tensor, into: list[Tensor], freed: Callable[[], None]) -> None:
        self.tensor = tensor.detach()  # a result that holds itself would live on
        into.append(self.tensor)
        finalize(self, freed)


def text(values: Tensor | None, most: int = 3) -> str:
    """Write numbers as a graph has to: whole ones whole, with a sign in front of rounded ones.

    Example:
        >>> text(torch.tensor([5705182.0, -0.1, 2 / 3])), text(torch.ones(2, 2))
        ('[5705182, −0.1, ≈0.6667]', 'shape (2, 2)')
    """
    numbers = _seen(values)
    if numbers.ndim == 0:
        return _number(numbers)
    if max(numbers.shape) > most or numbers.ndim > (2 if most > 3 else 1):
        return f"shape {tuple(numbers.shape)}"
    return f"[{', '.join(text(part, most) for part in numbers)}]"


def _number(number: Tensor) -> str:
    value = number.item()
    close = torch.tensor(float(f"{value:.6g}")).to(number)
    if value == round(value):
        said = f"{value:.0f}"
    elif abs(close - number) <= torch.finfo(number.dtype).eps * abs(number):
        said = f"{Decimal(f'{value:.6g}').normalize():f}"
    else:
        said = f"≈{Decimal(f'{value:.4g}').normalize():f}"
    return (said if value else "0").replace("-", "−")


def _number_kept(
    run: Any, one: Any, values: Mapping[Any, Tensor], inputs: list[Any]
) -> list[Tensor]:
    """Return the number that an operation keeps: hooks do not see it, but no second pass works."""
    leaves = [values[other].detach().clone().requires_grad_() for other in inputs]
    result = run(*leaves)
    torch.autograd.grad(result, leaves, torch.ones_like(result))
    try:
        torch.autograd.grad(result, leaves, torch.ones_like(result))
    except RuntimeError:
        return [torch.tensor(arg) for arg in one.args if isinstance(arg, int | float)]
    return []


def _seen(tensor: Tensor | None) -> Tensor:
    if tensor is None:
        raise ValueError("an operation of f that y does not depend on; expected each to count")
    return tensor


def _run(one: Any, inputs: list[Any], *values: Tensor) -> Tensor:
    left = list(values)
    result: Tensor = one.target(*map_arg(one.args, lambda _: left.pop(0)), **one.kwargs)
    return result


def _called(
    one: Any, node: Node, nodes: list[Node], names: Mapping[str, Tensor], *, last: bool
) -> str:
    for name, value in names.items():
        if torch.equal(value.detach(), node.value):
            return name
    if node.name == "select" and one.args[1] == 0 and nodes[node.inputs[0]].called:
        return f"{nodes[node.inputs[0]].called}[{one.args[2]}]"
    return "y" if last else ""


def _is(value: Tensor, kept: Tensor) -> bool:
    return value.data_ptr() == kept.data_ptr() and value.shape == kept.shape


def _inside(label: Label, box: Box) -> bool:
    return box.left < label.place[0] < box.right and box.top < label.place[1] < box.bottom


def _looks(places: list[Place], blamed: list[str]) -> Iterator[Pair]:
    """Compare where words stand in their boxes, their colors, and the steps in which they show."""
    looks = [(place.box.color, place.box.shade) for place in places]
    bad = [place.lines[0] in blamed for place in places]
    yield "the looks of the boxes", looks, [("bad", 12) if b else ("plain", 0) for b in bad]
    for place in places:
        (top, *_), root = place.words, place is places[-1]
        middles, downs = zip(*(label.place for label in place.words), strict=True)
        yield "the middle of a box", list(middles), [place.box.middle[0]] * len(middles)
        yield "the lines of a box", list(downs), [top.place[1] + 17 * k for k in range(len(downs))]
        outside = [label.words for label in place.words if label.left < place.box.left]
        yield "words that do not fit their box", outside, []
        for label in place.words:
            arrived, kept = label.words.startswith("↑"), label.words.startswith("keeps")
            color = "bad" if label.words.startswith(("sends ", "right: ")) else "plain"
            yield f"the color of {label.words}", label.color, "accent" if arrived else color
            shows = (("since", 1 if root else place.step),) if arrived else ()
            shows = (("until", place.step),) if kept else shows
            yield f"the steps of {label.words}", label.steps, shows


def _ways(seen: Drawn, places: list[Place]) -> Iterator[Pair]:
    """Find the boxes and the number of every way, and compare their looks and steps."""
    *ways, given = seen.lines
    loose = [a for a in seen.labels if not any(_inside(a, place.box) for place in places)]
    *numbers, v, legend = loose
    yield "the legend", (legend.words, legend.right <= seen.width), (LEGEND, True)
    yield "where the legend begins", legend.place[0], 2
    yield "the color of the legend and of v", (legend.color, v.color), ("plain", "accent")
    downs = (legend.place[1], v.place[1] - given.points[-1][1])
    yield "how far down the legend and v stand", downs, (seen.height - 6, 13)
    root = places[-1]
    yield "v", v.words, Exactly(f"v = {root.lines[2][2:]}")
    yield "the steps of v", (v.steps, given.steps), ((("at", 1), ("since", 1)), (("at", 1),))
    (x, y), (below, down) = given.points
    yield "the way of v", (x, y, below), (root.box.middle[0], root.box.bottom, v.place[0])
    yield "v beneath its way", (v.place[0], down < v.place[1]), (x, True)
    looks = [(way.color, way.dashed) for way in seen.lines]
    yield "the looks of the ways", looks, [("plain", False)] * len(looks)
    yield "how many numbers stand on ways", len(numbers), len(ways)
    for way, label in zip(ways, numbers, strict=True):
        starts = [p for p in places if _meets(way.points[0], p.box, p.box.bottom)]
        ends = [p for p in places if _meets(way.points[-1], p.box, p.box.top)]
        yield f"the boxes at the ends of {way.points}", (len(starts), len(ends)), (1, 1)
        (start,), (end,) = starts, ends
        yield "a number on its way", (_beside(label, way), label.color), (True, "accent")
        steps = (("at", end.step), ("since", end.step), ("until", start.step))
        yield "the steps of a way and its number", (way.steps, label.steps), (steps[:1], steps)
        end.up.append((label.words, start))
        start.below.append((end.step, label.words))


def _meets(point: Point, box: Box, side: float) -> bool:
    return box.left < point[0] < box.right and abs(point[1] - side) <= TENTHS


def _beside(label: Label, way: Line) -> bool:
    """Whether the middle of a number lies on the last piece of its way, at one of two heights."""
    (x1, y1), (x2, y2) = way.points[-2:]
    share = (y2 - label.place[1] + 5) / (y2 - y1)
    aside = x2 + share * (x1 - x2) - label.place[0]
    return abs(aside) <= 2 * TENTHS and round(share, 1) in (0.3, 0.7)


def _tree(place: Place) -> str:
    """Write a box with all that leads to it."""
    above = "; ".join(f"{sent} up to ({_tree(other)})" for sent, other in place.up)
    return f"{', '.join(place.lines)} [{above}]"


def _trees(nodes: list[Node]) -> list[str]:
    @cache
    def tree(k: int) -> str:
        pairs = zip(map(text, nodes[k].sent), nodes[k].inputs, strict=True)
        above = "; ".join(f"{sent} up to ({tree(i)})" for sent, i in pairs)
        return f"{', '.join(nodes[k].lines)} [{above}]"

    return [tree(k) for k in range(len(nodes))]


def _begun(nodes: list[Node]) -> list[list[str]]:
    """Write the two steps before backward comes by a node."""
    x, y = nodes[0], nodes[-1]
    v = text(y.arrived)
    call = f"{y.called}.backward(): 1" if v == "1" else f"{y.called}.backward(v): v = {v}"
    gone = f"Forward: x = {text(x.value)} goes down to {y.called} = {text(y.value)}"
    return [
        [f"{gone}, and each operation keeps what it needs to go back."],
        [f"{call} arrives at {y.called}."],
    ]


def _told(nodes: list[Node], node: Node, parts: list[str]) -> list[str]:
    """Write the step in which backward comes by a node that got these parts."""
    here, several = text(node.arrived), len(parts) > 1
    what = f"{node.label} gets {here}" + f", the sum of {len(parts)} parts," * several
    lines = [f"{' + '.join(parts)} = {here}"] * several
    if not node.inputs:
        return [f"{what} and backward adds it to x.grad.", *lines]
    targets = [nodes[i].called or nodes[i].name for i in node.inputs]
    sent = list(map(text, node.sent))
    sends = [f"{one} to {target}" for one, target in zip(sent, targets, strict=True)]
    for slope, right, target in zip(node.slopes, node.right, targets, strict=True):
        line = f"{here} {_factor(_seen(node.arrived), slope)} = {text(right)} → {target}"
        bad = node.wrong is not None
        lines.append(f"Wrong: {line}, but it sends {sent[0]}." if bad else line)
    if node.called and node is not nodes[-1] and node.name != "select":
        lines.append(f"Cut f here, and {here} is the v for {node.called}.backward(v).")
    if kept := [f"{name} = {text(value)}" if name else text(value) for name, value in node.kept]:
        lines.append(f"Then it frees {' and '.join(kept)}.")
    return [f"{what} and sends {_listed(sends)}.", *lines]


def _factor(arrived: Tensor, slope: Tensor) -> str:
    """Write a Jacobian; what is on its diagonal alone, where each element goes its own way."""
    if not arrived.ndim:
        return f"× {text(slope, 4)}"
    if slope.shape == arrived.shape * 2:
        own = contract(torch.ones_like(arrived), slope)
        if torch.equal(torch.diag(own.reshape(-1)).reshape(slope.shape), slope):
            return f"× {text(own, 4)}"
    return f"· {text(slope, 4)}"


def _listed(items: list[str]) -> str:
    return ", ".join(items[:-1]) + " and " * (len(items) > 1) + items[-1]
