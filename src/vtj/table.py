"""Rows of text as an aligned table and as an accessible HTML table; knows nothing of reports."""

from collections.abc import Sequence
from html import escape


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the table with its columns aligned by spaces.

    Args:
        header: One name per column.
        rows: As many cells per row as `header` has.

    Raises:
        ValueError: When a row has another number of cells.

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


def as_html(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return the table as HTML: a caption, a header per column, the first cell heading its row.

    It sets no color, so that it reads in a light and in a dark theme.

    Args:
        header: One name per column.
        rows: As many cells per row as `header` has.
        caption: What the table says, in one sentence.

    Raises:
        ValueError: When a row has another number of cells.

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
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = ['<table class="vtj">', f"<caption>{escape(caption)}</caption>"]
    lines += [f"<thead><tr>{columns}</tr></thead>", "<tbody>"]
    for row in rows:
        first, *rest = _complete(row, header)
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])


def _complete(row: Sequence[str], header: Sequence[str]) -> list[str]:
    if len(row) != len(header):
        raise ValueError(f"the row has {len(row)} cells and the header {len(header)}")
    return list(row)
