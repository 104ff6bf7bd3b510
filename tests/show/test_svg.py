"""The drawing: what a screen reader says, and that nothing in it clashes on a page."""

from xml.etree import ElementTree

from vtj.show.svg import Drawing


def test_has_its_title_and_description_first_and_no_id() -> None:
    drawing = Drawing(100, 50)
    drawing.text(1, 2, "a < b & c")
    drawing.box(0, 0, 10, 10, color="positive", shade=0.5)
    drawing.line([(0, 0), (5, 5)], dashed=True)
    drawing.arrow([(0, 0), (0, 20)])
    figure = drawing.figure("A title", "What is to be seen.")
    frame = ElementTree.fromstring(figure.html)
    (svg,) = frame
    assert [element.tag for element in svg] == [
        "title", "desc", "text", "rect", "path", "path", "polygon",
    ]  # fmt: skip
    assert (svg[0].text, svg[1].text) == ("A title", "What is to be seen.")
    assert svg.get("role") == "img"
    assert all(element.get("id") is None for element in frame.iter())
    assert svg[2].text == "a < b & c"
    assert svg[-1].get("points") == "0,20 -4,12 4,12"


def test_takes_its_colors_from_the_page() -> None:
    drawing = Drawing(10, 10)
    drawing.box(0, 0, 5, 5, color="negative", shade=1)
    html = drawing.figure("t", "d").html
    assert "color-mix(in srgb, var(--vtj-negative, #1d6fb8) 40%, transparent)" in html


def test_reads_as_text_in_a_terminal() -> None:
    figure = Drawing(10, 10).figure("A title", "What is to be seen.")
    assert repr(figure) == str(figure) == "A title. What is to be seen."
    assert figure._repr_html_() == figure.html
