"""Rows of text as an aligned table and as an accessible HTML table; knows nothing of reports."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table with its columns aligned by spaces.

    Example:
        >>> print(as_text(["what", "result"], [["x.grad", "agrees"], ["J", "differs"]]))
        what    result
        x.grad  agrees
        J       differs
    """
    lines = [list(header), *(_complete(row, header) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


class TableRow(NamedTuple):
    """One row of an HTML table: its cells as HTML, its anchor, and the value it is filtered by.

    `heads` is the number of rows that the first cell heads; where it is zero, the row belongs to a
    heading above it and brings none.
    """

    cells: Sequence[str]
    anchor: str = ""
    value: str = ""
    heads: int = 1


def as_html(
    header: Sequence[str],
    rows: Iterable[Sequence[str] | TableRow],
    caption: str,
    **attributes: str,
) -> str:
    """Return the table as HTML: a caption, a header per column, the first cell heading its row.

    It sets no color, so that it reads in a light and in a dark theme. An empty header heads
    nothing; `attributes` are the table's own, with _ for -, beside its class ``vtj``.

    Example:
        >>> print(as_html(["what", "result"], [["x.grad", "agrees"]], "All agree"))
        <table class="vtj">
        <caption>All agree</caption>
        <thead><tr><th scope="col">what</th><th scope="col">result</th></tr></thead>
        <tbody>
        <tr><th scope="row">x.grad</th><td>agrees</td></tr>
        </tbody>
        </table>
    """
    given = {name.replace("_", "-"): value for name, value in attributes.items()}
    columns = "".join(
        f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in header
    )
    lines = [f"<table{_attributes({'class': 'vtj', **given})}>"]
    lines += [f"<caption>{escape(caption)}</caption>", f"<thead><tr>{columns}</tr></thead>"]
    lines.append("<tbody>")
    for row in rows:
        line = row if isinstance(row, TableRow) else TableRow([escape(cell) for cell in row])
        first, rest = "", _complete(line.cells, header[not line.heads :])
        if line.heads:
            reach = {"rowspan": str(line.heads)} if line.heads > 1 else {}
            first = f"<th{_attributes({'scope': 'row', **reach})}>{rest.pop(0)}</th>"
        cells = "".join(f"<td>{cell}</td>" for cell in rest)
        own = _attributes({"id": line.anchor, "data-value": line.value})
        lines.append(f"<tr{own}>{first}{cells}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def _attributes(given: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in given.items() if value)


def _complete(row: Sequence[str], header: Sequence[str]) -> list[str]:
    if len(row) != len(header):
        raise ValueError(f"the row has {len(row)} cells and the header {len(header)}")
    return list(row)
