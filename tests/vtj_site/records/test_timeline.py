"""The picture of the recorded answers: a bar for each span of releases."""

from typing import Any
from xml.etree import ElementTree

import pytest

from vtj_site.markup import Shown
from vtj_site.records import history, timeline
from vtj_site.records.history import Span
from vtj_site.records.timeline import short, timeline_of

NUMBER, SHAPE = "a < b", "a shape"
RECORD = tuple(
    {"torch": torch, "outcomes": {NUMBER: number, SHAPE: shape}}
    for torch, number, shape in [
        ("1.0.0", "tensor(1.)", "12345"),
        ("1.1.0", "tensor(1.)", "123456"),
        ("1.2.0", "ValueError: not < 2", "1\n  23456789"),
        ("1.3.0", "ValueError: not < 2", "1\n  23456789"),
    ]
)
FULL = {"fill-opacity": "0.18", "stroke": "currentColor"}
DASHED = {"fill": "none", "stroke": "currentColor", "stroke-dasharray": "4 3"}
BARS: list[tuple[str, float, float, float, dict[str, str], str | None]] = [
    ("torch 1.0.0 … 1.1.0: tensor(1.)", 5, 76, 82, FULL, "tensor(1.)"),
    ("torch 1.2.0 … 1.3.0: ValueError: not < 2", 89, 76, 82, DASHED, "ValueError"),
    ("torch 1.0.0: 12345", 5, 134, 40, FULL, "12345"),
    ("torch 1.1.0: 123456", 47, 134, 40, FULL, None),
    ("torch 1.2.0 … 1.3.0: 1\n  23456789", 89, 134, 82, FULL, "1 23456789"),
]


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Shown:
    for module in (history, timeline):
        monkeypatch.setattr(module, "recorded", lambda: RECORD)
    return timeline_of((NUMBER, SHAPE))


def drawn(figure: Shown) -> ElementTree.Element:
    box = ElementTree.fromstring(figure.html)
    assert (box.tag, box.get("class"), len(box)) == ("div", "vtj-figure", 1)
    return box[0]


def test_it_has_a_column_for_each_release_and_a_row_for_each_question(figure: Shown) -> None:
    svg = drawn(figure)
    assert svg.get("viewBox") == "0 0 176 172"
    assert (svg.get("width"), svg.get("height")) == ("176", "172")
    assert svg.get("role") == "img"
    ticks = [(t.get("transform"), t.text) for t in svg.findall("text") if t.get("transform")]
    assert ticks == [
        (f"translate({x} 48) rotate(-60)", name)
        for x, name in [(20, "1.0.0"), (62, "1.1.0"), (104, "1.2.0"), (146, "1.3.0")]
    ]
    heads = [t for t in svg.findall("text") if t.get("font-weight") == "bold"]
    assert [(t.get("y"), t.text) for t in heads] == [("69", NUMBER), ("127", SHAPE)]


def test_each_span_has_a_bar_with_its_answer_in_it_where_that_fits(figure: Shown) -> None:
    found = []
    for bar in drawn(figure).findall("g"):
        title, box, words = bar
        look: dict[str, Any] = dict(box.attrib)
        x, y, width = (float(look.pop(name)) for name in ("x", "y", "width"))
        assert (look.pop("height"), look.pop("rx")) == ("22", "3")
        assert (words.get("x"), words.get("y")) == (f"{x + 5:g}", f"{y + 15:g}")
        found.append((title.text, x, y, width, look, words.text))
    assert found == BARS


def test_its_text_and_its_title_say_what_it_shows(figure: Shown) -> None:
    assert repr(figure) == str(figure) == drawn(figure)[0].text
    assert str(figure).splitlines() == [
        NUMBER,
        "  1.0.0 … 1.1.0: tensor(1.)",
        "  1.2.0 … 1.3.0: ValueError",
        SHAPE,
        "  1.0.0: 12345",
        "  1.1.0: 123456",
        "  1.2.0 … 1.3.0: 1 23456789",
    ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("RuntimeError: Mismatch: in shape", "RuntimeError"),
        ("tensor([[1.,  2.],\n        [3.,  4.]])", "tensor([[1., 2.], [3., 4.]])"),
        ("a: tensor(1.)", "a: tensor(1.)"),
    ],
)
def test_a_bar_says_the_type_of_an_error_or_the_gradient_on_one_line(
    answer: str, said: str
) -> None:
    assert short(Span(("1.3.0",), answer)) == said
