"""Which tables become cards on a phone, and the names that their cells bring along."""

import re

import pytest
from reading.cards import labeled

from vtj.report import HEADER

LONG = "a cell that holds a sentence of many words"


def table(names: list[str], *cells: str) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<table class="vtj"><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>'


def test_a_table_of_sentences_brings_the_names_of_its_columns_from_the_last_to_the_first() -> None:
    html = table(["what", "<code>y</code> &amp; x", 'a "word"'], "1", "2", LONG)
    cards = labeled(html)
    assert '<table style="' in cards
    assert ' class="cards vtj">' in cards
    style = re.findall(r'style="([^"]*)"', cards)[0].replace("&quot;", '"').replace("&amp;", "&")
    assert style == r'--column-1:"a \"word\": ";--column-2:"y & x: ";--column-3:"what: "'
    assert cards.partition("<thead>")[2] == html.partition("<thead>")[2]


def test_a_report_becomes_cards_without_a_long_note() -> None:
    assert 'class="cards vtj"' in labeled(table(list(HEADER), "x.grad", "backward", "agrees"))


@pytest.mark.parametrize(
    "html",
    [
        table(["what", "note"], "1", LONG),
        table(["what", "is", "note"], "1", "2", "3"),
        table(["what", "is", "note"], LONG, "2", "3"),
        table(list("abcdefg"), *"abcdef", LONG),
        table([LONG, "is", "note"], "1", "2", "3"),
        table(["what", "is", "note"], "1", "2", f"<a href='{LONG}'>3</a>"),
        f"<table><tbody><tr><td>{LONG}</td></tr></tbody></table>",
    ],
    ids=[
        "two columns",
        "numbers",
        "a long head",
        "seven columns",
        "a long name",
        "long markup",
        "no names",
    ],
)
def test_any_other_table_stays_as_it_is(html: str) -> None:
    assert labeled(html) == html
