"""The list of all statements of the site, and what each rests on; how many rest on nothing."""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from statements import marks
from vtj_site.markup import TableRow, table
from vtj_site.statements.pages import Judged
from vtj_site.statements.sentences import HOW

LISTS = "lists_statements"
SHOWN = re.compile(r'(<span class="row">[^<]+):</span><code class="row">.*?</code>', re.DOTALL)
"""A caption, and code."""
COUNTED = "counted_statements"
"""Under this name Sphinx keeps how many statements of a page are checked, and how."""


class listing(nodes.General, nodes.Element):  # noqa: N801 -- docutils names nodes so
    """Where the list stands, until all is judged."""


class counting(nodes.General, nodes.Element):  # noqa: N801 -- docutils names nodes so
    """Where the counts stand, until all pages are read."""


class CountOfStatements(SphinxDirective):
    """How many statements of each page are checked, and how."""

    def run(self) -> list[nodes.Node]:
        """Mark its place; the page is written anew with every build that reads a page."""
        self.env.metadata[self.env.docname][LISTS] = True
        return [counting()]


class ListOfStatements(SphinxDirective):
    """The list."""

    def run(self) -> list[nodes.Node]:
        """Mark its place; the page is written anew with every build that reads a page."""
        self.env.metadata[self.env.docname][LISTS] = True
        return [listing()]


def show(
    app: Sphinx, doctree: nodes.document, docname: str, judged: dict[str, list[Judged]]
) -> None:
    """Replace the places by the list and by the counts."""
    for place in list(doctree.findall(counting)):
        place.replace_self(nodes.raw("", counts(app, docname), format="html"))
    for node in list(doctree.findall(listing)):
        rows, first = [], dict[str, str]()
        for page, found in judged.items():
            for number, mark in enumerate(found):
                there = app.builder.get_relative_uri(docname, page)
                title = escape(app.env.titles[page].astext())
                here = marks.anchor(page, number)
                grounds = once(marks.grounds(mark), here, first)
                rows.append(
                    f'<li id="{here}"><a href="{there}">{title}</a>: '
                    f"{sentence(mark)}<details><summary>{escape(mark.count)}</summary>"
                    f'<span class="rests-on">{grounds}</span></details></li>'
                )
        node.replace_self(
            nodes.raw("", f'<ul class="statements">{"".join(rows)}</ul>', format="html")
        )


def once(grounds: str, here: str, first: dict[str, str]) -> str:
    """Return what a word rests on; code that the list has already becomes a link to its place.

    Some predicates decide dozens of words: with their code each time the page weighed 300 kB.

    Examples:
        >>> code = '<span class="row">What decides:</span><code class="row">x</code>'
        >>> seen = {}
        >>> once(code, "a-0", seen) == code
        True
        >>> once(code, "a-1", seen)
        '<span class="row">What decides: <a href="#a-0">the same as here</a>.</span>'
    """

    def told(found: re.Match[str]) -> str:
        place = first.setdefault(found[0], here)
        link = f'{found[1]}: <a href="#{place}">the same as here</a>.</span>'
        return found[0] if place == here else link

    return SHOWN.sub(told, grounds)


def counts(app: Sphinx, docname: str) -> str:
    """Return how many statements are checked in which way: of the site, and folded of each page."""
    total, pages = dict.fromkeys(HOW, 0), list[TableRow]()
    for page in sorted(app.env.found_docs):
        found: dict[str, int] = app.env.metadata[page][COUNTED]
        there = app.builder.get_relative_uri(docname, page)
        title = escape(app.env.titles[page].astext())
        pages.append(row(f'<a href="{there}">{title}</a>', found))
        total = {how: total[how] + found[how] for how in HOW}
    ways = [TableRow((how, f"{number:,}")) for how, number in total.items()]
    ways.append(TableRow(("together", f"{sum(total.values()):,}")))
    site = table("Statements of the site", ("checked", "how many"), ways)
    each = table("Statements of each page", ("page", "statements", *HOW), pages)
    return f'{site}<details class="counted"><summary>Page by page</summary>{each}</details>'


def row(page: str, found: dict[str, int]) -> TableRow:
    """Return the row of a page."""
    return TableRow((page, *(f"{number:,}" for number in (sum(found.values()), *found.values()))))


def sentence(mark: Judged) -> str:
    """Return a sentence as HTML.

    Examples:
        >>> sentence(Judged(1, "never", "`y` is *never* > 1.", "", "", "", ""))
        '<code>y</code> is <em>never</em> &gt; 1.'
    """
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(mark.sentence))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", code)
