"""What pages show as HTML and terminals as text; a wide table whose rows have anchors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from vtj.table import TableRow, as_html

__all__ = ["Shown", "TableRow", "code", "table"]


def code(text: str) -> str:
    """Return text as HTML code, its white space kept.

    Examples:
        >>> code("grad_fn=<AddBackward0>")
        '<code>grad_fn=&lt;AddBackward0&gt;</code>'
    """
    return f"<code>{escape(text)}</code>"


@dataclass(frozen=True)
class Shown:
    """What a page shows as HTML, and a terminal as text.

    Examples:
        >>> Shown("1 + 1: 2", "<p>1 + 1: 2</p>")
        1 + 1: 2
    """

    text: str
    html: str

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def table(
    caption: str, head: Sequence[str], rows: Iterable[TableRow], filtered_by: str = ""
) -> str:
    """Return a table in a box that scrolls sideways.

    `filtered_by` is what the reader chooses rows by; without script all rows show.

    Examples:
        >>> print(table("Sums", ["sum", "is"], [TableRow(["1 + 1", "2"], "two")]))
        <div class="table-wrapper">
        <table class="vtj docutils">
        <caption>Sums</caption>
        <thead><tr><th scope="col">sum</th><th scope="col">is</th></tr></thead>
        <tbody>
        <tr id="two"><th scope="row">1 + 1</th><td>2</td></tr>
        </tbody>
        </table>
        </div>
    """
    html = as_html(head, rows, caption, data_filter=filtered_by, **{"class": "vtj docutils"})
    return f'<div class="table-wrapper">\n{html}\n</div>'
