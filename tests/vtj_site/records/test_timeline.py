"""The picture of the recorded answers: a bar for each span of releases."""

from xml.etree import ElementTree

import pytest

from vtj_site.records import releases, timeline
from vtj_site.records.timeline import timeline_of

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


def test_its_text_and_its_title_say_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (releases, timeline):
        monkeypatch.setattr(module, "recorded", lambda: RECORD)
    figure = timeline_of((NUMBER, SHAPE))
    assert repr(figure) == str(figure) == ElementTree.fromstring(figure.html)[0][0].text
    assert str(figure).splitlines() == [
        NUMBER,
        "  1.0.0 … 1.1.0: tensor(1.)",
        "  1.2.0 … 1.3.0: ValueError",
        SHAPE,
        "  1.0.0: 12345",
        "  1.1.0: 123456",
        "  1.2.0 … 1.3.0: 1 23456789",
    ]
