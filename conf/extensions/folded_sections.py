"""Fold the sections of a long page, so that its headings are a list and a click opens one.

The sections are named by page and by pattern; only those without sections of their own fold::

    folded_sections = {"faq": ["faq-*"], "explanation/history": ["every-question-*"]}

A link to a folded section, or into it, opens it (``fold.js``); on paper all are open.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from sphinx.errors import ConfigError

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

_SECTION = re.compile(
    r'<section id="(?P<id>[^"]*)">\n(?P<labels>(?:<span id="[^"]*"></span>)*)'
    r"(?P<heading><h(?P<level>\d)>.*?</h(?P=level)>)(?P<rest>(?:(?!</?section).)*)</section>",
    re.DOTALL,
)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fold a page after the extensions that look for text in it."""
    app.add_config_value("folded_sections", {}, "html")
    app.connect("html-page-context", fold, priority=850)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fold(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Fold what conf.py names of a page.

    Raises:
        ConfigError: if a pattern names no section of the page that can fold.
    """
    for pattern in app.config.folded_sections.get(pagename, []):
        context["body"], number = folded(context["body"], pattern)
        if not number:
            raise ConfigError(
                f"folded_sections: {pagename} has no section {pattern!r} without sections in it"
            )


def folded(body: str, pattern: str) -> tuple[str, int]:
    r"""Return a page's body with the sections folded whose id matches, and how many do.

    Example:
        >>> body, number = folded('<section id="a">\n<h2>A</h2>\nText.</section>', "a")
        >>> body.splitlines()[1]
        '<details class="fold"><summary><h2>A</h2></summary>'
    """
    number = 0

    def one(section: re.Match[str]) -> str:
        nonlocal number
        if not fnmatch(section["id"], pattern):
            return section[0]
        number += 1
        return (
            f'<section id="{section["id"]}">\n{section["labels"]}<details class="fold">'
            f"<summary>{section['heading']}</summary>{section['rest']}</details></section>"
        )

    return _SECTION.sub(one, body), number
