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

from vtj_site.records.quotations import address_of
from vtj_site.records.releases import hold_to_the_record

logger = logging.getLogger(__name__)


class RecordRole(ReferenceRole):
    """Words, and what they are held to: the question of a span, or the name of a stored text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the words, as what is recorded; nothing if they are not."""
        shown: list[nodes.Node] = [nodes.Text(self.title)]
        try:
            if self.name == "recorded":
                hold_to_the_record(self.title, self.target)
            else:
                link = nodes.reference("", self.target, refuri=address_of(self.title, self.target))
                shown = [nodes.Text(f"“{self.title}” ("), link, nodes.Text(")")]
        except ValueError as error:
            logger.warning("%s", error, location=self.get_location(), type="recorded")
            return [], []
        return [nodes.inline("", "", *shown, recorded=True)], []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register both roles."""
    app.add_role("recorded", RecordRole())
    app.add_role("quoted", RecordRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
