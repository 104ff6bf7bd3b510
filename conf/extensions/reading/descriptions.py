"""Give every page a description, which search engines and link previews show.

It is the page's first paragraph or, where that is a formula, its title. A page says it better
itself with ``description`` in its front matter (``html_meta``); then that stands.
"""

import re
from html import escape, unescape
from textwrap import shorten
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LENGTH = 160  # what search engines show
GENERATED = {
    "genindex": "Index",
    "py-modindex": "Python modules",
    "search": "Search",
    "404": "No such page",
}


def describe(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the description to the page's head, unless the page brings its own.

    sphinxext-opengraph looks for it there, so this comes before it.
    """
    metatags = context.get("metatags", "")
    text = own_description(doctree) if doctree else ""
    if not text:
        text = first_paragraph(doctree) if doctree else ""
        title = context.get("title", GENERATED.get(pagename, pagename))
        text = text or unescape(re.sub(r"<[^>]*>", "", f"{title} – {app.config.html_title}"))
        context["metatags"] = f'{metatags}\n<meta name="description" content="{escape(text)}">'
    # For link previews, which would else show the first words, TeX and all.
    context["meta"] = {**(context.get("meta") or {}), "og:description": text}


def own_description(doctree: nodes.document) -> str:
    """Return the description that a page gives itself, or nothing."""
    for meta in doctree.findall(nodes.meta):
        if meta.get("name") == "description":
            return unescape(str(meta["content"]))
    return ""


def first_paragraph(doctree: nodes.document) -> str:
    """Return the first paragraph under the page's title that has no formula, cut at a word."""
    section = next(doctree.findall(nodes.section), nodes.section())
    for child in section.children:
        if isinstance(child, nodes.paragraph) and not any(child.findall(nodes.math)):
            return shorten(child.astext(), LENGTH, placeholder=" …")
    return ""
