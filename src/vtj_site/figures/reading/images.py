"""Maps over an image: one box for each pixel, its shade against the number."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from vtj.show import Figure
from vtj_site.figures.reading.compared import Exactly, Pair, array
from vtj_site.figures.reading.drawn import Box, drawn


def maps(figure: Figure, *, image: Any, found: Mapping[str, Any]) -> Iterator[Pair]:
    """Compare the pixels of an image and of the maps over it with the numbers."""
    seen, pixels = drawn(figure), array(image)
    rest, side = seen.boxes, seen.boxes[0].width
    yield "the words beneath", seen.words, [*map(Exactly, found)]
    yield "their color", [label.color for label in seen.labels], ["plain"] * len(found)
    for label, values in zip(seen.labels, map(array, found.values()), strict=True):
        behind, over = rest[: pixels.size], rest[pixels.size :][: values.size]
        rest = rest[pixels.size + values.size :]
        corner = behind[0].left, behind[0].top
        margin = [(of - own) / 2 for of, own in zip(pixels.shape, values.shape, strict=True)]
        yield from _picture(behind, pixels, corner, side, "plain")
        at = corner[0] + side * margin[1], corner[1] + side * margin[0]
        yield from _picture(over, values, at, side, "positive")
        right, bottom = behind[-1].left + side, behind[-1].bottom
        yield "the words in the middle", label.place[0], (corner[0] + right) / 2
        yield "how far down the words stand", label.place[1] - bottom, 19
        within = (right < seen.width, label.place[1] < seen.height)
        yield "all of it inside of the drawing", within, (True, True)
    yield "pixels that are left", len(rest), 0
    each = (
        f"{name} is largest at {[*map(int, np.argwhere(v == v.max())[0])]} of {v.shape}"
        for name, v in ((name, array(values)) for name, values in found.items())
    )
    said = f"{'; '.join(each)}, over an image of {pixels.shape}."
    yield "the description", seen.description, Exactly(said)


def _picture(
    boxes: list[Box], values: Any, corner: tuple[float, float], side: float, color: str
) -> Iterator[Pair]:
    places = [(b.left, b.top, b.width, b.height) for b in boxes]
    true = [
        (corner[0] + side * j, corner[1] + side * i, side, side)
        for i, j in np.ndindex(*values.shape)
    ]
    yield "the places of the pixels", places, true
    yield "the colors of the pixels", [b.color for b in boxes], [color] * values.size
    shades = [round(40 * value) for value in (values / (values.max() or 1)).flat]
    yield "the shades of the pixels", [b.shade for b in boxes], shades
