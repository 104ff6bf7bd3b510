"""The search index of an incremental build is that of a fresh one.

When only some pages are written again, Sphinx forgets the index entries of all others, such as the
terms of the glossary, and keeps words that no page holds any more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from error_search import PREFIX, SUFFIX
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.index_entries import split_index_msg
from sphinx.util.typing import ExtensionMetadata

Entries = dict[str, list[tuple[int, str, bool]]]


def complete(app: Sphinx, exception: Exception | None) -> None:
    """Write the index anew, with the entries of every page and the words of those that are there.

    Args:
        app: the Sphinx application.
        exception: what ended the build early, or None.
    """
    path = Path(app.outdir) / "searchindex.js"
    if exception is not None or not path.exists():
        return
    script = path.read_text(encoding="utf-8").removeprefix(PREFIX).removesuffix(SUFFIX)
    index: dict[str, Any] = json.loads(script)
    for words in ("terms", "titleterms"):
        index[words] = {word: pages for word, pages in index[words].items() if pages != []}
    index["indexentries"] = entries(app.env, index["docnames"])
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_text(PREFIX + text + SUFFIX, encoding="utf-8")


def entries(env: BuildEnvironment, docnames: list[str]) -> Entries:
    """Return the index entries of pages as Sphinx writes them: text to (page, anchor, is it main).

    Args:
        env: the build environment.
        docnames: the pages, in the order of the search index.
    """
    found: Entries = {}
    for number, docname in enumerate(docnames):
        of_page = {
            (text, anchor or "", main)
            for kind, value, anchor, main, _ in env.domains.index_domain.entries[docname]
            for text in split_index_msg(kind, value)
        }
        for text, anchor, main in sorted(of_page):
            found.setdefault(text.lower(), []).append((number, anchor, main == "main"))
    return found


def setup(app: Sphinx) -> ExtensionMetadata:
    """Complete the index once Sphinx has written it, before others add to it."""
    app.connect("build-finished", complete, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
