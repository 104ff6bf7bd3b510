"""The site's search finds a pasted error message at the section that explains it.

Sphinx's search looks for words, and several pages may hold those of a message. On the pages that
conf.py names, the text of every declared error (compared with torch's when the page ran) becomes an
entry of the search index that leads to its section, and such an entry comes first::

    error_search_pages = ["how-to/errors"]

The entries are written into the finished index, since an index entry of Sphinx's own ends at the
first semicolon, and messages have some.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from errors.box import section_of

PREFIX, SUFFIX = "Search.setIndex(", ")"


def messages(doctree: nodes.document) -> dict[str, str]:
    """Return the text of every error on a page and the id of the first section that shows it."""
    found: dict[str, str] = {}
    for block in doctree.findall(nodes.literal_block):
        if "traceback" in block["classes"] and (section := section_of(block)):
            found.setdefault(block.astext().lower(), section["ids"][0])
    return found


def write(app: Sphinx, exception: Exception | None) -> None:
    """Add the messages to the search index of a finished build.

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
    here = [page for page in app.config.error_search_pages if page in index["docnames"]]
    for docname in here:  # a part of the site, built alone, does not have them all
        page = index["docnames"].index(docname)
        for message, anchor in messages(app.env.get_doctree(docname)).items():
            index["indexentries"][message] = [[page, anchor, True]]
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_text(PREFIX + text + SUFFIX, encoding="utf-8")


def connect(app: Sphinx) -> None:
    """Register the configuration value, and write when all pages are there."""
    app.add_config_value("error_search_pages", [], "env")
    app.connect("build-finished", write)
