"""The list of all statements of the site, and what each rests on."""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from statements import marks
from vtj_site.statements.pages import Judged

LISTS = "lists_statements"


class listing(nodes.General, nodes.Element):  # noqa: N801 -- docutils names nodes so
    """Where the list stands, until all is judged."""


class ListOfStatements(SphinxDirective):
    """The list."""

    def run(self) -> list[nodes.Node]:
        """Mark its place; the page is written anew with every build that reads a page."""
        self.env.metadata[self.env.docname][LISTS] = True
        return [listing()]


def show(
    app: Sphinx, doctree: nodes.document, docname: str, judged: dict[str, list[Judged]]
) -> None:
    """Replace the place by the list."""
    for node in list(doctree.findall(listing)):
        rows = []
        for page, found in judged.items():
            for number, mark in enumerate(found):
                there = app.builder.get_relative_uri(docname, page)
                title = escape(app.env.titles[page].astext())
                rows.append(
                    f'<li id="{marks.anchor(page, number)}"><a href="{there}">{title}</a>: '
                    f"{sentence(mark)}<details><summary>{escape(mark.count)}</summary>"
                    f'<span class="rests-on">{marks.grounds(mark)}</span></details></li>'
                )
        node.replace_self(
            nodes.raw("", f'<ul class="statements">{"".join(rows)}</ul>', format="html")
        )


def sentence(mark: Judged) -> str:
    """Return a sentence as HTML.

    Examples:
        >>> sentence(Judged(1, "never", "`y` is *never* > 1.", "", "", "", ""))
        '<code>y</code> is <em>never</em> &gt; 1.'
    """
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(mark.sentence))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", code)
