"""A message names the line of the page that it is about."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from page_lines import place

from tests.extensions.conftest import seven_bits

PAGE = "# Ä page\n% first and second\n  % first\nthe second\nfirst\n"


@pytest.mark.parametrize(
    ("text", "line"), [("page", 1), ("first", 3), ("second", 4), ("the", 4), ("none", None)]
)
def test_the_first_line_that_is_no_comment_is_the_place(
    text: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "deep.md").write_text(PAGE, encoding="utf-8")
    app: Any = SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: tmp_path / f"{name}.md"))
    with seven_bits():
        assert place(app, "deep", text) == ("deep", line)
