"""Which style sheets and scripts a page uses: it is sent no others.

sphinx-design's weigh more than most pages, and few pages use them. MyST-NB's are mostly 256 colors
for terminals; what its cells need stands in ``site.css``.
"""

from fnmatch import fnmatch

USED = {  # file: what the body of a page that uses it holds; None where no page does
    "mystnb.*.css": None,
    "sphinx-design.min.css": "sd-",
    "design-tabs.js": "sd-tab-",
    "clipboard.min.js": '<div class="highlight',
    "copybutton.js": '<div class="highlight',
    "copybutton.css": '<div class="highlight',
    "furo-extensions.css": "sd-",
    "figures.css": "vtj-figure",
    "statements.css": "rests-on",
    "tables.css": '<table class="vtj',
    "filter.js": "data-filter",
    "sphinx_highlight.js": None,  # found.js marks what the search found
    "front.css": 'class="vtj-motif"',
    "fold.js": '<details class="fold"',
}


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
