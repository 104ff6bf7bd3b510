"""What pages show as HTML and terminals as text; a wide table whose rows have anchors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple


class TableRow(NamedTuple):
    """One row: its cells as HTML, its anchor, and the value it is filtered by.

    `heads` is the number of rows that the first cell heads; where it is zero, the row belongs to a
    heading above it and brings none.
    """

    cells: Sequence[str]
    anchor: str = ""
    value: str = ""
    heads: int = 1

    def html(self) -> str:
        """Return the row as HTML."""
        rest, columns = self.cells, ""
        if self.heads:
            first, *rest = self.cells
            reach = f' rowspan="{self.heads}"' if self.heads > 1 else ""
            columns = f'<th scope="row"{reach}>{first}</th>'
        columns += "".join(f"<td>{cell}</td>" for cell in rest)
        anchor = f' id="{escape(self.anchor)}"' if self.anchor else ""
        value = f' data-value="{escape(self.value)}"' if self.value else ""
        return f"<tr{anchor}{value}>{columns}</tr>"


def code(text: str) -> str:
    """Return text as HTML code, its white space kept.

    Args:
        text: what torch printed or raised.

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

    Args:
        caption: what the table says.
        head: one heading per column.
        rows: its rows.
        filtered_by: what the reader chooses rows by; none if empty. Without script all rows show.

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
    columns = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in head)
    chosen = f' data-filter="{escape(filtered_by)}"' if filtered_by else ""
    lines = ['<div class="table-wrapper">', f'<table class="vtj docutils"{chosen}>']
    lines += [f"<caption>{escape(caption)}</caption>", f"<thead><tr>{columns}</tr></thead>"]
    lines += ["<tbody>", *(row.html() for row in rows), "</tbody>", "</table>", "</div>"]
    return "\n".join(lines)
