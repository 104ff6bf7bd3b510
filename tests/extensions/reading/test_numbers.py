"""Which columns of a table are set right."""

import re

import pytest
from reading.numbers import aligned

TABLE = '<table class="vtj docutils"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'


def marked(*rows: str) -> list[str]:
    """The cells that are set right, of rows whose cells stand apart by bars."""
    cells = [[f"<td>{cell}</td>" for cell in row.split("|")] for row in ("a|b|c", *rows)]
    head, *body = ("".join(row) for row in cells)
    html = TABLE.format(head, "".join(f"<tr>{row}</tr>" for row in body))
    shown = aligned(html)
    assert shown.replace(' class="number"', "") == html
    return re.findall(r'<td class="number">(.*?)</td>', shown)


@pytest.mark.parametrize(
    ("rows", "right"),
    [
        (["one|1|x", "two|3,020|y"], ["b", "1", "3,020"]),
        (["one|x|× 0.82", "two|y|0.61", "three|z|", "four|z|"], ["c", "× 0.82", "0.61", "", ""]),
        (["one|x|28 of 28", "two|y|7 of 14", "three|z|cannot be asked"],
         ["c", "28 of 28", "7 of 14", "cannot be asked"]),
        (["one|x|−1", "<i>2</i>"], ["c", "−1", "<i>2</i>"]),
        (["1|x|2.13.0", "2|y|2.12.1"], []),
        (["one|1 s or more|x"], []),
        (["one|x|", "two|y|"], []),
    ],
    ids=[
        "counts",
        "ratios",
        "shares, and why there is none",
        "a row whose head stands above",
        "releases, and the heads of rows",
        "words",
        "nothing",
    ],
)  # fmt: skip
def test_a_column_of_numbers_and_its_name_are_set_right(rows: list[str], right: list[str]) -> None:
    assert marked(*rows) == right


def test_a_table_that_the_site_did_not_make_stays_as_it_is() -> None:
    html = TABLE.replace("vtj ", "").format("<td>a</td><td>b</td>", "<tr><td>x</td><td>1</td></tr>")
    assert aligned(html) == html
