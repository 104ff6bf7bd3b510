"""The site's search finds a pasted error message at the section that explains it.

Sphinx's search looks for words, and several pages may hold those of a message. On the pages that
conf.py names, the text of every declared error (compared with torch's by `expected_errors`) becomes
an entry of the search index that leads to its section, and such an entry comes first::

    error_search_pages = ["how-to/errors"]

The entries are written into the finished index, since an index entry of Sphinx's own ends at the
first semicolon, and messages have some. Two more mends make the index of an incremental build the
same as that of a full one: Sphinx keeps only the entries of the pages that it has written, and it
keeps words that no page has any more.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.index_entries import split_index_msg
from sphinx.util.typing import ExtensionMetadata

PREFIX, SUFFIX = "Search.setIndex(", ")"


def texts(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """Return the messages and their anchors by page.

    Args:
        env: the build environment, which keeps them.
    """
    kept: dict[str, dict[str, str]] = vars(env).setdefault("error_search_texts", {})
    return kept


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Note every message of a page and the section that it stands in, the first one counting.

    Args:
        app: the Sphinx application.
        doctree: the page that was just read.
    """
    docname = app.env.docname
    texts(app.env).pop(docname, None)
    if docname not in app.config.error_search_pages:
        return
    found = texts(app.env).setdefault(docname, {})
    for block in doctree.findall(nodes.literal_block):
        section = block.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if "traceback" in block["classes"] and section is not None:
            message = block.astext().partition(" (Triggered internally")[0]
            found.setdefault(message.lower(), section["ids"][0])


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is gone or read again.

    Args:
        app: the Sphinx application.
        env: the build environment.
        docname: the page.
    """
    texts(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Take over what a parallel reader noted.

    Args:
        app: the Sphinx application.
        env: the build environment.
        docnames: the pages that were read there.
        other: the reader's environment.
    """
    texts(env).update({name: texts(other)[name] for name in docnames if name in texts(other)})


def entries(env: BuildEnvironment) -> dict[str, list[tuple[str, str, bool]]]:
    """Return every entry of the index, with its pages: name, anchor, whether it is the main place.

    Args:
        env: the build environment.
    """
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for docname, listed in sorted(env.domains.index_domain.entries.items()):
        places = {
            (text, anchor or "", main == "main")
            for kind, value, anchor, main, _ in listed
            for text in split_index_msg(kind, value)
        }
        for text, anchor, main in sorted(places):
            found.setdefault(text.lower(), []).append((docname, anchor, main))
    return found


def write(app: Sphinx, exception: Exception | None) -> None:
    """Add the messages to the search index of a finished build.

    Args:
        app: the Sphinx application.
        exception: what ended the build early, or None.

    Raises:
        ValueError: if the index has not the form that Sphinx gives it.
    """
    path = Path(app.outdir) / "searchindex.js"
    if exception is not None or not path.exists():
        return
    script = path.read_text(encoding="utf-8")
    if not script.startswith(PREFIX) or not script.endswith(SUFFIX):
        raise ValueError(f"{path.name} starts with {script[:20]!r}; expected {PREFIX!r}")
    index = json.loads(script[len(PREFIX) : -len(SUFFIX)])
    pages = {docname: number for number, docname in enumerate(index["docnames"])}
    index["indexentries"] = {
        text: [(pages[docname], anchor, main) for docname, anchor, main in places]
        for text, places in entries(app.env).items()
    }
    for words in ("terms", "titleterms"):
        index[words] = {word: found for word, found in index[words].items() if found != []}
    for docname, messages in texts(app.env).items():
        page = pages[docname]
        for message, anchor in messages.items():
            index["indexentries"][message] = [[page, anchor, True]]
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_text(PREFIX + text + SUFFIX, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the configuration value and the collectors."""
    app.add_config_value("error_search_pages", [], "env")
    app.connect("doctree-read", collect, priority=900)  # after expected_errors has its blocks
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
