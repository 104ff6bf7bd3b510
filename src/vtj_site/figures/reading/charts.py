"""Bars: how long each is on the scale of the longest, and which words stand beside it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vtj.show import Figure
from vtj_site.figures.reading.compared import Pair, array, elements, in_lines, texts
from vtj_site.figures.reading.drawn import Drawn, Label, drawn
from vtj_site.records.build_times import recorded

SHORTEST = 2.0
"""No bar is shorter, in pixels, since it could not be seen."""


def accumulation(figure: Figure, *, sums: Any) -> Iterator[Pair]:
    """Compare bars and sums with what x.grad held after each call, the calls first in `sums`."""
    held = array(sums)
    names = elements("x", held.shape[1:])
    held = held.reshape(len(held), len(names))
    words, said, ends = [], [], []
    for call, old, now in zip(range(len(held)), [0 * held[0], *held], held, strict=False):
        for place, (name, a, b) in enumerate(zip(names, old, now, strict=True)):
            title = "" if place else f"call {call + 1}"
            before, added, after = texts((a, abs(b - a), b))
            total = f"{before} {'−' if b < a else '+'} {added} = {after}"
            words.append([title, name, total] if len(names) > 1 else [title, total])
            said.append(
                f"{title} {name}: {total}." if len(names) > 1 else f"Call {call + 1}: {total}."
            )
            ends += [sorted((0.0, a)), sorted((a, b))]
    seen = drawn(figure)
    yield from in_lines(seen.rows, words)
    yield "the description", seen.description, " ".join(map(str.strip, said))

    (zero, high), (foot, low) = seen.lines[0].points
    yield "the line of zero", foot, zero
    places = np.array(ends)
    far = np.unravel_index(np.argmax(np.abs(places)), places.shape)
    bars = [(box.left, box.right) for box in seen.boxes]
    unit = (bars[far[0]][far[1]] - zero) / (places[far] or 1.0)
    yield "the ends of the bars", bars, (zero + unit * places).tolist()
    yield "bars with a length", unit > 0, bool(places[far])
    yield "the colors", [box.color for box in seen.boxes], ["plain", "accent"] * len(words)
    yield from _beside(seen, [line[0] for line in seen.rows for _ in ("held", "added")])
    along = high <= seen.boxes[0].top and low >= seen.boxes[-1].bottom
    yield "the line of zero along all bars", along, True


def cost(
    figure: Figure, *, forward: int, backward: int, along: int, outputs: int, inputs: int
) -> Iterator[Pair]:
    """Compare bars with operations: of f, of the pass back alone, and of f with a direction."""
    reverse = f"{outputs} reverse pass{'' if outputs == 1 else 'es'}"
    directions = f"{inputs} forward pass{'' if inputs == 1 else 'es'}"
    rows = [
        ("y = f(x)", forward, "plain"),
        ("vᵀ·J, one reverse pass", forward + backward, "accent"),
        ("J·u, one forward pass", along, "negative"),
        (f"J by rows, {reverse}", forward + outputs * backward, "accent"),
        (f"J by columns, {directions}", inputs * along, "negative"),
    ]
    seen = drawn(figure)
    yield "the title", seen.title, f"Operations for J: {reverse} or {directions}"
    yield from _bars(seen, [(f"{name}: {count:,}", count, color) for name, count, color in rows])


def build_times(figure: Figure, *, key: str, unit: str) -> Iterator[Pair]:
    """Compare bars with the recorded rows whose key is a number of pages and then `key`."""
    rows = recorded()["parts"]["scale"]["rows"]
    pattern = re.compile(rf"(\d+) pages{key}")
    found = [(keyed[1], row) for row in rows if (keyed := pattern.fullmatch(row["key"]))]
    yield "the unit", [unit] * len(found), [row["unit"] for _, row in found]
    found.sort(key=lambda pair: int(pair[0]))
    values = [(f"{pages} pages: {row['measured']} {unit}", row["measured"]) for pages, row in found]
    yield from _bars(drawn(figure), [(words, value, "accent") for words, value in values])


def _bars(seen: Drawn, rows: Sequence[tuple[str, float, str]]) -> Iterator[Pair]:
    yield from in_lines(seen.rows, [[words] for words, _, _ in rows])
    yield "the description", seen.description, f"{'; '.join(words for words, _, _ in rows)}."
    start, longest = seen.rows[0][0].place[0], max(box.width for box in seen.boxes)
    most = max(value for _, value, _ in rows)
    bars = [(start, max(SHORTEST, longest * value / most), color) for _, value, color in rows]
    yield "the bars", [(box.left, box.width, box.color) for box in seen.boxes], bars
    yield "bars with a length", longest > SHORTEST, True
    yield from _beside(seen, [line[0] for line in seen.rows])


def _beside(seen: Drawn, labels: Sequence[Label]) -> Iterator[Pair]:
    """Compare how high each bar is, and how far from its words, with the first one."""
    lines = [label.place[1] for label in labels]
    pairs = zip(seen.boxes, lines, strict=True)
    found = [(box.top - line, box.height, box.shade) for box, line in pairs]
    yield "the bars beside their words", found, [found[0]] * len(found)
    middles = [box.middle[1] for box in seen.boxes]
    nearest = [min(lines, key=lambda line: abs(line - middle)) for middle in middles]
    yield "the words nearest to each bar", nearest, lines
