"""Fold the sections of a long page, so that its headings are a list and a click opens one.

The sections are named by page and by pattern; only those without sections of their own fold::

    folded_sections = {"faq": ["faq-*"], "explanation/history": ["every-question-*"]}

A link to a folded section, or into it, opens it (``fold.js``); on paper all are open.

A cell that proves what others computed, and does nothing else, is one line: its code goes into
the fold of the report that it prints.
"""

import ast
import html
import re
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import partial

from sphinx.util.logging import getLogger

logger = getLogger(__name__)

_SECTION = re.compile(
    r'<section id="(?P<id>[^"]*)">\n(?P<labels>(?:<span id="[^"]*"></span>)*)'
    r"(?P<heading><h(?P<level>\d)>(?:(?!</?section).)*?</h(?P=level)>)"
    r"(?P<rest>(?:(?!</?section).)*)</section>",
    re.DOTALL,
)

_CELL = re.compile(
    r'(?P<start><div class="cell docutils container">\n)'
    r'(?P<code><div class="cell_input docutils container">\n'
    r'<div class="highlight-\w+ notranslate"><div class="highlight"><pre>'
    r"(?:(?!</pre>).)*</pre></div>\n</div>\n</div>\n)"
    r'(?P<report><div class="cell_output docutils container">\n'
    r'<div class="output text_html"><details class="vtj">\n<summary>[^<]*</summary>\n)',
    re.DOTALL,
)


def folded(body: str, patterns: Iterable[str], page: str) -> str:
    r"""Return a page's body with the sections folded whose id matches one of the patterns.

    A pattern that names no section is a warning with the page.

    Example:
        >>> folded('<section id="a">\n<h2>A</h2>\nText.</section>', ["a"], "page").splitlines()[1]
        '<details class="fold"><summary><h2>A</h2></summary>'
    """
    for pattern in patterns:
        ids = [section["id"] for section in _SECTION.finditer(body)]
        if not any(fnmatch(name, pattern) for name in ids):
            logger.warning(
                "no section here is labeled (%s)= and has no sections in it, so none folds: write "
                "one, or leave the page out of folded_sections in conf.py; there are %s",
                pattern, ", ".join(ids), location=page, type="folds",
            )  # fmt: skip
        body = _SECTION.sub(partial(_fold, pattern), body)
    return body


def _fold(pattern: str, section: re.Match[str]) -> str:
    if not fnmatch(section["id"], pattern):
        return section[0]
    return (
        f'<section id="{section["id"]}">\n{section["labels"]}<details class="fold">'
        f"<summary>{section['heading']}</summary>{section['rest']}</details></section>"
    )


def proofs_in_one_line(body: str) -> str:
    """Return a page's body with the code of its proofs inside the folds of their reports."""
    return _CELL.sub(_move, body)


def _move(cell: re.Match[str]) -> str:
    code = html.unescape(re.sub(r"<[^>]*>", "", cell["code"]))
    return "".join(cell.group("start", "report", "code")) if proves(code) else cell[0]


def proves(code: str) -> bool:
    r"""Say whether a cell imports and calls `confirm`, and does nothing else.

    Example:
        >>> proves("from a import b\n\nb().confirm(y=y)"), proves("z = b().confirm(y=y)")
        (True, False)
    """
    imports = ast.Import | ast.ImportFrom
    lines = [line for line in ast.parse(code).body if not isinstance(line, imports)]
    return bool(lines) and all(
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Call)
        and getattr(line.value.func, "attr", "") == "confirm"
        for line in lines
    )
