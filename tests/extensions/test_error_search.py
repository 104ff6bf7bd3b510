"""The search index leads from a message to the section that explains it."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import error_search
import pytest
from docutils import nodes
from docutils.utils import new_document
from error_search import PREFIX, SUFFIX, collect, texts, write
from sphinx.application import Sphinx

from tests.extensions.conftest import Build, seven_bits

CONFIG = {"extensions": ["myst_nb_fork", "myst_nb", "expected_errors", "error_search"]}
PAGE = """
# Errors

(divided)=
## Divided by zero

```{code-cell} python
:tags: [raises-exception]
:raises: "ZeroDivisionError: a; b"

raise ZeroDivisionError("a; b")
```

## Again

```{code-cell} python
:tags: [raises-exception]
:raises: "ZeroDivisionError: a; b"

raise ZeroDivisionError("a; b")
```

```{code-cell} python
:tags: [raises-exception]
:raises: "UserWarning: look (Triggered internally at engine.cpp:1.)"

raise UserWarning("look (Triggered internally at engine.cpp:1.)")
```

```none
not an error
```
"""


def entries(folder: Path) -> dict[str, Any]:
    script = (folder / "html" / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(script[len(PREFIX) : -len(SUFFIX)])
    found: dict[str, Any] = index["indexentries"]
    return {text: [(index["docnames"][p], a, m) for p, a, m in v] for text, v in found.items()}


def test_a_whole_message_leads_to_its_first_section(build: Build, tmp_path: Path) -> None:
    config = {**CONFIG, "error_search_pages": ["errors"]}
    pages = {"errors": PAGE, "other": PAGE.replace("divided", "again")}
    assert build("error_search", config=config, **pages) == ""
    assert entries(tmp_path) == {
        "zerodivisionerror: a; b": [("errors", "divided", True)],
        "userwarning: look": [("errors", "again", True)],
    }


def test_other_pages_are_left_alone(build: Build, tmp_path: Path) -> None:
    assert build("error_search", config=CONFIG, errors=PAGE) == ""
    assert entries(tmp_path) == {}
    named = {**CONFIG, "error_search_pages": ["errors"]}
    assert build("error_search", config=named, fresh=False, errors=PAGE) == ""
    assert entries(tmp_path).keys() == {"zerodivisionerror: a; b", "userwarning: look"}


def page(*pages: str) -> Any:
    """A page that is being read, where pages are searched for their messages."""
    env = SimpleNamespace(docname="errors")
    return SimpleNamespace(env=env, config=SimpleNamespace(error_search_pages=list(pages)))


def doctree(**sections: list[nodes.literal_block]) -> nodes.document:
    """A page whose sections hold blocks, each within something else."""
    document = new_document("errors")
    for name, blocks in sections.items():
        held = nodes.container("", nodes.container("", *blocks))
        document += nodes.section("", nodes.title("", name), held, ids=[name, "own"])
    return document


def traceback(text: str) -> nodes.literal_block:
    return nodes.literal_block("", text, classes=["output", "traceback"])


def test_a_page_is_noted_by_its_sections_and_anew_each_time_it_is_read() -> None:
    app = page("before", "errors")
    shown = nodes.literal_block("", "no error", classes=["output"])
    first = doctree(a=[shown, traceback("A (Triggered internally at x (Triggered internally")])
    first.insert(0, traceback("in no section"))
    collect(app, first)
    assert texts(app.env) == {"errors": {"a": "a"}}
    collect(app, doctree(b=[traceback("Two; B"), traceback("Ü")], c=[traceback("two; b")]))
    assert texts(app.env) == {"errors": {"two; b": "b", "ü": "b"}}
    app.config.error_search_pages = []
    collect(app, first)
    assert texts(app.env) == {}


def test_a_page_that_is_gone_is_forgotten_and_parallel_readers_are_merged(
    application: Callable[..., Sphinx],
) -> None:
    app = application("error_search", builder="dummy")
    app.build()
    here, there = app.env, copy.copy(app.env)
    texts(here)["page"] = {"c": "d"}
    for read in ({"index": {"a": "b"}, "elsewhere": {}}, {}):
        vars(there)["error_search_texts"] = read
        app.emit("env-merge-info", here, ["index"], there)
    assert texts(here) == {"index": {"a": "b"}, "page": {"c": "d"}}
    app.emit("env-purge-doc", here, "index")
    app.emit("env-purge-doc", here, "index")
    assert texts(here) == {"page": {"c": "d"}}


LISTED: dict[str, list[tuple[str, str, str, str, None]]] = {
    "second": [
        ("single", "Kink", "kink", "main", None),
        ("single", "Kink", "kink", "main", None),
        ("single", "kink", "", "", None),
    ],
    "first": [("pair", "Loop; kink", "z", "", None), ("single", "loop", None, "main", None)],  # type: ignore[list-item]
}


def application_of(folder: Path) -> Any:
    domains = SimpleNamespace(index_domain=SimpleNamespace(entries=LISTED))
    return SimpleNamespace(outdir=folder, env=SimpleNamespace(domains=domains))


def test_the_entries_are_those_of_every_page_in_order(tmp_path: Path) -> None:
    assert list(error_search.entries(application_of(tmp_path).env).items()) == [
        ("loop", [("first", "z", False), ("first", "", True)]),
        ("kink", [("first", "z", False), ("second", "kink", True), ("second", "", False)]),
    ]


def test_a_written_index_has_all_entries_and_no_word_without_a_page(tmp_path: Path) -> None:
    app, index = application_of(tmp_path), tmp_path / "searchindex.js"
    texts(app.env)["second"] = {"ü; kink": "here", "kink": "there"}
    words = '"terms":{"a":0,"b":[],"c":[0,1]},"titleterms":{"d":[],"ö":1}'
    old = f'Search.setIndex({{"docnames":["first","second"],"indexentries":{{"x":[]}},{words}}})'
    index.write_text(old, encoding="utf-8")
    with seven_bits():
        write(app, None)
    assert index.read_text(encoding="utf-8") == (
        'Search.setIndex({"docnames":["first","second"],"indexentries":{"kink":[[1,"there",true]],'
        '"loop":[[0,"z",false],[0,"",true]],"ü; kink":[[1,"here",true]]},'
        '"terms":{"a":0,"c":[0,1]},"titleterms":{"ö":1}})'
    )


@pytest.mark.parametrize(
    "text", ["var index = {};", "Search.setIndex({});", "Search.setIndex", "X.setIndex({})"]
)
def test_an_index_of_another_form_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "searchindex.js").write_text(text)
    said = f"searchindex.js starts with {text[:20]!r}; expected 'Search.setIndex('"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        write(application_of(tmp_path), None)


def test_nothing_is_written_after_a_failure_or_without_an_index(tmp_path: Path) -> None:
    write(application_of(tmp_path), None)
    (tmp_path / "searchindex.js").write_text("half")
    write(application_of(tmp_path), OSError("full"))
    assert (tmp_path / "searchindex.js").read_text() == "half"


def test_the_index_of_an_incremental_build_is_that_of_a_full_one(
    build: Build, tmp_path: Path
) -> None:
    config = {**CONFIG, "error_search_pages": ["errors"]}
    term = "# Words\n\n```{glossary}\nkink\n    A corner.\n```\n"
    index = tmp_path / "html" / "searchindex.js"
    final = {"errors": PAGE, "words": term, "other": "# Other\n\nText.\n"}
    build("error_search", config=config, **final)
    full = index.read_text(encoding="utf-8")
    assert '"kink"' in full
    build("error_search", config=config, fresh=False, **{**final, "other": "# Other\n\nZebra.\n"})
    assert "zebra" in index.read_text(encoding="utf-8")
    build("error_search", config=config, fresh=False, **final)
    assert index.read_text(encoding="utf-8") == full


def test_what_another_extension_shows_is_found_wherever_it_stands_in_the_list(
    application: Callable[..., Sphinx],
) -> None:
    app = application("error_search", error_search_pages=["index"])

    def shown(app: Sphinx, document: nodes.document) -> None:
        section = document[0]
        assert isinstance(section, nodes.section)
        section += traceback("Late")

    app.connect("doctree-read", shown)
    app.build()
    assert texts(app.env) == {"index": {"late": "home"}}
