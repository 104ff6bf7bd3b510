from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from error_box import Message, boxes_to_rewrite, messages
from sphinx.testing.util import SphinxTestApp

Build = Callable[..., str]
STILL = {"nb_execution_mode": "off"}
ERRORS = """\
# Fix an error

(error-shape)=
## The shapes differ

```{error-message}
:since: 1.3.0
RuntimeError: Mismatch in shape: output[{…}] has a shape of {…}
  and more
```

```{error-message}
:until: 1.2.0
invalid gradient
```

## Without a label

```{error-message}
:since: 1.3.0
:until: 2.0.0
an <older> message
```
"""


def written(tmp_path: Path) -> list[dict[str, str]]:
    script = (tmp_path / "html" / "_static" / "error-messages.js").read_text(encoding="utf-8")
    assert script.startswith("window.VTJ_ERRORS = ")
    entries: list[dict[str, str]] = json.loads(script.removeprefix("window.VTJ_ERRORS = ")[:-2])
    return entries


def test_the_box_knows_every_message_and_where_it_is_explained(
    build: Build, tmp_path: Path
) -> None:
    box = "# Home\n\n```{error-box}\n```\n"
    assert build("error_box", config=STILL, home=box, errors=ERRORS) == ""
    assert written(tmp_path) == [
        {
            "pattern": "RuntimeError: Mismatch in shape: output[{…}] has a shape of {…} and more",
            "title": "The shapes differ",
            "url": "errors.html#error-shape",
        },
        {
            "pattern": "invalid gradient",
            "title": "The shapes differ",
            "url": "errors.html#error-shape",
        },
        {
            "pattern": "an <older> message",
            "title": "Without a label",
            "url": "errors.html#without-a-label",
        },
    ]


def test_a_message_is_shown_with_the_versions_that_print_it(build: Build, tmp_path: Path) -> None:
    build("error_box", config=STILL, errors=ERRORS)
    page = (tmp_path / "html" / "errors.html").read_text(encoding="utf-8")
    assert "output[…] has a shape of …\n  and more" in page
    assert "Printed since torch 1.3.0." in page
    assert "Printed up to torch 1.2.0." in page
    assert "Printed since torch 1.3.0 and up to torch 2.0.0." in page
    assert not (tmp_path / "html" / "_static" / "error-messages.js").exists()


def test_without_javascript_the_box_is_a_list_of_links(build: Build, tmp_path: Path) -> None:
    build("error_box", config=STILL, home="# Home\n\n```{error-box}\n```\n", errors=ERRORS)
    page = (tmp_path / "html" / "home.html").read_text(encoding="utf-8")
    assert '<a href="errors.html#error-shape">RuntimeError: Mismatch in shape' in page
    assert '<a href="errors.html#without-a-label">an &lt;older&gt; message</a>' in page
    assert '<script defer="defer" src="_static/error-messages.js' in page
    assert '<script defer="defer" src="_static/error-box.js' in page
    errors = (tmp_path / "html" / "errors.html").read_text(encoding="utf-8")
    assert "error-box.js" not in errors


def test_a_message_without_text_fails_the_build(build: Build) -> None:
    warnings = build("error_box", config=STILL, errors="# Errors\n\n```{error-message}\n```\n")
    assert "Content block expected" in warnings


def test_a_message_that_no_section_explains_is_not_listed(build: Build, tmp_path: Path) -> None:
    page = "```{error-message}\nlost\n```\n\n```{error-box}\n```\n"
    build("error_box", config=STILL, errors=page)
    assert written(tmp_path) == []


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Any]:
    """Build a project that keeps what an earlier build of it left."""

    def run(**pages: str | None) -> Any:
        for name, text in pages.items():
            file = tmp_path / f"{name}.md"
            if text is None:
                file.unlink()
            else:
                file.write_text(text, encoding="utf-8")
        (tmp_path / "conf.py").write_text("", encoding="utf-8")
        settings = {"extensions": ["myst_nb", "error_box"], "exclude_patterns": ["_build"], **STILL}
        app = SphinxTestApp(srcdir=tmp_path, confoverrides=settings, parallel=2)
        app.build()
        app.cleanup()
        return app

    return run


def test_a_page_that_changes_or_goes_changes_the_box(
    project: Callable[..., Any], tmp_path: Path
) -> None:
    home = "# Home\n\n```{error-box}\n```\n\n```{toctree}\n:glob:\n*\n```\n"
    many = {f"page{i}": f"# Page {i}\n" for i in range(8)}  # enough to be read in parallel
    first = project(index=home, errors="# Errors\n\n```{error-message}\nfirst\n```\n", **many)
    assert messages(first.env) == [Message("first", "Errors", "errors", "errors")]
    second = project(errors="# Errors\n\n```{error-message}\nsecond\n```\n")
    assert [message.pattern for message in messages(second.env)] == ["second"]
    assert "second" in (second.outdir / "index.html").read_text(encoding="utf-8")
    assert boxes_to_rewrite(second, second.env) == []
    third = project(errors=None)
    assert messages(third.env) == []
    assert "second" not in (third.outdir / "index.html").read_text(encoding="utf-8")
