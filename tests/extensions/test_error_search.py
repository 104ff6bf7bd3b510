"""The search index leads from a message to the section that explains it."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from error_search import PREFIX, SUFFIX, merge, purge, texts, write

from tests.extensions.conftest import Build

CONFIG = {"extensions": ["myst_nb", "expected_errors", "error_search"]}
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


def test_a_page_that_is_gone_is_forgotten_and_parallel_readers_are_merged() -> None:
    here: Any = SimpleNamespace()
    there: Any = SimpleNamespace()
    texts(there)["errors"] = {"a": "b"}
    merge(None, here, ["errors", "index"], there)  # type: ignore[arg-type]
    assert texts(here) == {"errors": {"a": "b"}}
    purge(None, here, "errors")  # type: ignore[arg-type]
    purge(None, here, "errors")  # type: ignore[arg-type]
    assert texts(here) == {}


def application(folder: Path) -> Any:
    return SimpleNamespace(outdir=folder, env=SimpleNamespace())


def test_an_index_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "searchindex.js").write_text("var index = {}")
    with pytest.raises(ValueError, match=r"searchindex\.js starts with 'var index = {}'"):
        write(application(tmp_path), None)


def test_nothing_is_written_after_a_failure_or_without_an_index(tmp_path: Path) -> None:
    write(application(tmp_path), None)
    (tmp_path / "searchindex.js").write_text("half")
    write(application(tmp_path), OSError("full"))
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
