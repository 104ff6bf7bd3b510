"""The ledger of wrong answers: no row vanishes, each is refuted by a cell."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "wrong-answers.md"
ROWS = re.split(r"^\(wrong-(?=\d)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def test_no_row_is_missing() -> None:
    assert [row.partition(")")[0] for row in ROWS] == [f"{number:02}" for number in range(1, 26)]


def test_what_somebody_said_has_an_address() -> None:
    for page in PAGE.parents[1].rglob("*.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        for said in re.finditer(r"\b[Ss]aid (?:in|by|on) ", text):
            assert re.match(r"\[[^]]+\]\(|\{quoted\}", text[said.end() :]), (page, said)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"wrong-{row[:2]}")
def test_a_row_names_the_answer_refutes_it_and_says_what_to_do_instead(row: str) -> None:
    _, title, rest = row.split("\n", 2)
    assert re.fullmatch(r'### ".+"', title)
    assert "```{code-cell}" in rest
    assert "nstead" in rest
