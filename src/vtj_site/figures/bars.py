"""Bars on one scale, each beneath its words, and what builds take drawn so."""

from collections.abc import Sequence

from vtj.show.svg import Drawing, Figure, width_of
from vtj_site.records.build_times import scale

LINE = 44.0
BAR = 320.0


def bars(title: str, rows: Sequence[tuple[str, float, str]]) -> Figure:
    """Draw a bar for each of some words with their value and color.

    Example:
        >>> bars("Times", [("one: 1 s", 1.0, "plain"), ("two: 2 s", 2.0, "accent")])
        Times. one: 1 s; two: 2 s.
    """
    largest = max(value for _, value, _ in rows) or 1
    widths = [width_of(words) for words, _, _ in rows]
    drawing = Drawing(max(BAR, *widths) + 4, LINE * len(rows) + 4)
    for place, (words, value, color) in enumerate(rows):
        y = place * LINE
        drawing.text(2, y + 16, words, anchor="start")
        drawing.box(2, y + 22, max(2.0, BAR * value / largest), 14, color=color, shade=1, corner=1)
    return drawing.figure(title, "; ".join(words for words, _, _ in rows) + ".")


def scale_figure(key: str, title: str, unit: str) -> Figure:
    """Draw what more and more generated pages take; see `scale` for the key."""
    rows = [(f"{pages} pages: {value:g} {unit}", value, "accent") for pages, value in scale(key)]
    return bars(title, rows)
