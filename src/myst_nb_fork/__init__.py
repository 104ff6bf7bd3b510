"""Run the cells of MyST-NB pages in forks of one process that has already done the imports.

A Sphinx extension. List it before `myst_nb`, so that the imports of the pages are under way
while Sphinx does its own::

    extensions = ["myst_nb_fork", "myst_nb"]
    nb_execution_mode = "inline"
    myst_nb_fork_preload = ["torch", "numpy"]      # what most pages import first
    myst_nb_fork_depends = ["../src/**/*.py"]      # from conf.py's folder

It runs the pages that MyST-NB would give to a Python kernel in the mode `inline`; all others
stay with MyST-NB, and so do all of them where a process cannot be forked. What a page shows is
the same either way, but for the state of Jupyter widgets, which is not kept. The modules:

- `warm`: starts the warm process, from Sphinx
- `zygote`: is the warm process; forks one process a page, leaves none behind
- `family`: what it does to that end
- `page`: runs one page's cells, in its process
- `capture`: what it writes and shows, in order
- `files`: which files it uses
- `messages`: what the two sides say to each other
- `run`: one page's process, as Sphinx sees it
- `runs`: all that run, ahead of the parser
- `steps`: what a page has to run, and where in the page it stands
- `forecast`: reads a page before the parser does
- `client`: stands where MyST-NB has its own, and hands it the outputs
- `outputs`: a kernel's messages as notebook outputs
- `stale`: which pages an incremental build must run again
- `record`: the slowest pages and cells, the profile
- `lean`: keeps MyST-NB from importing what all this replaces
- `extension`: connects it with Sphinx
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Start the imports, then connect to Sphinx."""
    from myst_nb_fork import lean, warm

    app.add_config_value("myst_nb_fork_preload", [], "", list)
    app.add_config_value("myst_nb_fork_kernels", False, "", bool)
    if warm.supported() and not app.config.myst_nb_fork_kernels:
        warm.start(app.config.myst_nb_fork_preload)
        lean.import_myst_nb()

    # Not above: the warm process imports this package too, and has no use for Sphinx.
    from myst_nb_fork import extension

    return extension.setup(app)
