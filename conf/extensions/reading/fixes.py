"""Fix what Furo, MyST-NB and docutils leave undone for screen readers."""

from typing import NamedTuple

from sphinx.errors import ThemeError


class Fix(NamedTuple):
    """One replacement."""

    why: str  # what a reader would miss without it
    old: str
    new: str


IN_A_BODY = (
    Fix(
        "the name of a button must hold the text on it",
        '<summary aria-label="Toggle hidden content">',
        "<summary>",
    ),
    Fix("a handle is no warning", '<details class="admonition hide ', '<details class="hide '),
    Fix("a handle is no warning", ' class="collapsed admonition-title">', ' class="collapsed">'),
    Fix("a handle is no warning", ' class="expanded admonition-title">', ' class="expanded">'),
    Fix("an empty corner is no heading", '<th class="head"><p></p></th>', "<td></td>"),
    Fix("an empty corner is no heading", '<th scope="col"></th>', "<td></td>"),
)
"""What some pages hold, as MyST-NB and docutils write it."""

IN_THE_LAYOUT = (
    Fix(
        "two unnamed side regions cannot be told apart",
        '<aside class="sidebar-drawer">',
        '<aside class="sidebar-drawer" aria-label="Site">',
    ),
    Fix(
        "two unnamed side regions cannot be told apart",
        '<aside class="toc-drawer',
        '<aside aria-label="This page" class="toc-drawer',
    ),
    Fix(
        "the page's tools stand outside every landmark",
        '<div class="content-icon-container">',
        '<div class="content-icon-container" role="region" aria-label="Page tools">',
    ),
)
"""What every page holds once, as Furo writes it."""


def fixed(body: str) -> str:
    """Return the body of a page with every fix made that it needs."""
    for fix in IN_A_BODY:
        body = body.replace(fix.old, fix.new)
    return body


def fixed_layout(page: str, pagename: str) -> str:
    """Return a page in Furo's layout with the layout's fixes made.

    Raises:
        ThemeError: if the layout has changed, so that a fix would be lost in silence.
    """
    for fix in IN_THE_LAYOUT:
        if (found := page.count(fix.old)) != 1:
            raise ThemeError(
                f"reading.fixes: {pagename}: expected 1 × {fix.old} and found {found}. "
                f"The theme has changed; look again at the fix for this: {fix.why}."
            )
        page = page.replace(fix.old, fix.new)
    return page
