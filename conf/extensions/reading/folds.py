"""Fold the sections of a long page, so that its headings are a list and a click opens one.

The sections are named by page and by pattern; only those without sections of their own fold::

    folded_sections = {"faq": ["faq-*"], "explanation/history": ["every-question-*"]}

A link to a folded section, or into it, opens it (``fold.js``); on paper all are open.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import partial

from sphinx.errors import ConfigError

_SECTION = re.compile(
    r'<section id="(?P<id>[^"]*)">\n(?P<labels>(?:<span id="[^"]*"></span>)*)'
    r"(?P<heading><h(?P<level>\d)>(?:(?!</?section).)*?</h(?P=level)>)"
    r"(?P<rest>(?:(?!</?section).)*)</section>",
    re.DOTALL,
)


def folded(body: str, patterns: Iterable[str], page: str) -> str:
    r"""Return a page's body with the sections folded whose id matches one of the patterns.

    Raises:
        ConfigError: if a pattern names no section that can fold; it names the page.

    Example:
        >>> folded('<section id="a">\n<h2>A</h2>\nText.</section>', ["a"], "page").splitlines()[1]
        '<details class="fold"><summary><h2>A</h2></summary>'
    """
    for pattern in patterns:
        ids = [section["id"] for section in _SECTION.finditer(body)]
        if not any(fnmatch(name, pattern) for name in ids):
            raise ConfigError(
                f"folded_sections: {page} has no section {pattern!r} without sections in it; "
                f"there are {', '.join(ids)}"
            )
        body = _SECTION.sub(partial(_fold, pattern), body)
    return body


def _fold(pattern: str, section: re.Match[str]) -> str:
    if not fnmatch(section["id"], pattern):
        return section[0]
    return (
        f'<section id="{section["id"]}">\n{section["labels"]}<details class="fold">'
        f"<summary>{section['heading']}</summary>{section['rest']}</details></section>"
    )
