"""A digit that no run produced is named with its line."""

import re
from pathlib import Path

import pytest
from docutils import nodes
from typed_numbers import ALLOWED, TEX_INDEX, line, remaining

from tests.extensions.conftest import FRONT_MATTER, Build

STILL = {"nb_execution_mode": "off"}
PAGE = """
# Page

```{{code-cell}} python
x = [1, 10]
y = (
    20)
```

{text}
"""
MAY_STAND = [
    "Quoted: `[1, 10]`.",
    "Quoted, whatever white space: `y = ( 20)` and `x =  [1, 10]`.",
    "torch 2.13.0, Python 3.11, pytorch#17893, PR #25349, 2026-11-21, a 0-d tensor, float64.",
    "Labels $x_1$ and $J_{21}$.",
    "$$\ny = x_1\n$$",
    "```python\n>>> 1 + 1\n2\n```",
    "```python\nx = [1, 10]\n```",
    "```{only} html\nNo number.\n```",
    "```{raw} html\n26\n```",
    "% 26 is a comment",
]
TYPED = [
    ("The gradient is 26.", "26."),
    ("Of `x = [1, 10]`\nthe gradient is `[27]`.", "[27]"),
    ("Squared: x².", "x²."),
    ("Inline $6 x_1$.", "6"),
    ("An index $x_1$ and a result $x_1 = 7$.", "7"),
    ("A formula, not a quotation $10$.", "10"),
    ("In prose [1, 10] is no quotation.", "[1,"),
    ("$$\ny = 3 x_1\n$$", "3"),
    ("```python\ny = 4\n```", "4"),
    ("- b is 5", "5"),
    ("| a | b |\n|---|---|\n| 8 | x |", "8"),
]
LINE = re.compile(
    r"page\.md:(\d+): WARNING: '(.*)' is typed: let the build compute it with \{eval\}"
)


def test_what_may_stand_passes(build: Build) -> None:
    page = PAGE.format(text="\n\n".join(MAY_STAND))
    assert build("typed_numbers", config=STILL, builder="dummy", page=page) == ""


def test_what_a_run_computed_passes(build: Build) -> None:
    page = PAGE.format(text="Computed: {eval}`x[1]`.")
    assert build("typed_numbers", builder="dummy", page=page) == ""


def test_a_typed_number_is_named_with_its_line(build: Build) -> None:
    texts = [text for text, _ in TYPED]
    page = PAGE.format(text="\n\n".join([*MAY_STAND, *texts]))
    warnings = build("typed_numbers", config=STILL, builder="dummy", page=page)
    whole = FRONT_MATTER + page
    expected = [(whole.partition(text)[0].count("\n") + 1, number) for text, number in TYPED]
    found = [(int(line), number) for line, number in LINE.findall(warnings)]
    assert sorted(found) == sorted(expected)
    assert warnings.count("WARNING") == warnings.count(" [typed_numbers]\n") == len(TYPED)


def test_a_page_without_cells_is_looked_at_too(build: Build, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    plain = "---\norphan: true\n---\n# Plain\n\nThe gradient is `[26]`.\n"
    (tmp_path / "docs/plain.md").write_text(plain)
    warnings = build("typed_numbers", config=STILL, builder="dummy")
    assert "plain.md:6: WARNING: '[26]' is typed" in warnings


@pytest.mark.parametrize(
    ("text", "patterns", "word"),
    [
        ("no digit", ALLOWED, None),
        ("conv2d of 4 in torch 2.13", ALLOWED, "4"),
        ("x_1 + x_{21}", [TEX_INDEX], None),
        ("x_{21}3", [TEX_INDEX], "3"),
        ("1 and 2", [], "1"),
    ],
)
def test_what_remains_is_the_first_word_with_a_digit(
    text: str, patterns: list[str], word: str | None
) -> None:
    assert remaining(text, patterns) == word


def test_the_line_of_a_part_is_that_of_the_nearest_around_it_that_has_one() -> None:
    image, paragraph, page = nodes.image(), nodes.paragraph(), nodes.section()
    assert line(image) is None
    paragraph += image
    page += paragraph
    page.line, image.line = 3, 0
    assert line(image) == 3
    paragraph.line = 5
    assert line(image) == 5
    image.line = 7
    assert line(image) == 7
