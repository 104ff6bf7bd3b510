"""The drawing: what a screen reader says, and that nothing in it clashes on a page.

Of the pictures on the pages, tests/docs/shown keeps every byte.
"""

from xml.etree import ElementTree

from vtj.show.svg import Drawing, Figure
from vtj_site.figures.reading.drawn import Box, Label, Line, drawn


def whole() -> Figure:
    drawing = Drawing(100, 62.5)
    drawing.text(1, 2.25, "a < b & c")
    drawing.text(0.5, 7, "strong", anchor="end", color="accent", strong=True)
    drawing.box(1, 2, 30, 40)
    drawing.box(5, 6, 7, 8, color="negative", shade=1, corner=6)
    drawing.line([(0, 1), (2.5, 3), (40, 50)])
    drawing.line([(0, 0), (0, 20)], color="accent", dashed=True, steps={"since": 3, "at": 2})
    return drawing.figure("A title", "What is to be seen.")


def test_everything_is_drawn_where_it_was_put() -> None:
    seen = drawn(whole())
    assert (seen.width, seen.height) == (100, 62.5)
    assert seen.labels == [
        Label("a < b & c", (1, 2.2), "middle", "plain", strong=False),
        Label("strong", (0.5, 7), "end", "accent", strong=True),
    ]
    assert seen.boxes == [Box(1, 2, 30, 40, 3, "plain", 0), Box(5, 6, 7, 8, 6, "negative", 40)]
    assert seen.lines == [
        Line([(0, 1), (2.5, 3), (40, 50)], "plain", dashed=False),
        Line([(0, 0), (0, 20)], "accent", dashed=True, steps=(("at", 2), ("since", 3))),
    ]


def test_has_its_title_and_description_first_no_id_and_the_colors_of_the_page() -> None:
    frame = ElementTree.fromstring(whole().html)
    (svg,) = frame
    assert (frame.attrib, svg.get("role"), svg.get("viewBox"), svg.get("style")) == (
        {"class": "vtj-figure", "style": "overflow-x: auto"},
        "img",
        "0 0 100 62.5",
        "font-size: 14px; display: block",
    )
    assert [(part.tag, part.text) for part in svg[:2]] == [
        ("title", "A title"),
        ("desc", "What is to be seen."),
    ]
    assert all(element.get("id") is None for element in frame.iter())
    html = whole()._repr_html_()
    assert repr(whole()) == str(whole()) == "A title. What is to be seen."
    assert "fill: color-mix(in srgb, var(--vtj-negative, #7a3b9d) 40%, transparent)" in html
    assert "stroke: color-mix(in srgb, currentColor 45%, transparent)" in html
    assert html.count('stroke-width="1.5"') == 2
