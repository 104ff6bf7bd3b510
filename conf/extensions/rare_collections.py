"""Have Python's garbage collector run rarely while Sphinx builds, and not when it ends.

Doctrees and imported packages are millions of objects that live as long as the build does. By
default each of many collections walks through them in vain, and one more does when Python ends.
"""

from __future__ import annotations

import atexit
import gc

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

THRESHOLDS = (50_000, 20, 100)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Set the collector's thresholds; when Python ends, leave it nothing to walk through."""
    gc.set_threshold(*THRESHOLDS)
    atexit.register(gc.freeze)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
