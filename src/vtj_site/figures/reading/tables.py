"""Heat maps and shapes: boxes in rows and columns, with words in line with them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from vtj.show import Figure
from vtj_site.figures.reading.compared import Pair, array, elements, in_lines, texts
from vtj_site.figures.reading.drawn import drawn


def heat_map(figure: Figure, *, J: Any, v: Any, grad: Any) -> Iterator[Pair]:  # noqa: N803
    """Compare a heat map's words and tints with v, J and x.grad."""
    weights, product = array(v), array(grad)
    matrix = array(J).reshape(weights.size, product.size)
    rows, sums = [texts(row) for row in matrix], texts(product)
    scales = [f"{weight} ×" for weight in texts(weights)]
    beside = list(zip(scales, elements("y", weights.shape), rows, strict=True))
    seen = drawn(figure)
    above = elements("x", product.shape)
    body = [[scale, name, *row] for scale, name, row in beside]
    _, *weighted, total = seen.rows
    colored = [*(line[0] for line in weighted), *total]
    yield from in_lines(seen.rows, [above, *body, ["vᵀ·J", *sums]], colored)
    terms = (f"{scale} row {name} ({', '.join(row)})" for scale, name, row in beside)
    said = f"{' + '.join(terms)} = vᵀ·J ({', '.join(sums)})."
    yield "the description", seen.description, said

    first, last = seen.boxes[0], seen.boxes[-1]
    entries = [label.place for line in weighted for label in line[2:]]
    down = first.middle[1] - entries[0][1]
    around = [(x, y + down, first.width, first.height) for x, y in entries]
    boxes = [(*box.middle, box.width, box.height) for box in seen.boxes]
    yield "the boxes around the entries", boxes, around
    yield "entries inside of boxes", abs(down) < first.height / 2, True
    most = np.max(np.abs(matrix)) or 1.0
    darkest = max(box.shade for box in seen.boxes)
    tints = [
        ("negative" if entry < 0 else "positive", round(darkest * abs(entry) / most))
        for entry in matrix.flat
    ]
    yield "the tints", [(box.color, box.shade) for box in seen.boxes], tints
    yield "a tint that can be seen", darkest > 0, bool(np.any(matrix))

    opening, closing, rule = (line.points for line in seen.lines)
    (out, high), low = opening[1], first.top + last.bottom - opening[1][1]
    bracket = [(first.left, high), (out, high), (out, low), (first.left, low)]
    yield "the left bracket", opening, bracket
    yield "the right bracket", closing, [(first.left + last.right - x, y) for x, y in bracket]
    yield "the line above the sums", rule, [(edge, rule[0][1]) for edge in (first.left, last.right)]


def side_by_side(figure: Figure, *, J: Any, v: Any, grad: Any) -> Iterator[Pair]:  # noqa: N803
    """Compare three shapes with those of v, J and x.grad, in words and in boxes.

    A side of more than eight is drawn without its boxes, which is not read.
    """
    shapes = [str(array(values).shape) for values in (v, J, grad)]
    m, n = array(v).size, array(grad).size
    seen = drawn(figure)
    yield from in_lines(seen.rows[::2], [["v", "J", "x.grad"], shapes])
    signs = [(label.words, label.color) for label in seen.rows[1]]
    yield "the signs", signs, [("·", "plain"), ("=", "plain")]
    said = "v {} has y's shape, J {} has y's and then x's, x.grad {} has x's.".format(*shapes)
    yield "the description", seen.description, said

    first = seen.boxes[0]
    side, middles = first.width, [label.place[0] for label in seen.rows[0]]
    height = (min(box.top for box in seen.boxes) + max(box.bottom for box in seen.boxes)) / 2
    boxes = [
        (x + side * (j - across / 2), height + side * (i - down / 2), side, side)
        for x, down, across in zip(middles, (1, m, 1), (m, n, n), strict=True)
        for i in range(down)
        for j in range(across)
    ]
    yield "the boxes", [box[:4] for box in seen.boxes], boxes
    colors = [(box.color, box.shade) for box in seen.boxes]
    yield "the colors of the boxes", colors, [(first.color, first.shade)] * len(boxes)
    edges = [side * across / 2 for across in (m, n, n)]
    for k, label in enumerate(seen.rows[1]):
        room = (middles[k] + edges[k] < label.left, label.right < middles[k + 1] - edges[k + 1])
        yield f"{label.words!r} between its boxes", room, (True, True)
