"""Graphs: which arrow leads from which box to which, and what the boxes say."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from vtj.show import Figure
from vtj_site.figures.reading.compared import TENTHS, Pair, array, texts, written
from vtj_site.figures.reading.drawn import Box, drawn

Node = tuple[list[str], set[int]]
"""What a box says, and the positions of the boxes that it is computed from."""


def graph(figure: Figure, *, f: Any, x: Tensor, v: Any = None) -> Iterator[Pair]:
    """Compare boxes and arrows with the operations that torch.fx finds in `f`.

    Each box holds a name, a value and a gradient.
    """
    seen = drawn(figure)
    boxes, (*labels, legend) = seen.boxes, seen.labels
    offsets = [label.place[1] - boxes[0].top for label in labels[:3]]
    places = [(box.middle[0], box.top + down) for box in boxes for down in offsets]
    yield "the words in the boxes", [label.place for label in labels], places
    colors = ["plain", "plain", "accent"] * len(boxes)
    yield "the colors of the words", [label.color for label in labels], colors
    words = ("→ value   ← gradient arriving", True)
    yield "the legend", (legend.words, legend.right <= seen.width), words
    looks = [(box.height, box.color) for box in boxes]
    yield "the looks of the boxes", looks, [(boxes[0].height, "plain")] * len(boxes)
    yield "words inside of boxes", 0 < min(offsets) < max(offsets) < boxes[0].height, True

    down = [line.points[::-1] if line.dashed else line.points for line in seen.lines]
    ways, back = down[::2], down[1::2]
    aside = back[0][0][0] - ways[0][0][0]
    yield "ways back beside their ways", back, [[(a + aside, b) for a, b in way] for way in ways]
    tips = [(head.points[0], head.color) for head in seen.heads]
    yield "the tips of the arrows", tips, [(line.points[-1], line.color) for line in seen.lines]
    for tip, *feet in (head.points for head in seen.heads):
        sides = [((a - tip[0]) ** 2 + (b - tip[1]) ** 2) ** 0.5 for a, b in feet]
        yield "the sides of the head of an arrow", sides[0], sides[1]
    kinds = [(line.color, line.dashed) for line in seen.lines]
    yield "the looks of the arrows", kinds, [("plain", False), ("accent", True)] * len(ways)
    said: list[Node] = [
        ([label.words for label in labels[3 * k : 3 * k + 3]], set()) for k in range(len(boxes))
    ]
    for way in ways:
        starts = [
            k for k, box in enumerate(boxes) if _holds(box, way[0][0], way[0][1] - box.bottom)
        ]
        ends = [k for k, box in enumerate(boxes) if _holds(box, way[-1][0], way[-1][1] - box.top)]
        yield f"the boxes at the ends of {way}", (len(starts), len(ends)), (1, 1)
        said[ends[0]][1].add(starts[0])

    true = operations(f, x, v)
    yield "the words of the boxes", sorted(map(_line, said)), sorted(map(_line, true))
    yield "the number of arrows", len(ways), sum(len(above) for _, above in true)
    hanging = [sorted(_way(nodes, k) for k in range(len(nodes))) for nodes in (said, true)]
    yield "what each box is computed from", hanging[0], hanging[1]
    parts = " ".join(f"{name}: {', '.join(rest)}." for (name, *rest), _ in said)
    told = parts.replace("→", "value").replace("←", "gradient")
    yield "the description", seen.description, told


def operations(f: Any, x: Tensor, v: Any = None) -> list[Node]:
    """Trace `f`, run its operations one by one, and ask for the gradient of each result.

    Example:
        >>> operations(lambda x: (3 * x).sum(), torch.tensor([1.0, 2.0]))[1:]
        [(['mul', '→ [3.0, 6.0]', '← [1.0, 1.0]'], {0}), (['sum', '→ 9.0', '← 1.0'], {1})]
    """
    *nodes, result = make_fx(f)(x.detach()).graph.nodes
    values = {nodes[0]: x.detach().clone().requires_grad_()}
    for node in nodes[1:]:
        values[node] = node.target(*map_arg(node.args, values.__getitem__), **node.kwargs)
    gradients = torch.autograd.grad(values[result.args[0]], list(values.values()), v)
    names = ["x", *(node.target.overloadpacket.__name__ for node in nodes[1:])]
    return [
        ([name, f"→ {_said(values[node])}", f"← {_said(gradient)}"], set(map(nodes.index, above)))
        for name, node, gradient in zip(names, nodes, gradients, strict=True)
        for above in [node.all_input_nodes]
    ]


def _said(tensor: Tensor) -> str:
    if tensor.ndim == 0:
        return texts(tensor)[0]
    short = tensor.ndim == 1 and tensor.numel() <= 3
    return f"[{', '.join(texts(tensor))}]" if short else f"shape {array(tensor).shape}"


def _holds(box: Box, x: float, away: float) -> bool:
    return box.left < x < box.right and abs(away) <= TENTHS


def _line(node: Node) -> str:
    return written(" ".join(node[0]))


def _way(nodes: list[Node], node: int) -> str:
    above = ", ".join(sorted(_way(nodes, other) for other in nodes[node][1]))
    return f"{_line(nodes[node])} from ({above})"
