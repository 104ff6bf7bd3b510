"""Send a page only the style sheets and scripts that it uses.

sphinx-design's weigh more than most pages, and few pages use them. MyST-NB's are mostly 256 colors
for terminals; what its cells need stands in ``site.css``. The ``<span class="pre">`` around each
word of code is used by no style sheet of this site, and those around names, punctuation and white
space give them the color that code has anyway; they are a third of a page of answers.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

USED = {  # file: what the body of a page that uses it holds; None where no page does
    "mystnb.*.css": None,
    "sphinx-design.min.css": "sd-",
    "design-tabs.js": "sd-tab-",
    "clipboard.min.js": '<div class="highlight',
    "copybutton.js": '<div class="highlight',
    "copybutton.css": '<div class="highlight',
    "furo-extensions.css": "sd-",
    "figures.css": "vtj-figure",
    "tables.css": '<table class="vtj',
    "filter.js": "data-filter",
    "fold.js": '<details class="fold"',
}

_WORD = re.compile(r'<span class="(?:pre|n|p|w)">([^<]*)</span>')


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at each page after the extensions that add files to it."""
    app.connect("html-page-context", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lighten(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Leave out the files that the page does not use."""
    body = context["body"] = _WORD.sub(r"\1", context.get("body", ""))
    for kind in ("css_files", "script_files"):
        context[kind] = [file for file in context[kind] if used(str(file.filename), body)]


def used(filename: str, body: str) -> bool:
    """Say whether a page uses a file.

    Example:
        >>> used("_static/furo.css", ""), used("_static/design-tabs.js", "<p>text</p>")
        (True, False)
    """
    name = filename.rpartition("/")[2]
    for pattern, mark in USED.items():
        if fnmatch(name, pattern):
            return mark is not None and mark in body
    return True
