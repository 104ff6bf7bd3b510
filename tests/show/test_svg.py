"""The drawing: what a screen reader says, and that nothing in it clashes on a page."""

from xml.etree import ElementTree

import pytest

from tests.show.drawn import Box, Label, Line, Point, drawn
from vtj.show.svg import Drawing


def test_has_its_title_and_description_first_and_no_id() -> None:
    drawing = Drawing(100, 50)
    drawing.text(1, 2, "a < b & c")
    drawing.box(0, 0, 10, 10, color="positive", shade=0.5)
    drawing.line([(0, 0), (5, 5)], dashed=True)
    drawing.arrow([(0, 0), (0, 20)])
    figure = drawing.figure("A title", "What is to be seen.")
    assert (figure.title, figure.description) == ("A title", "What is to be seen.")
    frame = ElementTree.fromstring(figure.html)
    (svg,) = frame
    assert [element.tag for element in svg] == [
        "title", "desc", "text", "rect", "path", "path", "polygon",
    ]  # fmt: skip
    assert (svg[0].text, svg[1].text) == ("A title", "What is to be seen.")
    assert svg.get("role") == "img"
    assert all(element.get("id") is None for element in frame.iter())
    assert svg[2].text == "a < b & c"


def test_is_as_large_as_it_was_made_and_scrolls_where_the_page_is_narrower() -> None:
    frame = ElementTree.fromstring(Drawing(100, 62.5).figure("t", "d").html)
    (svg,) = frame
    assert (frame.tag, frame.get("class"), frame.get("style")) == (
        "div", "vtj-figure", "overflow-x: auto",
    )  # fmt: skip
    assert (svg.get("width"), svg.get("height")) == ("100", "62.5")
    assert svg.get("viewBox") == "0 0 100 62.5"
    assert svg.get("style") == "font-size: 14px; display: block"


def test_writes_words_at_their_place() -> None:
    drawing = Drawing(100, 50)
    drawing.text(10, 20.25, "plain")
    drawing.text(0.5, 7, "strong", anchor="end", color="accent", strong=True)
    assert drawn(drawing.figure("t", "d")).labels == [
        Label("plain", (10, 20.2), "middle", "plain", strong=False),
        Label("strong", (0.5, 7), "end", "accent", strong=True),
    ]


def test_tints_a_box_by_its_shade() -> None:
    drawing = Drawing(100, 50)
    drawing.box(1, 2, 30, 40)
    drawing.box(5, 6, 7, 8, color="negative", shade=1, corner=6)
    drawing.box(5, 6, 7, 8, color="positive", shade=0.25)
    assert drawn(drawing.figure("t", "d")).boxes == [
        Box(1, 2, 30, 40, 3, "plain", 0),
        Box(5, 6, 7, 8, 6, "negative", 40),
        Box(5, 6, 7, 8, 3, "positive", 10),
    ]


def test_takes_its_colors_from_the_page() -> None:
    drawing = Drawing(10, 10)
    drawing.box(0, 0, 5, 5, color="negative", shade=1)
    html = drawing.figure("t", "d").html
    assert "fill: color-mix(in srgb, var(--vtj-negative, #1d6fb8) 40%, transparent)" in html
    assert "stroke: color-mix(in srgb, currentColor 45%, transparent)" in html


def test_draws_lines_through_their_points() -> None:
    drawing = Drawing(100, 50)
    drawing.line([(0, 1), (2.5, 3), (40, 50)])
    drawing.line([(4, 3), (2, 1)], color="accent", dashed=True)
    figure = drawing.figure("t", "d")
    assert drawn(figure).lines == [
        Line([(0, 1), (2.5, 3), (40, 50)], "plain", dashed=False),
        Line([(4, 3), (2, 1)], "accent", dashed=True),
    ]
    whole, dashed = ElementTree.fromstring(figure.html).iter("path")
    assert whole.get("stroke-width") == dashed.get("stroke-width") == "1.5"
    assert dashed.get("stroke-dasharray") == "5 4"


@pytest.mark.parametrize(
    ("start", "end", "foot"),
    [
        ((5, 5), (5, 25), (5, 17)),
        ((5, 25), (5, 5), (5, 13)),
        ((5, 5), (45, 5), (37, 5)),
        ((5, 3), (35, 43), (30.2, 36.6)),
        ((35, 3), (5, 43), (9.8, 36.6)),
    ],
)
def test_an_arrow_has_its_head_at_its_end(start: Point, end: Point, foot: Point) -> None:
    drawing = Drawing(100, 50)
    drawing.arrow([(0, 40), start, end], color="accent", dashed=True)
    seen = drawn(drawing.figure("t", "d"))
    assert seen.lines == [Line([(0, 40), start, end], "accent", dashed=True)]
    (head,) = seen.heads
    tip, one, other = head.corners
    assert head.color == "accent"
    assert tip == end
    assert ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2) == pytest.approx(foot)
    across, along = (one[0] - other[0], one[1] - other[1]), (end[0] - foot[0], end[1] - foot[1])
    assert across == pytest.approx((-along[1], along[0]), abs=0.1), "as wide as it is long"


def test_an_arrow_is_whole_and_plain_where_nothing_else_is_asked_for() -> None:
    drawing = Drawing(100, 50)
    drawing.arrow([(0, 0), (0, 20)])
    seen = drawn(drawing.figure("t", "d"))
    assert seen.lines == [Line([(0, 0), (0, 20)], "plain", dashed=False)]
    assert [head.color for head in seen.heads] == ["plain"]


def test_reads_as_text_in_a_terminal() -> None:
    figure = Drawing(10, 10).figure("A title", "What is to be seen.")
    assert repr(figure) == str(figure) == "A title. What is to be seen."
    assert figure._repr_html_() == figure.html
