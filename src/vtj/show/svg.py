"""A drawing as inline SVG in the colors of the page around it, from the standard library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

CHARACTER = 8.0
"""The width that is reserved for one character of a label, in pixels."""

Steps = Mapping[str, int]
"""When a shape counts, in a drawing that is shown step by step: "since", "until" or "at" a step."""

COLORS = {
    "positive": "var(--vtj-positive, #0f766e)",
    "negative": "var(--vtj-negative, #7a3b9d)",
    "accent": "var(--vtj-accent, #b45309)",
    "bad": "var(--vtj-bad, #b3261e)",
    "plain": "currentColor",
}
"""Colors a page can set; the words and numbers in a figure never depend on them."""


@dataclass(frozen=True)
class Figure:
    """A finished drawing: inline SVG in a notebook or page, its description in a terminal.

    Attributes:
        title: What it shows, in a few words.
        description: What can be read off it, from the data it was drawn from.
        html: The drawing, ready to be put into a page.

    Example:
        >>> Drawing(10, 10).figure("A dot", "There is one dot.")
        A dot. There is one dot.
    """

    title: str
    description: str
    html: str

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return f"{self.title}. {self.description}"

    __repr__ = __str__


class Drawing:
    """Takes shapes and text; text is in the page's font and color.

    Nothing in it has an id, so that any number of drawings can stand on one page.

    All lengths are in pixels; a narrower page scrolls the drawing instead of shrinking it.
    """

    def __init__(self, width: float, height: float) -> None:
        self.size = (width, height)
        self.shapes: list[ElementTree.Element] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "middle",
        color: str = "plain",
        strong: bool = False,
        steps: Steps | None = None,
    ) -> None:
        """Write words with their baseline at y."""
        weight = {"font-weight": "700"} if strong else {}
        style = {"style": f"fill: {COLORS[color]}", "text-anchor": anchor, **weight}
        self._add("text", steps, x=_short(x), y=_short(y), **style).text = words

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        color: str = "plain",
        shade: float = 0.0,
        corner: float = 3.0,
        steps: Steps | None = None,
    ) -> None:
        """Draw a rectangle, its area tinted by `shade`, from 0 to 1."""
        share = f"{40 * shade:.0f}%"  # beyond, words on it would be too faint in the dark
        fill = f"fill: color-mix(in srgb, {COLORS[color]} {share}, transparent)"
        stroke = "stroke: color-mix(in srgb, currentColor 45%, transparent)"
        sizes = {"x": x, "y": y, "width": width, "height": height, "rx": corner}
        given = {name: _short(size) for name, size in sizes.items()}
        self._add("rect", steps, **given, style=f"{fill}; {stroke}")

    def line(
        self,
        points: Sequence[tuple[float, float]],
        *,
        color: str = "plain",
        dashed: bool = False,
        steps: Steps | None = None,
    ) -> None:
        """Draw a line through points."""
        path = "M" + " L".join(f"{_short(x)} {_short(y)}" for x, y in points)
        dashes = {"stroke-dasharray": "5 4"} if dashed else {}
        style = f"fill: none; stroke: {COLORS[color]}"
        self._add("path", steps, d=path, style=style, **{"stroke-width": "1.5", **dashes})

    def figure(self, title: str, description: str, *beneath: ElementTree.Element) -> Figure:
        """Finish: the title and the description are what a screen reader says of the drawing."""
        width, height = map(_short, self.size)
        size = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
        style = "font-size: 14px; display: block"
        svg = ElementTree.Element("svg", {"role": "img", **size, "style": style})
        ElementTree.SubElement(svg, "title").text = title
        ElementTree.SubElement(svg, "desc").text = description
        svg.extend(self.shapes)
        frame = ElementTree.Element("div", {"class": "vtj-figure", "style": "overflow-x: auto"})
        frame.extend([svg, *beneath])
        return Figure(title, description, ElementTree.tostring(frame, encoding="unicode"))

    def _add(self, tag: str, steps: Steps | None = None, **attributes: str) -> ElementTree.Element:
        attributes |= {f"data-{when}": str(step) for when, step in (steps or {}).items()}
        self.shapes.append(ElementTree.Element(tag, attributes))
        return self.shapes[-1]


def width_of(words: str) -> float:
    """Return the width that is reserved for words, in pixels."""
    return CHARACTER * len(words)


def _short(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
