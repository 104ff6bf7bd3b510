from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from error_box import Message, boxes_to_rewrite, messages
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
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


def test_the_script_is_written_line_by_line_as_often_as_it_is_asked_for(
    application: Callable[..., Sphinx],
) -> None:
    app = application("error_box")
    app.env.metadata["home"] = {"error_box": True}
    app.emit("write-started", app.builder)
    script = app.outdir / "_static" / "error-messages.js"
    assert script.read_text(encoding="utf-8") == "window.VTJ_ERRORS = [];\n"
    vars(app.env)["error_messages"] = {"page": [Message("is {…}", "Title", "page", "here")]}
    app.emit("write-started", app.builder)
    assert script.read_text(encoding="utf-8") == (
        'window.VTJ_ERRORS = [\n{\n"pattern": "is {…}",\n"title": "Title",\n'
        '"url": "page.html#here"\n}\n];\n'
    )


@pytest.mark.parametrize(("builder", "page"), [("dummy", {"error_box": True}), ("html", {})])
def test_no_script_is_written_for_other_builders_or_without_a_box(
    builder: str, page: dict[str, Any], application: Callable[..., Sphinx]
) -> None:
    app = application("error_box", builder=builder)
    app.env.metadata["home"] = page
    app.emit("write-started", app.builder)
    assert not (app.outdir / "_static").exists()


def test_messages_are_listed_page_by_page_and_a_page_that_is_gone_has_none(
    application: Callable[..., Sphinx],
) -> None:
    app = application("error_box")
    assert messages(app.env) == []
    a, b, c = (Message(name, "Title", "page", "here") for name in "abc")
    for found in ({"second": [c]}, {"first": [a, b]}, {}):
        other = BuildEnvironment(app)
        vars(other)["error_messages"] = found
        app.emit("env-merge-info", app.env, [], other)
    assert messages(app.env) == [a, b, c]
    app.emit("env-purge-doc", app.env, "third")
    app.emit("env-purge-doc", app.env, "first")
    assert messages(app.env) == [c]


def test_pages_with_a_box_are_written_again_when_what_it_lists_has_changed(
    application: Callable[..., Sphinx],
) -> None:
    app = application("error_box")
    app.env.metadata |= {"home": {"error_box": True}, "page": {}}
    vars(app.env)["error_messages"] = {"page": [Message("a", "Title", "page", "here")]}
    assert [pages for pages in app.emit("env-updated", app.env) if pages] == [["home"]]
    assert boxes_to_rewrite(app, app.env) == []
    vars(app.env)["error_messages"]["page"] = []
    assert boxes_to_rewrite(app, app.env) == ["home"]


def test_a_message_is_shown_with_the_versions_that_print_it(build: Build, tmp_path: Path) -> None:
    build("error_box", config=STILL, errors=ERRORS)
    page = (tmp_path / "html" / "errors.html").read_text(encoding="utf-8")
    shown = BeautifulSoup(page, "html.parser")
    assert [block.get_text() for block in shown.select("div.error-message.highlight-text pre")] == [
        "RuntimeError: Mismatch in shape: output[…] has a shape of …\n  and more\n",
        "invalid gradient\n",
        "an <older> message\n",
    ]
    assert [line.get_text() for line in shown.select("p.error-versions")] == [
        "Printed since torch 1.3.0.",
        "Printed up to torch 1.2.0.",
        "Printed since torch 1.3.0 and up to torch 2.0.0.",
    ]
    assert not (tmp_path / "html" / "_static" / "error-messages.js").exists()


def test_without_javascript_the_box_is_a_list_of_links(build: Build, tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    box = "# Home\n\n```{error-box}\n```\n"
    build("error_box", config=STILL, **{"deep/home": box, "errors": ERRORS})
    page = (tmp_path / "html" / "deep" / "home.html").read_text(encoding="utf-8")
    assert (
        "<vtj-error-box><noscript><ul>"
        '<li><a href="../errors.html#error-shape">RuntimeError: Mismatch in shape: output[…] has a '
        "shape of … and more</a></li>"
        '<li><a href="../errors.html#error-shape">invalid gradient</a></li>'
        '<li><a href="../errors.html#without-a-label">an &lt;older&gt; message</a></li>'
        "</ul></noscript></vtj-error-box>"
    ) in page
    scripts = re.findall(r'<script defer="defer" src="../_static/(error-[\w-]*\.js)', page)
    assert scripts == ["error-messages.js", "error-box.js"]
    errors = (tmp_path / "html" / "errors.html").read_text(encoding="utf-8")
    assert "error-box.js" not in errors


def test_a_message_without_text_fails_the_build(build: Build) -> None:
    warnings = build("error_box", config=STILL, errors="# Errors\n\n```{error-message}\n```\n")
    assert "Content block expected" in warnings


def test_a_page_may_speak_of_what_marks_a_message(build: Build, tmp_path: Path) -> None:
    page = f"{ERRORS}\nThe block's `error_pattern` is no message.\n\n```{{error-box}}\n```\n"
    assert build("error_box", config=STILL, errors=page) == ""
    assert len(written(tmp_path)) == 3


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
