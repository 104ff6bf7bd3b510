"""Give every row of a table and every figure an address of its own, as Sphinx gives headings one.

A row's id is the one it brings or else the table's number and the text of its first cell. Where
that cell holds a link to the row already, it is left as it is. Where the text will change and the
address must not, `<data value="…">` around the text holds what the address is made of.
"""

import re
from html import unescape

from docutils.nodes import make_id

_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_BODY = re.compile(r"<tbody>.*?</tbody>", re.DOTALL)
_ROW = re.compile(
    r"<tr(?P<attributes>[^>]*)>\s*<(?P<cell>t[hd])(?P<more>[^>]*)>(?P<text>.*?)</(?P=cell)>",
    re.DOTALL,
)
_FIGURE = re.compile(r'<div class="vtj-figure"(?P<more>[^>]*)>(?P<svg><svg.*?</svg>)', re.DOTALL)
_DATA = re.compile(r'<data value="([^"]*)">.*?</data>')
_ID = re.compile(r' id="([^"]*)"')


def linked(body: str) -> str:
    """Return a page's body with an address and a link for each row and figure."""
    taken = set(_ID.findall(body))
    tables = figures = 0

    def table(found: re.Match[str]) -> str:
        nonlocal tables
        tables += 1
        return _BODY.sub(lambda rows: _ROW.sub(row, rows[0]), found[0])

    def row(found: re.Match[str]) -> str:
        own = _ID.search(found["attributes"])
        text = unescape(re.sub(r"<[^>]*>", " ", _DATA.sub(r"\1", found["text"])))
        name = own[1] if own else _free(f"table-{tables}-{make_id(text) or 'row'}", taken)
        if f'href="#{name}"' in found["text"]:
            return found[0]
        attributes = found["attributes"] if own else f'{found["attributes"]} id="{name}"'
        inside = re.fullmatch(r"(.*?)((?:</p>)?\s*)", found["text"], re.DOTALL)
        assert inside
        return (
            f"<tr{attributes}><{found['cell']}{found['more']}>"
            f"{inside[1]}{_anchor(name, 'row')}{inside[2]}</{found['cell']}>"
        )

    def figure(found: re.Match[str]) -> str:
        nonlocal figures
        figures += 1
        name = _free(f"figure-{figures}", taken)
        return (
            f'<div class="vtj-figure" id="{name}"{found["more"]}>{found["svg"]}'
            f"{_anchor(name, 'figure')}"
        )

    return _FIGURE.sub(figure, _TABLE.sub(table, body))


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _anchor(name: str, kind: str) -> str:
    return f'<a class="headerlink" href="#{name}" title="Link to this {kind}">¶</a>'
