"""From a message to its place: the box's list."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from errors import elsewhere

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

## Without a label &

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
UserWarning: look
```
"""
SHOWN = """\
# Shown

```{error-message}
RuntimeError: The size of tensor a ({…}) must match the size of tensor b ({…})
```

## Raised here

```{code-block} none
:class: traceback
RuntimeError: hook 3 has changed the size of [4, 2]
```

```{code-block} none
:class: traceback
RuntimeError: invalid gradient at index 0 - got [2]
```

## Raised again

```{code-block} none
:class: traceback
RuntimeError: hook 1 has changed the size of [5]
```
"""
LONG = "RuntimeError: " + "a word " * 20 + "and"
PAGES = {
    "deep/home": BOX,
    "errors": ERRORS,
    "lost": "```{error-message}\nno section explains it\n```\n\n```{error-message}\n```\n\n"
    "```{error-message}\n:until: 1.3.0\nRuntimeError: invalid gradient at index {…}\n```\n\n"
    "```{error-message}\n:until: 1.3.0\nnever worded so\n```\n",
    "long": f"# Long\n\n```{{error-message}}\n{LONG} {{…}} {{…}} more\n```\n",
    "other": ERRORS.replace("shape", "other").replace("Zero", "One"),
    "shown": SHOWN,
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


def known(folder: Path) -> list[dict[str, Any]]:
    script = page(folder, "_static/error-messages.js")
    return [
        {"pattern": pattern, "title": title, "url": url, "shown": shown, "elsewhere": elsewhere}
        for url, title, shown, *messages in json.loads(
            script.removeprefix("window.VTJ_ERRORS = ")[:-2]
        )
        for pattern, elsewhere in messages
    ]


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
    ("an <older> message", "Without a label &", "errors.html#without-a-label"),
]


def test_the_box_knows_every_message_and_where_it_is_explained(folder: Path) -> None:
    script = page(folder, "_static/error-messages.js")
    assert script.startswith('window.VTJ_ERRORS = [["')
    assert script.endswith("]];\n")
    entries = known(folder)
    found = [(entry["pattern"], entry["title"], entry["url"]) for entry in entries]
    assert found[:3] == LISTED
    assert [url for _, _, url in found[3:]] == [
        "long.html#long",
        *["other.html#error-other"] * 2,
        "other.html#without-a-label",
        "shown.html#shown",
        "shown.html#raised-here",
    ]


def test_a_message_that_a_page_raises_leads_to_where_it_is_first_shown(folder: Path) -> None:
    """Without its numbers; one that an entry explains stands there alone."""
    shown = [entry for entry in known(folder) if entry["shown"]]
    assert [entry["pattern"] for entry in shown] == [
        "RuntimeError: hook {…} has changed the size of {…}"
    ]
    assert shown[0]["url"] == "shown.html#raised-here"


def test_a_message_of_plain_torch_is_marked_with_what_raises_it(folder: Path) -> None:
    marked = {entry["url"]: entry["elsewhere"] for entry in known(folder) if entry["elsewhere"]}
    ((line, told),) = marked.pop("shown.html#shown")
    assert marked == {}
    assert line == "torch.ones(32) + torch.ones(10)"
    assert told.startswith("The size of tensor a (32) must match the size of tensor b (10)")


def test_of_a_long_message_the_beginning_is_compared(folder: Path) -> None:
    (entry,) = (entry for entry in known(folder) if entry["title"] == "Long")
    assert entry["pattern"] == LONG


def test_a_mistake_that_is_warned_of_counts() -> None:
    told = elsewhere.raised()["torch.tensor(torch.ones(2))"]
    assert told.startswith("To copy construct from a tensor, it is recommended to use")


def test_a_mistake_that_raises_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejected by errors.raised."""
    monkeypatch.setattr(elsewhere, "MISTAKES", ("1 + 1",))
    elsewhere.raised.cache_clear()
    with pytest.raises(AssertionError, match=re.escape("1 + 1 raised nothing; expected an error")):
        elsewhere.raised()


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
        "Recorded on torch 1.0.0 through 1.2.0.",
    ]


def test_without_javascript_the_box_is_a_list_of_links(folder: Path) -> None:
    text = page(folder, "deep/home.html")
    assert (
        "<vtj-error-box><noscript><ul>"
        '<li><a href="../errors.html#error-shape">The shapes differ</a></li>'
        '<li><a href="../errors.html#without-a-label">Without a label &amp;</a></li>'
    ) in text
    scripts = re.findall(r'<script defer="defer" src="../_static/(error-[\w-]*\.js)', text)
    assert scripts == ["error-messages.js", "error-box.js"]
    assert "error-box.js" not in page(folder, "errors.html")
