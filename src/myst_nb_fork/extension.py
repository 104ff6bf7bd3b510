"""Reads Sphinx's events."""

import logging as standard_logging
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from myst_nb.core import execute
from myst_nb.core.execute.base import NotebookClientBase
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util import logging

from myst_nb_fork import books, warm
from myst_nb_fork.client import Build, PageClient, forecast
from myst_nb_fork.report import Report
from myst_nb_fork.scheduler import Scheduler
from myst_nb_fork.warm import Warm

logger = logging.getLogger(__name__)
# The names in `myst_nb.core.execute` under which MyST-NB looks up whom to ask for outputs.
REPLACED = ("NotebookClientInline", "NotebookClientDirect")


def setup(app: Sphinx, process: Warm | None) -> None:
    """Connect to Sphinx; without a warm process, say why all is left to kernels."""
    app.add_config_value("myst_nb_fork_depends", [], "env", list)
    app.add_config_value("myst_nb_fork_profile", "", "", str)
    if process is None:
        asked = app.config.myst_nb_fork_kernels
        why = "as myst_nb_fork_kernels says" if asked else "as only Linux can fork them"
        logger.info("myst_nb_fork: pages run in Jupyter kernels, %s", why)
        return
    events = Events(process)
    app.connect("builder-inited", events.prepare)
    app.connect("env-get-outdated", events.outdated)
    app.connect("env-before-read-docs", events.begin)
    # After all others: what they leave of the text is what MyST-NB parses.
    app.connect("source-read", events.read, priority=999)
    app.connect("env-purge-doc", events.purge)
    app.connect("env-merge-info", events.merge)
    app.connect("build-finished", events.conclude)


class Events:
    """What is done at each of Sphinx's events; what a build needs is made when it begins."""

    def __init__(self, process: Warm) -> None:
        self._process = process
        self._undo = ExitStack()
        self._undo.callback(warm.release, process)
        self._build: Build | None = None
        self._page = self._text = ""  # what Sphinx reads now

    def prepare(self, app: Sphinx) -> None:
        """Remember how Sphinx prints."""
        self._handlers = standard_logging.getLogger(logging.NAMESPACE).handlers[:]

    def outdated(self, app: Sphinx, env: Any, *_: object) -> set[str]:
        """The pages that must run again although their text is as it was."""
        self._digests = books.digests(app.config.myst_nb_fork_depends, Path(app.confdir))
        self._books = books.Books(env, self._digests)
        return self._books.outdated(env.found_docs)

    def begin(self, app: Sphinx, env: Any, pages: list[str]) -> None:
        """Start the pages that Sphinx is about to read."""
        if env.mystnb_config.execution_mode == "cache":
            logger.warning(
                "myst_nb_fork does not serve nb_execution_mode = 'cache', so the pages run in "
                "Jupyter kernels; it serves 'inline', 'force' and 'auto'",
                type="myst_nb_fork",
            )
        self._pages = tuple(pages)
        self._began = time.monotonic()
        scratch = self._undo.enter_context(tempfile.TemporaryDirectory(prefix="myst_nb_fork-"))
        # What Sphinx and its extensions set while they read is no page's business.
        environment = {"PYTHONHASHSEED": "0", **os.environ}
        # Where Sphinx reads in several processes, the main one has the warnings printed.
        handlers = self._handlers if app.parallel == 1 else []
        report = Report(Path(app.outdir, "reports"), handlers, self._certain(app))
        scheduler = Scheduler(self._process, report.arrived)
        self._undo.callback(scheduler.stop)
        watched = frozenset(self._digests)
        self._build = Build(scratch, environment, watched, scheduler, report, self._books)
        for name in REPLACED:
            stock = getattr(execute, name)
            self._undo.callback(setattr, execute, name, stock)
            setattr(execute, name, partial(self._client, stock))
        # Where Sphinx reads in several processes, each of them runs the pages that it reads.
        if app.parallel == 1:
            for page in pages:
                scheduler.add(page, partial(forecast, app, env, page))
            scheduler.look()
            # What waits for nothing is read first, while the warm process does its imports.
            pages.sort(key=scheduler.expects)

    def read(self, app: Sphinx, page: str, text: list[str]) -> None:
        """Remember what is being parsed; look after the pages that run."""
        self._page, self._text = page, text[0]
        if self._build is not None:
            self._build.scheduler.look()

    def purge(self, app: Sphinx, env: Any, page: str) -> None:
        """Forget a page."""
        books.records(env).pop(page, None)

    def merge(self, app: Sphinx, env: Any, pages: list[str], other: Any) -> None:
        """Take over what another process has read."""
        read = books.records(other)
        books.records(env).update({page: read[page] for page in pages if page in read})

    def conclude(self, app: Sphinx, error: Exception | None) -> None:
        """Undo all that was done, in the opposite order; say what took long."""
        self._undo.close()
        if self._build is None:
            return
        for line in self._books.slowest(self._pages):
            logger.info(line)
        if path := app.config.myst_nb_fork_profile or os.environ.get("MYST_NB_FORK_PROFILE"):
            self._books.write_profile(Path(path), self._pages, time.monotonic() - self._began)

    def _certain(self, app: Sphinx) -> bool:
        """Whether no other extension may change a page's text before it is parsed."""
        handlers = [listener.handler for listener in app.events.listeners["source-read"]]
        others = [handler for handler in handlers if handler != self.read]
        return all(handler.__module__.startswith("sphinx.") for handler in others)

    def _client(
        self,
        stock: Callable[..., NotebookClientBase],
        notebook: NotebookNode,
        *given: Any,
        **more: Any,
    ) -> NotebookClientBase:
        """Stands where MyST-NB has its own client, for all pages that a Python kernel would run.

        `more` is for MyST-NB 1.5, which hands its own clients a `kernel_manager_class`.
        """
        kernel = notebook.metadata.get("kernelspec", {}).get("name", "python3")
        if self._build is None or kernel != "python3":
            return stock(notebook, *given, **more)
        return PageClient(self._build, self._page, self._text, notebook, *given)
