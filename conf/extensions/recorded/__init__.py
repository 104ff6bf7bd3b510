"""What a sentence says of releases and of other texts is held to what is recorded of them.

``{recorded}`since torch 1.3.0 <a question of the history>` `` shows *since torch 1.3.0* if that is
the recorded span of the answer, and ``{quoted}`words <a stored text>` `` shows the words with a
link to that text if its excerpt holds them. Anything else is a warning with its page and line.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole
from sphinx.util.typing import ExtensionMetadata

from vtj_site.records.quotations import QuotationError, source_of
from vtj_site.records.releases import hold_to_the_record

logger = logging.getLogger(__name__)


class RecordedRole(ReferenceRole):
    """A span of releases."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the words, or what is wrong with them."""
        try:
            hold_to_the_record(self.title, self.target)
        except ValueError as error:
            logger.warning("%s", error, location=self.get_location(), type="recorded")
            return [], []
        return [nodes.inline("", self.title, recorded=True)], []


class QuotedRole(ReferenceRole):
    """The words of another text, with a link to it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the words and the link, or what is wrong with them."""
        try:
            address = source_of(self.title, self.target).address
        except QuotationError as error:
            logger.warning("%s", error, location=self.get_location(), type="recorded")
            return [], []
        link = nodes.reference("", self.target, refuri=address)
        quoted = nodes.inline("", f"“{self.title}” (", recorded=True)
        quoted += [link, nodes.Text(")")]
        return [quoted], []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register both roles."""
    app.add_role("recorded", RecordedRole())
    app.add_role("quoted", QuotedRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
