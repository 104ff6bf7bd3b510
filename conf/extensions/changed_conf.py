"""A change of how the site is built has every page read, and so run, again.

Sphinx notices other values of its options, but not other code behind them. conf.py says which
files beside it count::

    changed_conf = ["conf.py", "extensions/**/*.py"]
"""

from __future__ import annotations

from pathlib import Path

from page_executor.stale import digests
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make the files' digests a value that all pages depend on."""
    app.add_config_value("changed_conf", [], "env", types=frozenset({list}))
    found = digests(app.config.changed_conf, Path(app.confdir))
    app.add_config_value("changed_conf_digests", sorted(found.values()), "env")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
