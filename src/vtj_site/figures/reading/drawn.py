"""A drawing as a reader sees it, from its SVG: its words, boxes and lines, with their places."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

from vtj.show import Figure

CHARACTER = 8.0
"""The width that one character may need, in pixels."""

Point = tuple[float, float]

Steps = tuple[tuple[str, int], ...]
"""When a part shows, in a drawing that goes step by step: ("at", 2) and the like, sorted."""


class Label(NamedTuple):
    """Words, with the place where they start, end or have their middle, and their baseline."""

    words: str
    place: Point
    anchor: str
    color: str
    strong: bool
    steps: Steps = ()

    @property
    def left(self) -> float:
        """Where its words begin."""
        before = {"start": 0, "middle": 0.5, "end": 1}[self.anchor]
        return self.place[0] - before * CHARACTER * len(self.words)

    @property
    def right(self) -> float:
        """Where its words end."""
        return self.left + CHARACTER * len(self.words)


class Box(NamedTuple):
    """A rectangle; `shade` is the percentage of its color that its area is tinted with."""

    left: float
    top: float
    width: float
    height: float
    corner: float
    color: str
    shade: int
    steps: Steps = ()

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> Point:
        """The middle."""
        return self.left + self.width / 2, self.top + self.height / 2


class Line(NamedTuple):
    """A line through points; the head of an arrow, whose first point is the tip, is one too."""

    points: list[Point]
    color: str
    dashed: bool
    steps: Steps = ()


class Drawn(NamedTuple):
    """What is drawn, and what a screen reader says of it."""

    title: str
    description: str
    width: float
    height: float
    labels: list[Label]
    boxes: list[Box]
    lines: list[Line]
    told: list[list[str]]
    """The paragraphs of each step of the list beneath."""

    @property
    def words(self) -> list[str]:
        """All words, as they are drawn one after the other."""
        return [label.words for label in self.labels]

    @property
    def rows(self) -> list[list[Label]]:
        """The words line by line from the top, each line from the left."""
        rows: dict[float, list[Label]] = {}
        for label in self.labels:
            rows.setdefault(label.place[1], []).append(label)
        return [sorted(rows[y], key=lambda label: label.place[0]) for y in sorted(rows)]


def drawn(figure: Figure) -> Drawn:
    """Read a figure's drawing, from the HTML that is put into a page."""
    whole = ElementTree.fromstring(figure.html)
    (svg,) = whole.iter("svg")
    return Drawn(
        svg.findtext("title", ""),
        svg.findtext("desc", ""),
        float(svg.attrib["width"]),
        float(svg.attrib["height"]),
        [_label(element) for element in svg.iter("text")],
        [_box(element) for element in svg.iter("rect")],
        [_line(element) for element in svg.iter("path")],
        [[part.text or "" for part in item] for item in whole.iter("li")],
    )


def _label(element: ElementTree.Element) -> Label:
    return Label(
        element.text or "",
        (float(element.attrib["x"]), float(element.attrib["y"])),
        element.attrib["text-anchor"],
        _color(element, "fill"),
        element.get("font-weight") == "700",
        _steps(element),
    )


def _box(element: ElementTree.Element) -> Box:
    left, top, width, height, corner = (
        float(element.attrib[name]) for name in ("x", "y", "width", "height", "rx")
    )
    (shade,) = re.findall(r" (\d+)%, transparent\);", element.attrib["style"])
    look = _color(element, "fill"), int(shade), _steps(element)
    return Box(left, top, width, height, corner, *look)


def _line(element: ElementTree.Element) -> Line:
    places = list(map(float, re.findall(r"-?\d+(?:\.\d+)?", element.attrib["d"])))
    points = list(zip(places[::2], places[1::2], strict=True))
    dashed = "stroke-dasharray" in element.attrib
    return Line(points, _color(element, "stroke"), dashed, _steps(element))


def _steps(element: ElementTree.Element) -> Steps:
    said = ((name.partition("data-")[2], step) for name, step in element.attrib.items())
    return tuple(sorted((name, int(step)) for name, step in said if name))


def _color(element: ElementTree.Element, property_: str) -> str:
    """Return the name of the color that a page can set, or "plain" for the text's own."""
    (value,) = re.findall(rf"(?:^|; ){property_}: ([^;]+)", element.attrib["style"])
    if "currentColor" in value:
        return "plain"
    (name,) = re.findall(r"var\(--vtj-(\w+), #[0-9a-f]{6}\)", value)
    return str(name)
