"""From a message to its place: the box's list."""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.extensions.conftest import built

BOX = "# Home\n\n```{error-box}\n```\n"
ERRORS = """\
# Fix an error

(error-shape)=
## The shapes differ

```{error-message}
RuntimeError: Mismatch in shape: output[{…}] has a shape of {…}
  and more
```

```{error-message}
:until: 1.2.0
RuntimeError: invalid gradient at index {…} - got {…}
```

## Without a label

```{error-message}
an <older> message
```

The block's `error_pattern` is no message.

```{code-block} none
:class: traceback
ZeroDivisionError: a; b
```

## Again

```{code-block} none
:class: traceback
ZeroDivisionError: a; b
```

```{code-block} none
:class: traceback
UserWarning: look (Triggered internally at engine.cpp:1.)
```
"""
PAGES = {
    "deep/home": BOX,
    "errors": ERRORS,
    "lost": "```{error-message}\nno section explains it\n```\n\n```{error-message}\n```\n\n"
    "```{error-message}\n:until: 1.3.0\nRuntimeError: invalid gradient at index {…}\n```\n\n"
    "```{error-message}\n:until: 1.3.0\nnever worded so\n```\n",
    "other": ERRORS.replace("shape", "other").replace("Zero", "One"),
}
SETTINGS = {
    "extensions": ["myst_nb", "errors"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("errors")
    lines = built(made, PAGES, SETTINGS).splitlines()
    refused = [line.partition("lost.md:")[2] for line in lines if "lost.md" in line]
    assert [line.partition(" [")[0] for line in refused if "WARNING" not in line] == [
        '5: ERROR: Content block expected for the "error-message" directive; none found.',
        "8: ERROR: recorded last on 1.2.0, not on torch 1.3.0",
        "13: ERROR: recorded last on no release, not on torch 1.3.0",
    ]
    return made / "html"


def page(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


LISTED = [
    (
        "RuntimeError: Mismatch in shape: output[{…}] has a shape of {…} and more",
        "The shapes differ",
        "errors.html#error-shape",
    ),
    (
        "RuntimeError: invalid gradient at index {…} - got {…}",
        "The shapes differ",
        "errors.html#error-shape",
    ),
    ("an <older> message", "Without a label", "errors.html#without-a-label"),
]


def test_the_box_knows_every_message_and_where_it_is_explained(folder: Path) -> None:
    script = page(folder, "_static/error-messages.js")
    assert script.startswith('window.VTJ_ERRORS = [\n{\n"pattern": ')
    assert script.endswith("\n}\n];\n")
    entries = json.loads(script.removeprefix("window.VTJ_ERRORS = ")[:-2])
    found = [(entry["pattern"], entry["title"], entry["url"]) for entry in entries]
    assert found[:3] == LISTED
    assert [url for _, _, url in found[3:]] == [
        *["other.html#error-other"] * 2,
        "other.html#without-a-label",
    ]


def test_an_old_message_is_shown_with_its_recorded_releases(
    folder: Path,
) -> None:
    shown = BeautifulSoup(page(folder, "errors.html"), "html.parser")
    assert [block.get_text() for block in shown.select("div.error-message.highlight-text pre")] == [
        "RuntimeError: Mismatch in shape: output[…] has a shape of …\n  and more\n",
        "RuntimeError: invalid gradient at index … - got …\n",
        "an <older> message\n",
    ]
    assert [line.get_text() for line in shown.select("p.error-versions")] == [
        "Recorded from torch 1.0.0 through 1.2.0.",
    ]


def test_without_javascript_the_box_is_a_list_of_links(folder: Path) -> None:
    text = page(folder, "deep/home.html")
    assert (
        "<vtj-error-box><noscript><ul>"
        '<li><a href="../errors.html#error-shape">RuntimeError: Mismatch in shape: output[…] has a '
        "shape of … and more</a></li>"
        '<li><a href="../errors.html#error-shape">RuntimeError: invalid gradient at index … - got …'
        "</a></li>"
        '<li><a href="../errors.html#without-a-label">an &lt;older&gt; message</a></li>'
    ) in text
    scripts = re.findall(r'<script defer="defer" src="../_static/(error-[\w-]*\.js)', text)
    assert scripts == ["error-messages.js", "error-box.js"]
    assert "error-box.js" not in page(folder, "errors.html")
