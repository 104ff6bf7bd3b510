"""What a sentence says of releases and of other texts is held to what is recorded of them.

``{recorded}`since torch 1.3.0 <a question of the history>` `` shows *since torch 1.3.0* if that is
the recorded span of the answer, and leads to the row of that question. An operation of the record
of gradients, as in ``<x.clamp(0,1)>``, leads to its row there; its words are *between torch 2.8.0
and 2.10.0* where none of the releases in between was run. ``{quoted}`words <a stored
text>` `` shows the words with a link to that text if its excerpt holds them. Anything else is a
warning with its page and line.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import ExtensionMetadata

from vtj_site.outcomes.gradients import operations
from vtj_site.records.differences import row_of
from vtj_site.records.quotations import address_of
from vtj_site.records.releases import hold_to_the_record

logger = logging.getLogger(__name__)

HISTORY = "explanation/history"
CHANGES = {"1": "explanation/changes-torch-1", "2": "explanation/changes"}  # by series of releases
CODES = {code for _, code in operations()}
ROW = "table-4-"
"""How the ids begin that rows of that page's last table of answers have: it holds every change."""


class RecordRole(ReferenceRole):
    """Words, and what they are held to: the question of a span, or the name of a stored text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the words, as what is recorded; nothing if they are not."""
        shown: list[nodes.Node] = [nodes.Text(self.title)]
        try:
            if self.name == "recorded":
                page, row = held(self.title, self.target)
                asked = {"refdoc": self.env.docname, "reftype": "recorded", "reftarget": row}
                if page in self.env.found_docs:
                    shown = [pending_xref("", *shown, **asked, recorded=page)]
            else:
                link = nodes.reference("", self.target, refuri=address_of(self.title, self.target))
                shown = [nodes.Text(f"“{self.title}” ("), link, nodes.Text(")")]
        except ValueError as error:
            logger.warning("%s", error, location=self.get_location(), type="recorded")
            return [], []
        return [nodes.inline("", "", *shown, recorded=True)], []


def held(words: str, asked: str) -> tuple[str, str]:
    """Hold words to what is recorded of a question or an operation; return its page and row."""
    if asked in CODES:
        row = row_of(words, asked)
        return CHANGES[words.split()[-1].partition(".")[0]], row
    hold_to_the_record(words, asked)
    return HISTORY, ROW + nodes.make_id(asked)


def to_its_row(
    app: Sphinx, _: BuildEnvironment, node: pending_xref, words: nodes.Element
) -> nodes.reference | None:
    """Lead from words about releases to the row of the history that they are held to."""
    if node["reftype"] != "recorded":
        return None
    page, row = node["recorded"], node["reftarget"]
    return make_refnode(app.builder, node["refdoc"], page, row, words)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register both roles."""
    app.add_role("recorded", RecordRole())
    app.add_role("quoted", RecordRole())
    app.connect("missing-reference", to_its_row)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
