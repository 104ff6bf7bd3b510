"""The site's search: every section is found on its own, by its reader's words.

Sphinx's index knows which page holds a word. This one knows the sections, and holds their text, so
that a result can show the sentence that answers and lead to it. `conf/static/search.js` ranks them
with MiniSearch (`conf/static/minisearch`), in the reader's browser and from disk too. What people
call the same thing stands in `synonyms.json`, one group a line; `asked.json` holds how people ask
for a section in words that it does not say; `idle.json` the words of a question that say nothing of
its subject. conf.py says which parts of the site are worth less than others as an answer::

    finding_weights = {"reference/sources.html": 0.3, "*#next": 0.1}
"""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import takewhile
from operator import eq
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
IDLE = Path(__file__).with_name("idle.json")
MOST = 21
"""Sentences of a section that are searched: with more it is a table of records, as those of what
changed from release to release, which alone weighed a tenth of all that a search loads. Five more
weigh four thousand bytes, the room of a dozen sections to come."""
LETTERS = [letter for letter in map(chr, range(128)) if letter not in '\0\n\r"\\']
"""The 123 that a string of JavaScript holds as they are, in one byte; with the other five escaped,
the same data were a twentieth longer."""
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
    idle = json.loads(IDLE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = [
        {
            "url": (url := f"{page}#{section.anchor}"),
            "titles": section.titles,
            "text": section.text[:MOST],
            "messages": section.messages,
            "asked": without(idle, asked.pop(url, "")),
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
    columns["titles"] = beside_the_last(columns["titles"])
    data = {"sections": columns, "synonyms": groups, "idle": idle}
    text = json.dumps(data, ensure_ascii=False)
    # Zopfli packs it a twentieth smaller than zlib's best, and a browser unpacks both alike. Its
    # usual fifteen rounds take twice the time of five, for a thousandth less.
    packed = in_letters(zopfli.gzip.compress(text.encode(), numiterations=5))
    static = site / "_static"
    (static / "search-data.js").write_text(f'window.VTJ_SECTIONS = "{packed}";\n', "utf-8")
    stemmer = [STEMMER / f"{part}-stemmer.js" for part in ("base", "english")]
    scripts = "\n".join(file.read_text(encoding="utf-8") for file in stemmer)
    (static / "stemmer.js").write_text(scripts, "utf-8")


def without(idle: list[str], phrases: str) -> str:
    """Return phrases without the words that the search passes over: they are a twentieth of it.

    Example:
        >>> without(["is", "why", "isnt"], "why is x.grad None, why isn't it, is-leaf")
        'x.grad None,it,is-leaf'
    """

    def tells(word: str) -> bool:
        return re.sub("['’?!]", "", word).lower() not in idle

    return ",".join(" ".join(filter(tells, phrase.split())) for phrase in phrases.split(","))


def in_letters(data: bytes) -> str:
    r"""Return bytes as the inside of a string of JavaScript: up to six bytes, and one letter more.

    So many are a number below 2^53, which JavaScript holds exactly. Base64 takes eight letters for
    six bytes, and letters beyond those of ASCII are two bytes of UTF-8 each.

    Example:
        >>> in_letters(b"\x2c\x91")
        '\x01ab'
    """
    groups = (data[i : i + 6] for i in range(0, len(data), 6))
    return "".join(
        LETTERS[int.from_bytes(group) // len(LETTERS) ** place % len(LETTERS)]
        for group in groups
        for place in range(len(group), -1, -1)
    )


def beside_the_last(titles: list[list[str]]) -> list[list[int | str]]:
    """Return the titles of each section as how many it shares with the section before, and others.

    Example:
        >>> beside_the_last([["Home"], ["Home", "First"], ["Home", "Second"]])
        [[0, 'Home'], [1, 'First'], [1, 'Second']]
    """
    told: list[list[int | str]] = []
    before: list[str] = []
    for those in titles:
        shared = len([*takewhile(bool, map(eq, before, those))])
        told.append([shared, *those[shared:]])
        before = those
    return told


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
