"""Run the cells of MyST-NB pages in forks of one process that has already done the imports.

A Sphinx extension; `README.md` says how to use it, and in what pages differ from a kernel's. The
modules, each of which imports only from those above it:

- `messages`: what the processes say to each other
- `family`, `files`, `capture`, `page`, `zygote`: the warm process, and the pages forked from it
- `warm`: starts the warm process, from Sphinx
- `steps`: what a page has to run, and where in the page it stands
- `outputs`: a kernel's messages as notebook outputs
- `run`: one page's process, as Sphinx sees it
- `scheduler`: all that run, ahead of the parser
- `report`: says what failed, and where
- `books`: what each page took and used, and so which must run again
- `client`: stands where MyST-NB has its own, and hands it the outputs; reads a page before it does
- `extension`: reads Sphinx's events
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__version__ = "0.1.0"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Start the imports, then connect to Sphinx."""
    from myst_nb_fork.warm import started

    app.add_config_value("myst_nb_fork_preload", [], "", list)
    app.add_config_value("myst_nb_fork_kernels", False, "", bool)
    process = None
    # Only Linux can both fork safely and take orphans in.
    if sys.platform == "linux" and not app.config.myst_nb_fork_kernels:
        process = started(app.config.myst_nb_fork_preload)

    # Not above: the warm process imports this package too, and has no use for Sphinx.
    from myst_nb_fork import extension

    extension.setup(app, process)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
