"""The site's search: every section is found on its own, by its reader's words.

Sphinx's index knows which page holds a word. This one knows the sections, and holds their text, so
that a result can show the sentence that answers and lead to it. `conf/static/search.js` ranks them
with MiniSearch (`conf/static/minisearch`), in the reader's browser and from disk too. What people
call the same thing stands in `synonyms.json`, one group a line; `asked.json` holds how people ask
for a section in words that it does not say. conf.py says which parts of the
site are worth less than others as an answer::

    finding_weights = {"reference/sources.html": 0.3, "*#next": 0.1}
"""

import base64
import json
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import sphinx.search
import zopfli.gzip
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from finding.sections import sections

SYNONYMS = Path(__file__).with_name("synonyms.json")
ASKED = Path(__file__).with_name("asked.json")
MOST = 30
"""Sentences of a section that are searched: with more it is a table of records, as those of what
changed from release to release, which alone weighed a tenth of all that a search loads. With 40 a
search would load more than a page may weigh."""
STEMMER = Path(sphinx.search.__file__).parent / "minified-js"


def replace_search(app: Sphinx) -> None:
    """Have Sphinx build no index of its own: it takes time, and nothing would read it."""
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]


def search_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Write the page to search on, which Sphinx leaves out with its index."""
    yield "search", {}, "search.html"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write what the search reads, from the pages as they were written."""
    if exception is not None or app.builder.format != "html":
        return
    pages = sorted(f"{name}{app.builder.out_suffix}" for name in app.env.all_docs)  # type: ignore[attr-defined]
    write_data(Path(app.outdir), pages, app.config.finding_weights)


def write_data(site: Path, pages: list[str], weights: dict[str, float]) -> None:
    """Write the sections of a site's pages, packed, and the stemmer, beside its other scripts.

    Raises:
        ExtensionError: if asked.json names a section that a page does not have.
    """
    asked = json.loads(ASKED.read_text(encoding="utf-8"))
    found = [
        {
            "url": (url := f"{page}#{section.anchor}"),
            "titles": section.titles,
            "text": section.text[:MOST],
            "messages": section.messages,
            "asked": asked.pop(url, ""),
            "weight": weight(url, weights),
        }
        for page in pages
        for section in sections((site / page).read_text(encoding="utf-8"))
        if section.text or section.messages or section.code or len(section.titles) == 1
    ]
    if lost := [url for url in asked if url.partition("#")[0] in pages]:  # not of a part of a site
        raise ExtensionError(f"asked.json: no section {', '.join(lost)}")
    groups = json.loads(SYNONYMS.read_text(encoding="utf-8"))
    # Like beside like packs to nine tenths: all addresses, then all titles, and so on.
    columns = {name: [one[name] for one in found] for name in found[0]}
    data = json.dumps({"sections": columns, "synonyms": groups}, ensure_ascii=False)
    # Zopfli packs it a twentieth smaller than zlib's best, and a browser unpacks both alike. Its
    # usual fifteen rounds take twice the time of five, for a thousandth less.
    packed = base64.b85encode(zopfli.gzip.compress(data.encode(), numiterations=5)).decode()
    static = site / "_static"
    (static / "search-data.js").write_text(f'window.VTJ_SECTIONS = "{packed}";\n', "utf-8")
    stemmer = [STEMMER / f"{part}-stemmer.js" for part in ("base", "english")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in stemmer)
    (static / "stemmer.js").write_text(text, "utf-8")


def weight(address: str, weights: dict[str, float]) -> float:
    """Return what a section counts: the product of the weights whose pattern its address fits.

    Example:
        >>> weight("how-to/one-class.html#next", {"*#next": 0.5, "how-to/*": 0.5, "faq*": 2})
        0.25
    """
    found = 1.0
    for pattern, factor in weights.items():
        found *= factor if fnmatch(address, pattern) else 1
    return found


def setup(app: Sphinx) -> ExtensionMetadata:
    """Take the place of Sphinx's search."""
    app.add_config_value("finding_weights", {}, "html")
    app.connect("builder-inited", replace_search)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
