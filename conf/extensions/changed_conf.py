"""A change of how the site is built has every page read, and so run, again.

Sphinx notices other values of its options, but not other code behind them. conf.py says which
files beside it count::

    changed_conf = ["conf.py", "extensions/**/*.py"]

Pages name a style sheet or a script with a digest of it, so that browsers load a new one: when one
has changed, every page is written again, but not read.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from myst_nb_fork.stale import digests


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make the files' digests values that all pages, or their HTML, depend on."""
    app.add_config_value("changed_conf", [], "")
    folder, static = Path(app.confdir), [f"{path}/**" for path in app.config.html_static_path]
    read = sorted(digests(app.config.changed_conf, folder).values())
    written = sorted(digests(static, folder).values())
    app.add_config_value("changed_conf_digests", read, "env")
    app.add_config_value("changed_static_digests", written, "html")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
