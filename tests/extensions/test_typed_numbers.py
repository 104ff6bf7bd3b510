import pytest

from tests.extensions.conftest import Build

PAGE = """
# Page

```{{code-cell}} python
x = [1, 10]
```

{text}
"""


@pytest.mark.parametrize(
    "text",
    [
        "Computed: {eval}`x[1]`.",
        "Quoted: `[1, 10]`.",
        "torch 2.13.0, Python 3.11, pytorch#17893, PR #25349, 2026-11-21, a 0-d tensor, float64.",
        "Labels $x_1$ and $J_{21}$.",
        "```python\n>>> 1 + 1\n2\n```",
        "```{only} html\nNo number.\n```",
    ],
)
def test_what_may_stand_passes(build: Build, text: str) -> None:
    assert build("typed_numbers", page=PAGE.format(text=text)) == ""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The gradient is 26.", "'26.'"),
        ("The gradient is `[26]`.", "'[26]'"),
        ("Squared: x².", "'x².'"),
        ("Inline $6 x_1$.", "'6'"),
        ("$$\ny = 3 x_1\n$$", "'3'"),
        ("```python\ny = 3\n```", "'3'"),
        ("| a | b |\n|---|---|\n| 7 | x |", "'7'"),
    ],
)
def test_a_typed_number_is_named_with_its_line(build: Build, text: str, number: str) -> None:
    warnings = build("typed_numbers", page=PAGE.format(text=text))
    assert f"{number} is typed: let the build compute it" in warnings
    assert "page.md:1" in warnings
