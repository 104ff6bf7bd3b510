"""Passes of two processes, beside what a schedule of all forwards and then all backwards says."""

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from vtj.show import Figure
from vtj_site.figures.reading.compared import Exactly, Pair
from vtj_site.figures.reading.drawn import Line, drawn

Row = tuple[int, int, str, str]
"""A pass: its row, its process, its words, and what came from the other process."""


def passes(
    figure: Figure, *, names: tuple[str, str], y: Sequence[Tensor], v: Sequence[Tensor]
) -> Iterator[Pair]:
    """Compare passes with the schedule of the micro-batches whose `y` and `v` are given."""
    seen, right = drawn(figure), sorted(schedule(y, v))
    told = " ".join(
        f"{names[process]}: {words}{f' of {came}, which {names[1 - process]} sent' * bool(came)}."
        for _, process, words, came in right
    )
    yield "the description", seen.description, Exactly(told)
    heads, words, came = seen.labels[:2], seen.labels[2:], [row for row in right if row[3]]
    boxes, middles = seen.boxes, [head.place[0] for head in heads]
    yield "the names", [head.words for head in heads], list(map(Exactly, names))
    looks = [("middle", "plain", True, head.place[1]) for head in heads]
    looks_seen = [(head.anchor, head.color, head.strong, heads[0].place[1]) for head in heads]
    yield "how the names look", looks_seen == looks, True
    yield "the number of boxes", len(boxes), len(right)
    step = (boxes[-1].top - boxes[0].top) / (right[-1][0] - 1)
    tops = [boxes[0].top + step * (row - 1) for row, *_ in right]
    wide, high = boxes[0].width, boxes[0].height
    lefts = [middles[process] - wide / 2 for _, process, *_ in right]
    places = [[left, top, wide, high] for left, top in zip(lefts, tops, strict=True)]
    yield "the places", [[b.left, b.top, b.width, b.height] for b in boxes], places
    yield "room between two rows", 0 < high < step, True
    back = ["backward" in words for _, _, words, _ in right]
    tints = [("accent", True) if each else ("plain", False) for each in back]
    yield "what is tinted", [(box.color, box.shade > 0) for box in boxes] == tints, True

    in_boxes = [label for label in words if any(_holds(box, label.place) for box in boxes)]
    on_arrows = [label for label in words if label not in in_boxes]
    yield "words", [label.words for label in in_boxes], [Exactly(words) for _, _, words, _ in right]
    yield "what came", [label.words for label in on_arrows], [Exactly(each) for *_, each in came]
    below = in_boxes[0].place[1] - tops[0]
    in_middle = [[middles[row[1]], top + below] for row, top in zip(right, tops, strict=True)]
    yield "where words stand", [list(label.place) for label in in_boxes], in_middle
    plain = {(label.color, label.strong, label.anchor) for label in in_boxes}
    yield "how words look", plain == {("plain", False, "middle")}, True

    arrows = [line for line in seen.lines if not line.dashed]
    ways, points = arrows[::2], arrows[1::2]
    colors = ["accent" if "backward" in words else "plain" for _, _, words, _ in came]
    yield "colors", [label.color for label in on_arrows], list(map(Exactly, colors))
    yield "colors of arrows", _colors(ways), list(map(Exactly, colors))
    yield "colors of their heads", _colors(points), list(map(Exactly, colors))
    strong = {(label.strong, label.anchor) for label in on_arrows}
    yield "how what came looks", strong == {(True, "middle")}, True
    arrive = [boxes[right.index(row)].top for row in came]
    above, over = arrive[0] - ways[0].points[0][1], ways[0].points[0][1] - on_arrows[0].place[1]
    yield "an arrow in its gap", 0 < above < above + over < step - high, True
    ends = [
        [[middles[1 - process], y - above], [middles[process], y - above]]
        for (_, process, *_), y in zip(came, arrive, strict=True)
    ]
    yield "from whom to whom", [[list(p) for p in way.points] for way in ways], ends
    stand = [[sum(middles) / 2, y - above - over] for y in arrive]
    yield "what stands on an arrow", [list(label.place) for label in on_arrows], stand
    (long, half) = (abs(a - b) for a, b in zip(*points[0].points[:2], strict=True))
    tips = []
    for (start, _), tip in ends:
        side = tip[0] - long if start < tip[0] else tip[0] + long
        tips.append([[side, tip[1] - half], tip, [side, tip[1] + half]])
    yield "heads of arrows", [[list(p) for p in head.points] for head in points], tips
    yield "room for a head", 0 < half < above and 0 < long < wide, True
    yield "lines down", _down(seen.lines), _ways_down(right, middles, tops, high, heads[0].place[1])


def schedule(y: Sequence[Tensor], v: Sequence[Tensor]) -> Iterator[Row]:
    """Yield the passes of all micro-batches: the second process waits, then the first one does."""
    count = len(y)
    for k in range(count):
        number = f" {k + 1}" if count > 1 else ""
        came = (f"{name}{number} {tuple(given[k].shape)}" for name, given in (("y", y), ("v", v)))
        yield 1 + k, 0, f"forward{number}", ""
        yield 2 + k, 1, f"forward{number}", next(came)
        yield 2 + count + k, 1, f"backward{number}", ""
        yield 3 + count + k, 0, f"backward{number}", next(came)


def _ways_down(
    right: Sequence[Row], middles: Sequence[float], tops: Sequence[float], high: float, head: float
) -> list[list[float]]:
    """Return the lines from name to box, from box to box, and on to the last row."""
    lines = []
    for process, middle in enumerate(middles):
        start, last = head + 6, tops[-1] + high
        for row, top in zip(right, tops, strict=True):
            if row[1] == process:
                lines.append([middle, start, middle, top])
                start = top + high
        if start < last:
            lines.append([middle, start, middle, last])
    return lines


def _down(lines: Sequence[Line]) -> list[list[float]]:
    found = [line for line in lines if line.dashed]
    return [[*line.points[0], *line.points[1]] for line in found if line.color == "plain"]


def _colors(lines: Sequence[Line]) -> list[str]:
    return [line.color for line in lines]


def _holds(box: Any, place: tuple[float, float]) -> bool:
    return bool(box.left < place[0] < box.right and box.top < place[1] < box.bottom)
