"""A drawing as a reader sees it: its words, boxes and lines, with their places."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

from vtj.show import Figure
from vtj.show.svg import CHARACTER

Point = tuple[float, float]


class Label(NamedTuple):
    """Words, with the place where they start, end or have their middle, and their baseline."""

    words: str
    place: Point
    anchor: str
    color: str
    strong: bool

    @property
    def width(self) -> float:
        return CHARACTER * len(self.words)

    @property
    def left(self) -> float:
        return self.place[0] - {"start": 0, "middle": 0.5, "end": 1}[self.anchor] * self.width

    @property
    def right(self) -> float:
        return self.left + self.width


class Box(NamedTuple):
    """A rectangle; `shade` is the percentage of its color that its area is tinted with."""

    left: float
    top: float
    width: float
    height: float
    corner: float
    color: str
    shade: int

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> Point:
        return self.left + self.width / 2, self.top + self.height / 2


class Line(NamedTuple):
    """A line through points."""

    points: list[Point]
    color: str
    dashed: bool


class Head(NamedTuple):
    """The head of an arrow: its tip, and its two other corners."""

    corners: list[Point]
    color: str


class Drawn(NamedTuple):
    """What is drawn."""

    width: float
    height: float
    labels: list[Label]
    boxes: list[Box]
    lines: list[Line]
    heads: list[Head]

    @property
    def words(self) -> list[str]:
        return [label.words for label in self.labels]

    def label(self, words: str) -> Label:
        """Give the one label that says this."""
        (found,) = (label for label in self.labels if label.words == words)
        return found


def drawn(figure: Figure) -> Drawn:
    """Read a figure's drawing."""
    (svg,) = ElementTree.fromstring(figure.html)
    assert svg.tag == "svg"
    return Drawn(
        float(svg.attrib["width"]),
        float(svg.attrib["height"]),
        [_label(element) for element in svg.iter("text")],
        [_box(element) for element in svg.iter("rect")],
        [_line(element) for element in svg.iter("path")],
        [
            Head(_points(element.attrib["points"].replace(",", " ")), _color(element, "fill"))
            for element in svg.iter("polygon")
        ],
    )


def _label(element: ElementTree.Element) -> Label:
    return Label(
        element.text or "",
        (float(element.attrib["x"]), float(element.attrib["y"])),
        element.attrib["text-anchor"],
        _color(element, "fill"),
        element.get("font-weight") == "700",
    )


def _box(element: ElementTree.Element) -> Box:
    sides = (float(element.attrib[name]) for name in ("x", "y", "width", "height", "rx"))
    tint = re.search(r" (\d+)%, transparent\);", element.attrib["style"])
    assert tint
    return Box(*sides, _color(element, "fill"), int(tint[1]))


def _line(element: ElementTree.Element) -> Line:
    assert "fill: none" in element.attrib["style"]
    path = element.attrib["d"]
    assert re.fullmatch(r"M\S+ \S+( L\S+ \S+)+", path)
    points = _points(path[1:].replace("L", ""))
    return Line(points, _color(element, "stroke"), element.get("stroke-dasharray") is not None)


def _points(numbers: str) -> list[Point]:
    values = list(map(float, numbers.split()))
    return list(zip(values[::2], values[1::2], strict=True))


def _color(element: ElementTree.Element, property_: str) -> str:
    """Give the name of the color that a page can set, or "plain" for the text's own."""
    (value,) = re.findall(rf"(?:^|; ){property_}: ([^;]+)", element.attrib["style"])
    if "currentColor" in value:
        return "plain"
    (name,) = re.findall(r"var\(--vtj-(\w+), #[0-9a-f]{6}\)", value)
    return str(name)
