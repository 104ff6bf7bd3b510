from html.parser import HTMLParser

import pytest

from vtj.table import TableRow, as_html, as_text


def test_columns_are_aligned() -> None:
    text = as_text(["a", "long name"], [["wider", "1"], ["b", ""]])
    assert text.splitlines() == ["a      long name", "wider  1", "b"]


def test_html_is_escaped_and_has_headers() -> None:
    class Seen(HTMLParser):
        tags: list[tuple[str, dict[str, str | None]]]
        text: list[str]

        def __init__(self) -> None:
            super().__init__()
            self.tags, self.text = [], []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.append((tag, dict(attrs)))

        def handle_data(self, data: str) -> None:
            self.text.append(data)

    seen = Seen()
    seen.feed(as_html(["x < y", "b"], [["<b>", "&"]], "a & b"))
    assert [tag for tag, attributes in seen.tags if attributes.get("scope") == "col"] == ["th"] * 2
    assert [tag for tag, attributes in seen.tags if attributes.get("scope") == "row"] == ["th"]
    assert "caption" in [tag for tag, _ in seen.tags]
    assert {"<b>", "&", "x < y", "a & b"} <= set(seen.text)
    assert not any("style" in attributes or "color" in attributes for _, attributes in seen.tags)


def test_rows_of_html_have_attributes_and_share_a_heading() -> None:
    rows = [
        TableRow(["<b>1</b>", "2"], "one", "<", 2),
        TableRow(["3"], heads=0),
    ]
    assert as_html(["", "y"], rows, "Sums", id="sums", data_filter="by y").splitlines() == [
        '<table class="vtj" id="sums" data-filter="by y">',
        "<caption>Sums</caption>",
        '<thead><tr><td></td><th scope="col">y</th></tr></thead>',
        "<tbody>",
        '<tr id="one" data-value="&lt;"><th scope="row" rowspan="2"><b>1</b></th><td>2</td></tr>',
        "<tr><td>3</td></tr>",
        "</tbody>",
        "</table>",
    ]


@pytest.mark.parametrize("table", [as_text, lambda header, rows: as_html(header, rows, "")])
def test_a_row_of_another_length(table: object) -> None:
    with pytest.raises(ValueError, match="the row has 1 cells and the header 2"):
        table(["a", "b"], [["1"]])
