"""What the script has drawn, read back from its SVG: arrows, lines of equal height, words.

Whoever expects something of a drawing takes it out; at the end nothing may be left.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import hypot
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HEADS = 12, 0.6, 0.45  # an arrow's head: at most so long, such a part of it, so wide to a side
KINDS = {-1: "below", 0: "level", 1: "above"}


class WrongDrawingError(ValueError):
    """Something drawn is not where it must be."""


@dataclass(frozen=True)
class Line:
    """All that is drawn at one height: parts of several points each."""

    kind: str
    parts: list[Array]

    @property
    def points(self) -> Array:
        """The points of all parts."""
        return np.concatenate(self.parts)


@dataclass
class Drawing:
    """One picture: the arrows by kind, the lines by their steps from x, the words, the square."""

    arrows: dict[str, tuple[Array, Array, Array]]  # where it begins, where its head does, its head
    lines: dict[int, Line]
    words: dict[str, Array]
    squares: list[Array]
    expected: int = 0  # things, so far

    def expect_point(
        self, name: str, point: Sequence[float] | Array, expected: Array, within: float
    ) -> None:
        """Refuse a point that is elsewhere."""
        if not (abs(np.asarray(point) - expected) <= within).all():
            raise WrongDrawingError(f"{name} is at {list(point)}; expected {expected.round(2)}")

    def expect_arrows(self, expected: Mapping[str, tuple[Array, Array]], within: float) -> None:
        """Refuse an arrow that is missing, has another end or a head that is not straight on it."""
        if list(self.arrows) != list(expected):
            raise WrongDrawingError(f"arrows {list(self.arrows)}; expected {list(expected)}")
        for kind, (tail, tip) in expected.items():
            start, base, head = self.arrows[kind]
            u = (tip - tail) / hypot(*(tip - tail))
            most, part, wide = HEADS
            long = min(most, part * hypot(*(tip - tail)))
            side = u[::-1] * [-1, 1] * wide * long
            self.expect_point(f"the tail of {kind}", start, tail, within)
            self.expect_point(f"the tip of {kind}", head[0], tip, within)
            self.expect_point(f"the neck of {kind}", base, tip - u * long, within)
            for corner, sign in ((1, 1), (2, -1)):
                at = tip - u * long + sign * side
                self.expect_point(f"the head of {kind}", head[corner], at, within)
        self.expected += len(expected)

    def expect_lines(self, expected: Mapping[int, Array], reach: float) -> None:
        """Refuse a height without line, a line with a gap, and one that is not where it must be."""
        if list(self.lines) != list(expected):
            raise WrongDrawingError(
                f"lines {list(self.lines)} steps from x; expected {list(expected)}"
            )
        for k, crossings in expected.items():
            line = self.lines[k]
            if line.kind != KINDS[int(np.sign(k))]:
                raise WrongDrawingError(f"the line {k} steps from x is drawn as {line.kind!r}")
            far = abs(crossings[:, None] - line.points[None]).max(-1).min(1).max()
            if far > 3:  # pixels; where it is nearly level, a line need not be nearer
                raise WrongDrawingError(
                    f"the line {k} steps from x has a piece missing: {far:.1f} px"
                )
            steps = [hypot(*step) for part in line.parts for step in np.diff(part, axis=0)]
            if max(steps) > reach:
                raise WrongDrawingError(f"the line {k} steps from x leaps by {max(steps):.1f} px")
        self.expected += len(expected)

    def expect_square(self, expected: Array, within: float) -> None:
        """Refuse a sign of a right angle that is elsewhere."""
        if len(self.squares) != 1 or abs(self.squares[0] - expected).max() > within:
            raise WrongDrawingError(f"right angle {self.squares}; expected {expected.round(2)}")
        self.expected += 1

    def expect_words(self, expected: Mapping[str, Array], within: float) -> None:
        """Refuse other words, and any that are far from what they name."""
        if list(self.words) != list(expected):
            raise WrongDrawingError(f"words {list(self.words)}; expected {list(expected)}")
        for word, at in expected.items():
            if hypot(*(self.words[word] - at)) > within:
                raise WrongDrawingError(
                    f"{word!r} stands at {self.words[word]}, far from {at.round(1)}"
                )
        self.expected += len(expected)

    def expect_no_more(self) -> None:
        """Refuse what nobody has expected."""
        held = len(self.arrows) + len(self.lines) + len(self.words) + len(self.squares)
        if held != self.expected:
            raise WrongDrawingError(f"{held} things are drawn; expected {self.expected}")


def read(svg: str) -> Drawing:
    """Return what an SVG holds.

    Raises:
        WrongDrawingError: If there is something else in it.
    """
    drawing = Drawing({}, {}, {}, [])
    shapes = list(ElementTree.fromstring(f"<svg>{svg}</svg>"))
    for shape, after in zip_longest(shapes, shapes[1:]):
        kind = shape.get("class", "").removeprefix("landscape-")
        match shape.tag:
            case "path":
                parts = shape.get("d", "").removeprefix("M").split("M")
                points = [_points(part.replace("L", " ")) for part in parts]
                drawing.lines[int(shape.get("data-k", ""))] = Line(kind, points)
            case "line" if after is not None and after.get("class") == shape.get("class"):
                ends = _points(" ".join(shape.get(name, "") for name in ("x1", "y1", "x2", "y2")))
                drawing.arrows[kind] = (*ends, _points(after.get("points", "")))
            case "polygon" if kind in drawing.arrows:
                pass  # the head of the line before it
            case "polyline":
                drawing.squares.append(_points(shape.get("points", "")))
            case "text":
                drawing.words[shape.text or ""] = _points(f"{shape.get('x')} {shape.get('y')}")[0]
            case _:
                raise WrongDrawingError(
                    f"a {shape.tag} of class {kind!r} is drawn; nobody expects it"
                )
    return drawing


def _points(written: str) -> Array:
    numbers: Any = [float(number) for number in re.split(r"[ ,]+", written.strip())]
    return np.array(numbers).reshape(-1, 2)
