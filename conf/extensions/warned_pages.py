"""A page that warned is read, and so run, again by the next incremental build.

Sphinx keeps what it read from a page even when reading it logged a warning, so that a second build
would pass over a fault that the first one reported.
"""

from __future__ import annotations

import logging
import re

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

PAGE = re.compile(r".*\.md")


class Warned(logging.Filter):
    """Note the page of every warning, and let each pass.

    Args:
        app: the Sphinx application whose environment keeps the names.
    """

    def __init__(self, app: Sphinx) -> None:
        super().__init__()
        self.app = app

    def filter(self, record: logging.LogRecord) -> bool:
        """Note the page that a warning was logged for."""
        if record.levelno >= logging.WARNING and (docname := self.docname(record)):
            noted(self.app.env).add(docname)
        return True

    def docname(self, record: logging.LogRecord) -> str | None:
        """Return the page of a record: Sphinx writes `path:line`, or `path` alone."""
        found = PAGE.match(str(getattr(record, "location", None)))
        return self.app.env.path2doc(found[0]) if found else None


def noted(env: BuildEnvironment) -> set[str]:
    """Return the names of the pages that warned, kept with the environment."""
    if not hasattr(env, "warned_pages"):
        env.warned_pages = set()  # type: ignore[attr-defined]
    return env.warned_pages  # type: ignore[attr-defined,no-any-return]


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages that warned in the last build, and forget them."""
    again = sorted(noted(env) & env.found_docs)
    noted(env).clear()
    return again


def listen(app: Sphinx) -> None:
    """Look at the warnings of this build before Sphinx's own handlers do."""
    for handler in logging.getLogger("sphinx").handlers:
        handler.addFilter(Warned(app))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the listener and the list of pages to read again."""
    app.connect("builder-inited", listen)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
