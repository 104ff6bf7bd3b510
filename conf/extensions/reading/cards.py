"""Tables that hold sentences become cards on a phone, where a column would be a word or two wide.

A report of the oracle becomes cards even if it has no long note: all reports look alike.

Such a table gets the class ``cards`` and the names of its columns, which the style sheet sets
before each cell. They are counted from the last column, since a row whose head stands in the row
above it has fewer cells.
"""

import re
from html import escape, unescape

from vtj.report import HEADER

LEAST, MOST = 3, 6
"""Columns: two fit a phone, and a card of seven lines would be longer than its row is wide."""
LONG = 40
"""Characters of a cell beside the head of its row: one line of a phone; no number has more."""
_TABLE = re.compile(r"<table\b(?P<attributes>[^>]*)>(?P<inside>.*?)</table>", re.DOTALL)
_HEAD = re.compile(r"<thead>(.*?)</thead>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])\b[^>]*>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def labeled(body: str) -> str:
    """Return a page's body in which tables of sentences bring the names of their columns."""
    return _TABLE.sub(_table, body)


def _table(found: re.Match[str]) -> str:
    head, rest = _HEAD.search(found["inside"]), _HEAD.sub("", found["inside"])
    names = _texts(head[1]) if head else []
    beside = (len(text) for row in _ROW.findall(rest) for text in _texts(row)[1:])
    long = max(beside, default=0) > LONG or names == list(HEADER)
    if not (long and LEAST <= len(names) <= MOST):
        return found[0]
    labels = ";".join(
        f'--column-{place}:"{_quoted(name)}: "'
        for place, name in enumerate(reversed(names), start=1)
        if name
    )
    attributes = found["attributes"].replace('class="', 'class="cards ', 1)
    return f'<table style="{escape(labels)}"{attributes}>{found["inside"]}</table>'


def _texts(html: str) -> list[str]:
    cells = (unescape(_TAG.sub("", cell[2])) for cell in _CELL.finditer(html))
    return [" ".join(text.strip("¶ \n").split()) for text in cells]


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
