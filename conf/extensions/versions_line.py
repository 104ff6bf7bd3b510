"""Say at the end of every page which versions computed its outputs.

Pages run in the environment that builds them, so the versions installed in it are the versions
that ran.
"""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Hand the line to the page template, as ``versions_line``."""
    app.connect("html-page-context", add_line)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_line(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Put the line into the page's context."""
    context["versions_line"] = versions_line()


@cache
def versions_line() -> str:
    """Return the sentence that ends every page.

    Example:
        >>> versions_line().startswith("Outputs computed by torch ")
        True
    """
    return (
        f"Outputs computed by torch {version('torch')}, NumPy {version('numpy')}, "
        f"Python {platform.python_version()}."
    )
