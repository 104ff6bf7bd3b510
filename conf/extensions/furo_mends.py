"""Mend what furo, MyST-NB and docutils leave undone for screen readers, as pages are written.

Each mend names the markup it is for. If that markup is no longer there, a new release has changed
it, and the build stops: the mend has to be looked at again, not lost in silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sphinx.errors import ThemeError
from sphinx.jinja2glue import BuiltinTemplateLoader

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.util.typing import ExtensionMetadata


@dataclass(frozen=True)
class Mend:
    """One replacement in a written page.

    Attributes:
        why: what a reader would miss without it.
        old: the markup as the theme writes it.
        new: the markup that replaces it.
        times: how often ``old`` stands in every page; None where only some pages have it.
    """

    why: str
    old: str
    new: str
    times: int | None = 1


MENDS = (
    Mend(
        "two unnamed side regions cannot be told apart",
        '<aside class="sidebar-drawer">',
        '<aside class="sidebar-drawer" aria-label="Site">',
    ),
    Mend(
        "two unnamed side regions cannot be told apart",
        '<aside class="toc-drawer',
        '<aside aria-label="This page" class="toc-drawer',
    ),
    Mend(
        "the page's tools stand outside every landmark",
        '<div class="content-icon-container">',
        '<div class="content-icon-container" role="region" aria-label="Page tools">',
    ),
    Mend(
        "the name of a button must hold the text on it",
        '<summary aria-label="Toggle hidden content">',
        "<summary>",
        times=None,
    ),
    *(
        Mend("a handle is no warning", old, new, times=None)
        for old, new in (
            ('<details class="admonition hide ', '<details class="hide '),
            ('<p class="collapsed admonition-title">', '<p class="collapsed">'),
            ('<p class="expanded admonition-title">', '<p class="expanded">'),
        )
    ),
    *(
        Mend("the empty corner of a table is no heading", corner, "<td></td>", times=None)
        for corner in ('<th class="head"><p></p></th>', '<th scope="col"></th>')
    ),
)


class MendedPages(BuiltinTemplateLoader):
    """Sphinx's own templates, with every page mended as it is rendered."""

    def render(self, template: str, context: dict[str, Any]) -> str:  # type: ignore[override]
        """Render a template; a page (what furo wraps in its layout) is mended."""
        page = super().render(template, context)
        return mended(page, context["pagename"]) if "<html" in page else page


def mended(page: str, pagename: str) -> str:
    """Return a page with every mend made.

    Raises:
        ThemeError: if markup that a mend is for is not in the page as often as it should be.
    """
    for mend in MENDS:
        found = page.count(mend.old)
        if mend.times not in (None, found):
            raise ThemeError(
                f"furo_mends: {pagename}: expected {mend.times} × {mend.old} and found {found}. "
                f"The theme has changed; look again at the mend for this: {mend.why}."
            )
        page = page.replace(mend.old, mend.new)
    return page


def setup(app: Sphinx) -> ExtensionMetadata:
    """Let every page be rendered by `MendedPages`."""
    app.connect("config-inited", use_mended_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def use_mended_pages(app: Sphinx, config: Config) -> None:
    """Set Sphinx's own option for the renderer of templates."""
    config.template_bridge = f"{__name__}.{MendedPages.__name__}"
