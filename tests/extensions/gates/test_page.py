"""What the rules see of a page, and on which lines."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gates.page import Section, headings, place

from tests.extensions.conftest import seven_bits


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("# a", [("a", 1)]),
        ("text\n\n####   b  c  \n", [("b  c", 3)]),
        ("####### seven\n#none\ntext # no", []),
        ("```\n# a\n```\n# b", [("b", 4)]),
        ("~~~\n# a\n```\n# b\n~~~\n# c", [("c", 6)]),
        ("````\n```\n# a\n````\n# b", [("b", 5)]),
        (":::\n# a\n:::::\n# b", [("b", 4)]),
        ("  ```{note}\n# a\ntext ```\n# b\n  ```\n# c\n```\n# d\n```\n# e", [("c", 6), ("e", 10)]),
        ("```\n# never closed", []),
    ],
)
def test_a_heading_stands_outside_every_fence(text: str, found: list[tuple[str, int]]) -> None:
    assert list(headings(text)) == [Section(title, line) for title, line in found]


PAGE = "# Ä page\n% first and second\n  % first\nthe second\nfirst\n"


@pytest.mark.parametrize(
    ("text", "line"), [("page", 1), ("first", 3), ("second", 4), ("the", 4), ("none", None)]
)
def test_the_first_line_that_is_no_comment_is_the_place_of_a_text(
    text: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "deep.md").write_text(PAGE, encoding="utf-8")
    app: Any = SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: tmp_path / f"{name}.md"))
    with seven_bits():
        assert place(app, "deep", text) == ("deep", line)
