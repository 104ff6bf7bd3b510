"""Gates: what refuses a page. The build then fails and names the page, the line and the reason.

Each rule is a file of its own with a function `complaints`. To add one, write that file, add it to
`RULES` below, and put a page that it must refuse into `tests/broken/pages`.
"""

from collections.abc import Iterator
from typing import Protocol

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from gates import (
    confirmed_sections,
    expected_errors,
    labeled_pictures,
    pictures_read_back,
    self_contained,
    stray_warnings,
    typed_numbers,
)
from gates.page import Complaint, Page, page_of

logger = logging.getLogger(__name__)


class Rule(Protocol):
    """One rule: a module."""

    __name__: str

    def complaints(self, page: Page, /) -> Iterator[Complaint]:
        """Yield what the rule has to say against a page that was read, each with its line."""


RULES: tuple[Rule, ...] = (
    expected_errors,
    confirmed_sections,
    typed_numbers,
    stray_warnings,
    labeled_pictures,
    pictures_read_back,
)
"""In this order they look at each page, right after it was read, which is when it has run."""


def look(app: Sphinx, doctree: nodes.document) -> None:
    """Read a page once, have all rules look at it, and warn of what they say."""
    page = page_of(app, doctree)
    for rule in RULES:
        name = rule.__name__.rpartition(".")[2]
        for line, message in rule.complaints(page):
            logger.warning("%s", message, location=(page.docname, line), type="gates", subtype=name)
    expected_errors.show_compared(page)


def look_at_files(app: Sphinx, error: Exception | None) -> None:
    """Warn of every written file that would load anything from outside the site."""
    for message, place in self_contained.requests(app):
        logger.warning("%s", message, location=place, type="gates", subtype="self_contained")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the rules' options, and the moments at which they look."""
    app.add_config_value("confirmed_sections_pages", [], "env")
    app.add_config_value("confirmed_sections_oracle", "", "env")
    app.connect("doctree-read", look)
    app.connect("build-finished", look_at_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
