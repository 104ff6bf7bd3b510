from pathlib import Path

from tests.extensions.conftest import Build

RIGHT = """
# Page

```{code-cell} python
:tags: [raises-exception]
:raises: "ZeroDivisionError: division by zero"

1 / 0
```
"""


def test_the_declared_error_passes_and_replaces_the_traceback(build: Build, tmp_path: Path) -> None:
    assert build("expected_errors", page=RIGHT) == ""
    html = (tmp_path / "html" / "page.html").read_text()
    assert "ZeroDivisionError: division by zero" in html
    assert "Traceback" not in html


def test_a_cell_that_does_not_raise_is_named(build: Build) -> None:
    warnings = build("expected_errors", page=RIGHT.replace("1 / 0", "1 / 1"))
    assert "page.md:8: WARNING: the cell was to raise" in warnings
    assert "ZeroDivisionError: division by zero\nbut raised nothing" in warnings


def test_another_message_is_named(build: Build) -> None:
    warnings = build("expected_errors", page=RIGHT.replace("1 / 0", "1 % 0"))
    assert "but raised\n    ZeroDivisionError: integer modulo by zero" in warnings


def test_a_tag_without_a_declaration_is_refused(build: Build) -> None:
    page = RIGHT.replace(':raises: "ZeroDivisionError: division by zero"\n', "")
    assert 'must declare `:raises: "Type: message"`' in build("expected_errors", page=page)


def test_a_declaration_without_the_tag_is_refused(build: Build) -> None:
    page = RIGHT.replace(":tags: [raises-exception]\n", "").replace("1 / 0", "1 / 1")
    assert "also needs `:tags: [raises-exception]`" in build("expected_errors", page=page)


def test_a_cell_whose_output_is_not_shown_leaves_the_others_theirs(
    build: Build, tmp_path: Path
) -> None:
    hidden = RIGHT.replace("raises-exception", "raises-exception, remove-output")
    shown = RIGHT.replace("# Page", "").replace("1 / 0", "int('a')")
    message = "invalid literal for int() with base 10: 'a'"
    shown = shown.replace("ZeroDivisionError: division by zero", f"ValueError: {message}")
    assert build("expected_errors", page=hidden + shown) == ""
    html = (tmp_path / "html" / "page.html").read_text()
    assert "invalid literal" in html
    assert "division by zero" not in html.replace("&quot;", "")


def test_an_ordinary_page_passes(build: Build) -> None:
    assert build("expected_errors", page="\n# Page\n\n```{code-cell} python\n1 + 1\n```\n") == ""
