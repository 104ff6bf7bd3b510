"""Columns of numbers are set right, so that a digit stands beneath a digit of its own size."""

import re
from html import unescape

_TABLE = re.compile(r'<table\b[^>]*class="[^"]*\bvtj\b.*?</table>', re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(?P<tag>t[hd])(?P<attributes>[^>]*)>(?P<inside>.*?)</(?P=tag)>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"(?:× )?[-−]?\d{1,3}(?:,?\d{3})*(?:\.\d+)?(?: of \d+|%)?")
"""A count, a ratio or a share, and no release (2.13.0)."""


def aligned(body: str) -> str:
    """Return a page's body in which the cells of such columns, and their names, say so."""
    return _TABLE.sub(_table, body)


def _table(found: re.Match[str]) -> str:
    """Columns are counted from the last: a row whose head stands in a row above has fewer cells."""
    rows = [_texts(row) for row in _ROW.findall(found[0])]
    columns = {
        place
        for place in range(1, max(map(len, rows), default=1))
        if _counts([row[-place] for row in rows[1:] if len(row) >= place])
    }

    def row(line: re.Match[str]) -> str:
        last = len(_texts(line[0]))

        def cell(part: re.Match[str]) -> str:
            nonlocal last
            place, last = last, last - 1
            return part[0].replace(">", ' class="number">', 1) if place in columns else part[0]

        return _CELL.sub(cell, line[0])

    return _ROW.sub(row, found[0])


def _counts(texts: list[str]) -> bool:
    """Whether most of them are numbers: one cell may say why it has none, or be empty."""
    said = [text for text in texts if text]
    return sum(bool(_NUMBER.fullmatch(text)) for text in said) > len(said) / 2


def _texts(html: str) -> list[str]:
    cells = (unescape(_TAG.sub("", cell["inside"])) for cell in _CELL.finditer(html))
    return [text.strip("¶ \n") for text in cells]
