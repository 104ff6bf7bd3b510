"""The mark: a dot for each weight, growing with it, before the rows of a matrix in brackets."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.floating[Any]]

SIDE = 32
INK, WEIGHT = "ink", "weight"
LIGHT = {INK: "#14283c", WEIGHT: "#c2560a"}
DARK = {INK: "#e8eef4", WEIGHT: "#c2560a"}


class Bar(NamedTuple):
    """A rectangle with round corners, in a square of 32 by 32."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    role: str


def bars(weights: Weights) -> Iterator[Bar]:
    """Yield the brackets, and a row and a dot for each weight."""
    for edge, arm in ((13, 13), (27.5, 26)):
        yield Bar(edge, 3, 2.5, 26, 0.5, INK)
        for end in (3, 26.5):
            yield Bar(arm, end, 4, 2.5, 0.5, INK)
    for place, weight in enumerate(weights.reshape(-1)):
        middle = 16 + 6.5 * (place - (weights.size - 1) / 2)
        radius = min(
            3.2, 1.5 + 0.9 * math.log10(max(1.0, abs(float(weight))))
        )  # none touches another
        yield Bar(17.5, middle - 1.75, 8, 3.5, 1, INK)
        yield Bar(6 - radius, middle - radius, 2 * radius, 2 * radius, radius, WEIGHT)


def rectangles(weights: Weights) -> str:
    """Return the mark's shapes as SVG; their classes say what is ink and what is weight."""
    return "".join(
        f'<rect class="{bar.role}" x="{bar.x:g}" y="{bar.y:g}" width="{bar.width:g}" '
        f'height="{bar.height:g}" rx="{bar.corner:g}"/>'
        for bar in bars(weights)
    )


def inline(weights: Weights) -> str:
    """Return the mark for a page, which gives it its colors; the name beside it says what it is."""
    box = f"0 0 {SIDE} {SIDE}"
    return f'<svg class="mark" viewBox="{box}" aria-hidden="true">{rectangles(weights)}</svg>'


def icon(weights: Weights) -> str:
    """Return the mark as a file that follows the browser's theme."""
    light, dark = (
        "".join(f".{role}{{fill:{color}}}" for role, color in colors.items())
        for colors in (LIGHT, DARK)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">'
        "<title>A row of weights on the rows of a matrix</title>"
        f"<style>{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"
        f"{rectangles(weights)}</svg>\n"
    )
