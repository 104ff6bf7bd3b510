"""Make the navigation of a site once, not once a page.

Furo has Sphinx resolve the whole table of contents for every page, and takes the result apart
again: time that grows with the square of the number of pages. Here that is done once, for no page
in particular. For each page the links are then made relative to it, and the way to it is marked as
Furo marks it. A test compares every page with Furo's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from furo.navigation import get_navigation_tree  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import global_toctree_for_doc
from sphinx.util.osutil import relative_uri
from sphinx.util.typing import ExtensionMetadata

_PART = re.compile(r"(</?ul[^>]*>|<li [^>]*>|</li>|<input [^>]*>|<a [^>]*>)")
_HREF = re.compile(r'(?<= href=")[^"]*')


@dataclass
class Navigation:
    """The navigation as it is on no page, with links from the root."""

    html: str

    @cached_property
    def parts(self) -> list[str]:
        """The tags of which some differ from page to page, and what stands between them."""
        return _PART.split(self.html)

    @cached_property
    def ways(self) -> dict[str, list[list[int]]]:
        """For each address, where the tags of the lists and entries stand that lead to it."""
        ways: dict[str, list[list[int]]] = {}
        way: list[int] = []
        for number, part in enumerate(self.parts):
            if part.startswith(("<ul", "<li")):
                way.append(number)
            elif part in {"</ul>", "</li>"}:
                way.pop()
            elif part.startswith("<a ") and (address := _HREF.search(part)):
                ways.setdefault(address[0], []).append([*way, number])
        return ways

    def on(self, address: str) -> str | None:
        """Return the navigation of a page; None if the page stands in it more than once.

        Args:
            address: the page's, from the root.
        """
        found = self.ways.get(address, [])
        if len(found) > 1:
            return None
        parts = [
            _HREF.sub(lambda href: relative(address, href[0]), part)
            if part.startswith("<a ") and "internal" in part
            else part
            for part in self.parts
        ]
        for way in found:
            for number, part in self.marked(way):
                parts[number] = part
        return "".join(parts)

    def marked(self, way: list[int]) -> Iterator[tuple[int, str]]:
        """Yield the tags on the way to a page as they are on that page, with their numbers.

        Args:
            way: the tags of its lists and entries, and its link.
        """
        *_, entry, link = way
        yield link, '<a class="current reference internal" href="#">'
        for number in way[:-1]:
            part = self.parts[number]
            if part.startswith("<ul"):
                yield number, '<ul class="current">'
                continue
            part = re.sub(r"(toctree-l\d+)", r"\1 current", part)
            yield number, part.replace('">', ' current-page">') if number == entry else part
            if "has-children" in part:  # then its checkbox is the next one
                box = next(n for n in range(number, len(self.parts)) if "<input" in self.parts[n])
                checked = self.parts[box].replace(' class="', ' checked="" class="')
                yield box, checked


def relative(base: str, address: str) -> str:
    """Return an address from the root as a link on a page, its anchor kept.

    Example:
        >>> relative("part/one.html", "two.html#here")
        '../two.html#here'
    """
    page, mark, anchor = address.partition("#")
    return relative_uri(base, page) + mark + anchor


def make(app: Sphinx, builder: Builder) -> None:
    """Make the navigation of this build.

    Args:
        app: the Sphinx application.
        builder: its builder.
    """
    navigations.clear()
    if isinstance(builder, StandaloneHTMLBuilder) and builder.config.html_theme == "furo":
        tree = global_toctree_for_doc(
            app.env, "", builder, tags=builder.tags, titles_only=True, maxdepth=-1
        )
        html = builder.render_partial(tree)["fragment"]
        navigations.append(Navigation(get_navigation_tree(html)))


navigations: list[Navigation] = []
"""The one of this build, if its theme is Furo."""


def spare(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Put this build's navigation in place of what Furo would make.

    Args:
        app: the Sphinx application.
        pagename: the page.
        templatename: its template.
        context: what the template is given.
        doctree: the page's content.
    """
    for navigation in navigations:
        made = navigation.on(app.builder.get_target_uri(pagename))
        if made is not None:
            context["toctree"], context["toctree_by_sphinx"] = _nothing, context["toctree"]
            context["navigation_made"] = made


def put(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Give the template what `spare` has kept, now that Furo has given it nothing.

    Args:
        app: the Sphinx application.
        pagename: the page.
        templatename: its template.
        context: what the template is given.
        doctree: the page's content.
    """
    if "navigation_made" in context:
        context["furo_navigation_tree"] = context.pop("navigation_made")
        context["toctree"] = context.pop("toctree_by_sphinx")


def _nothing(**_: object) -> str:
    return ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Stand before and after Furo's own handler."""
    app.connect("write-started", make)
    app.connect("html-page-context", spare, priority=400)
    app.connect("html-page-context", put, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
