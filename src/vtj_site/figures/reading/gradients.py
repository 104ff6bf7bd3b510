"""Gradients as maps of pairs and as curves: boxes and points beside what a page has computed."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from vtj.show import Figure
from vtj_site.figures.reading.compared import Exactly, Pair, array, texts
from vtj_site.figures.reading.drawn import drawn

LOOKS = [("positive", False), ("accent", True), ("negative", True)]
"""How the first, the second and the third curve are drawn: their color, and whether dashed."""


def pairs(figure: Figure, *, found: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare boxes with the numbers of each map, under the name that stands above it."""
    seen = drawn(figure)
    true = {name: array(values) for name, values in found.items()}
    most = max(np.abs(values).max() for values in true.values()) or 1.0
    yield "the names", seen.words, [*map(Exactly, true)]
    looks = {(label.color, label.anchor, label.place[1]) for label in seen.labels}
    yield "how the names look", looks == {("plain", "middle", seen.labels[0].place[1])}, True
    rest, side, edge = seen.boxes, seen.boxes[0].width, 0.0
    top = seen.boxes[0].top
    yield "the names above", 0 < top - seen.labels[0].place[1] < side, True
    for label, values in zip(seen.labels, true.values(), strict=True):
        boxes, rest = rest[: values.size], rest[values.size :]
        left = label.place[0] - side * values.shape[1] / 2
        yield "room between two maps", min(left, label.left) > edge, True
        edge = max(left + side * values.shape[1], label.right)
        places = [
            [left + side * j, top + side * i, side, side] for i, j in np.ndindex(*values.shape)
        ]
        yield "the places", [[b.left, b.top, b.width, b.height] for b in boxes], places
        colors = [Exactly("negative" if value < 0 else "positive") for value in values.flat]
        yield "the colors", [box.color for box in boxes], colors
        shades = [round(40 * abs(value) / most) for value in values.flat]
        yield "the shades", [box.shade for box in boxes], shades
        yield "within the drawing", edge < seen.width and boxes[-1].bottom < seen.height, True
    yield "boxes that are left", len(rest), 0
    told = (
        f"{name}: {np.count_nonzero(values)} of {values.size} pairs are not zero"
        for name, values in true.items()
    )
    yield "the description", seen.description, Exactly(f"{'; '.join(told)}.")


def curves(figure: Figure, *, over: str, x: Any, found: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare curves with the gradients by the numbers x, in order."""
    seen, at = drawn(figure), array(x)
    true = {name: array(values) for name, values in found.items()}
    both = np.array([0.0, *np.concatenate([*true.values()])])
    unseen = (both.max() - both.min()) / 1000
    start, end = texts([at[0], at[-1]])
    yield "the title", seen.title, f"Gradient by the {over}, from {start} to {end}"
    three = {
        name: [
            float(f"{value if abs(value) >= unseen else 0:.3g}")
            for value in (values[0], values[len(values) // 2], values[-1])
        ]
        for name, values in true.items()
    }
    told = (
        f"{name}: {first}, in the middle {middle}, at the end {last}"
        for name, (first, middle, last) in three.items()
    )
    yield "the description", seen.description, f"{'; '.join(told)}."

    zero, upright, *lines = seen.lines
    (left, high), (foot, low) = upright.points
    right = zero.points[1][0]
    unit = (low - high) / ((both.max() - both.min()) or 1.0)
    level = high + unit * both.max()
    yield "the line of zero", [list(p) for p in zero.points], [[left, level], [right, level]]
    yield "the line at the left", foot, left
    axes = {(line.color, line.dashed) for line in (zero, upright)}
    yield "how these lines look", axes == {("plain", False)}, True
    wide = (right - left) / (at[-1] - at[0])
    drawings, legend = lines[::2], lines[1::2]
    across = (left + wide * (at - at[0])).tolist()
    for line, values in zip(drawings, true.values(), strict=True):
        points = zip(across, (high + unit * (both.max() - values)).tolist(), strict=True)
        yield "the points of a curve", [list(p) for p in line.points], [list(p) for p in points]
    looks = LOOKS[: len(true)]
    for those in (drawings, legend):
        yield "how the curves look", [(line.color, line.dashed) for line in those] == looks, True

    marks = dict.fromkeys(texts([both.max(), 0.0, both.min()]), None)
    levels = {level - unit * value for value in (both.max(), 0.0, both.min())}
    beside, beneath, names = (
        seen.labels[: len(marks)],
        seen.labels[len(marks) : -len(true)],
        seen.labels[-len(true) :],
    )
    yield "the numbers beside", [label.words for label in beside], [*marks]
    heights = [label.place[1] - y for label, y in zip(beside, sorted(levels), strict=True)]
    yield "where they stand", heights, [5.0] * len(beside)
    ends = {(label.anchor, label.place[0] < left < label.place[0] + 10) for label in beside}
    yield "left of the line", ends == {("end", True)}, True
    yield "what stands beneath", [label.words for label in beneath], [start, Exactly(over), end]
    yield (
        "where it stands",
        [list(label.place) for label in beneath],
        [[place, low + 20] for place in (left, (left + right) / 2, right)],
    )
    yield "the names", [label.words for label in names], [*map(Exactly, true)]
    for label, line in zip(names, legend, strict=True):
        (near, y), (far, other) = line.points
        yield "a line beside its name", [near, y, far + 8, y + 5], [left, other, *label.place]
    below = [line.points[0][1] for line in legend]
    yield "the legend beneath", below, [low + 40 + 22 * place for place in range(len(below))]
    yield "long enough to be seen", all(line.points[1][0] - left > 16 for line in legend), True
    anchors = [label.anchor for label in (*beneath, *names)]
    yield "how words stand", anchors == ["middle"] * 3 + ["start"] * len(names), True
    yield "their color", {label.color for label in seen.labels} == {"plain"}, True
