"""Keep the theme's templates compiled from one incremental build to the next.

Each build writes the index and the search page again, and compiles Furo's templates for them. Jinja
keeps what it has compiled under a digest of the template's text, so that none can go stale.
"""

from __future__ import annotations

from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.jinja2glue import BuiltinTemplateLoader
from sphinx.util.typing import ExtensionMetadata

FOLDER = "templates"
"""In the folder of the doctrees."""


def keep(app: Sphinx) -> None:
    """Give Jinja a folder to keep compiled templates in.

    Args:
        app: the Sphinx application, whose builder may use templates.
    """
    if isinstance(app.builder, StandaloneHTMLBuilder) and isinstance(
        app.builder.templates, BuiltinTemplateLoader
    ):
        folder = app.doctreedir / FOLDER
        folder.mkdir(exist_ok=True)
        app.builder.templates.environment.bytecode_cache = FileSystemBytecodeCache(str(folder))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Wait for the builder to have its templates."""
    app.connect("builder-inited", keep)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
