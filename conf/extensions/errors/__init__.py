"""From an error message to the place on the site that explains it: the box."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from errors import box


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect it."""
    box.connect(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 4}
