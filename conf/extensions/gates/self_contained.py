"""A page that would load anything from outside the site fails the build.

The site works from disk and leaks nothing about its readers. A link that a reader may follow is
not a request; an image, a script, a style sheet, a font or a frame is.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from sphinx.application import Sphinx

from gates.page import place

_OUTSIDE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_IN_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:[a-z]+:)?//[^"')\s;]+)""", re.IGNORECASE)
_SETS = {"srcset", "imagesrcset"}
_CANDIDATE = re.compile(r"[\s,]*(\S*[^\s,])(?:\s[^,]*)?")  # of a set, its condition left out
_LOADED = {"src", "poster", "data", "background", *_SETS}
_LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect",
                  "dns-prefetch", "manifest", "apple-touch-icon"}  # fmt: skip


def requests(app: Sphinx) -> Iterator[tuple[str, tuple[str, int | None] | None]]:
    """Yield every request that a written page or style sheet would make, with its place."""
    for file in sorted(app.outdir.rglob("*")):
        if file.suffix in {".html", ".css", ".svg"}:
            name = file.relative_to(app.outdir)
            docname = name.with_suffix("").as_posix()
            for address in addresses(file):
                where = place(app, docname, address) if docname in app.env.found_docs else None
                yield f"{name} would load {address}, which is outside the site", where


def addresses(file: Path) -> Iterator[str]:
    """Yield the outside addresses that a browser loads for an HTML, SVG or CSS file."""
    text = file.read_text(encoding="utf-8")
    yield from _IN_CSS.findall(text)
    if file.suffix != ".css":
        parser = _Loads()
        parser.feed(text)
        yield from parser.addresses


class _Loads(HTMLParser):
    """Collects the addresses that a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        loaded = set(_LOADED)
        if tag == "link" and _LOADING_LINKS & set(named.get("rel", "").lower().split()):
            loaded.add("href")
        if tag in {"image", "use"}:
            loaded |= {"href", "xlink:href"}
        for name, value in named.items():
            if name in loaded:
                found = _CANDIDATE.findall(value) if name in _SETS else [value]
                self.addresses += [address for address in found if _OUTSIDE.match(address)]
