"""What a cell writes to its error stream is quoted, unless the cell declares it."""

from tests.extensions.conftest import Build

PAGE = """
# Page

```{{code-cell}} python
{options}
import sys, warnings
print("out")
warnings.warn("deprecated", stacklevel=1)
print("more", file=sys.stderr)
```
"""


def test_a_warning_is_quoted_with_the_line_of_its_cell(build: Build) -> None:
    warnings = build("stray_warnings", page=PAGE.format(options=""))
    assert "page.md:8: WARNING: the cell was to warn of nothing\nbut wrote\n    " in warnings
    assert "UserWarning: deprecated\n" in warnings
    assert "\n    more [stray_warnings]" in warnings


def test_a_declared_warning_passes(build: Build) -> None:
    page = PAGE.format(options=":mystnb: {output_stderr: show}\n")
    assert build("stray_warnings", page=page) == ""


def test_an_error_is_not_taken_for_a_warning(build: Build) -> None:
    options = ":tags: [raises-exception]\n\nprint(1)\n1 / 0\n"
    assert build("stray_warnings", page=PAGE.format(options=options)) == ""


def test_a_page_without_cells_passes(build: Build) -> None:
    assert build("stray_warnings", page="\n# Page\n") == ""
