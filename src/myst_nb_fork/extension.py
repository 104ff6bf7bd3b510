"""The executor's connections to Sphinx."""

from __future__ import annotations

import logging as standard_logging
import os
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from myst_nb import core
from sphinx.util import logging

from myst_nb_fork import stale, warm
from myst_nb_fork.client import PageClient
from myst_nb_fork.forecast import forecast
from myst_nb_fork.messages import Job
from myst_nb_fork.record import PageRecord, record_of, slowest, write_profile
from myst_nb_fork.run import Run
from myst_nb_fork.runs import Runs
from myst_nb_fork.steps import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from myst_nb.core.config import NbParserConfig
    from myst_nb.core.execute.base import NotebookClientBase
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from myst_nb_fork.messages import Step

logger = logging.getLogger(__name__)
REPLACED = "NotebookClientInline"
"""The name in `myst_nb.core.execute` under which MyST-NB looks up whom to ask for outputs."""
METADATA: ExtensionMetadata = {"parallel_read_safe": True, "parallel_write_safe": True}


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect to Sphinx."""
    app.add_config_value("myst_nb_fork_depends", [], "env", list)
    app.add_config_value("myst_nb_fork_profile", "", "", str)
    # A new version of anything changes this value, and so makes Sphinx read all pages again.
    app.add_config_value("myst_nb_fork_installed", stale.installed(), "env", str)
    if app.config.myst_nb_fork_kernels:
        logger.info("myst_nb_fork: pages run in Jupyter kernels, as myst_nb_fork_kernels says")
        return METADATA
    if not warm.supported():
        logger.info("myst_nb_fork: pages run in Jupyter kernels, as only Linux can fork them")
        return METADATA
    executor = Executor(app)
    app.connect("builder-inited", executor.prepare)
    app.connect("env-get-outdated", executor.outdated)
    app.connect("env-before-read-docs", executor.begin)
    # After all others: what they leave of the text is what MyST-NB parses.
    app.connect("source-read", executor.read, priority=999)
    app.connect("env-purge-doc", executor.purge)
    app.connect("env-merge-info", executor.merge)
    app.connect("build-finished", executor.conclude)
    return METADATA


class Executor:
    """Runs the pages of a build."""

    def __init__(self, app: Sphinx) -> None:
        self._app = app
        self._env: Any = None
        self._stock: Callable[..., NotebookClientBase] = getattr(core.execute, REPLACED)
        self._digests: Mapping[str, str] = {}
        self._told: set[tuple[str, int]] = set()
        self.runs = Runs(self._observe)
        self.reading = ("", "")
        """The page that Sphinx is reading, and its text."""

    # Sphinx's events

    def prepare(self, app: Sphinx) -> None:
        """Remember how Sphinx prints."""
        self._handlers = standard_logging.getLogger(logging.NAMESPACE).handlers[:]

    def outdated(self, app: Sphinx, env: Any, *_: object) -> set[str]:
        """The pages that must run again although their text is as it was."""
        self._digests = stale.digests(app.config.myst_nb_fork_depends, Path(app.confdir))
        return stale.outdated(_records(env), self._digests)

    def begin(self, app: Sphinx, env: Any, pages: list[str]) -> None:
        """Start the pages that Sphinx is about to read."""
        self._env = env
        self._pages = tuple(pages)
        self._told.clear()
        self._began = time.monotonic()
        self._scratch = tempfile.TemporaryDirectory(prefix="myst_nb_fork-")
        # What Sphinx and its extensions set while they read is no page's business.
        self._environment = {"PYTHONHASHSEED": "0", **os.environ}
        # A failure is told as it happens, unless the page may not be what is parsed in the end.
        handlers = [listener.handler for listener in app.events.listeners["source-read"]]
        others = [handler for handler in handlers if handler != self.read]
        self._certain = all(handler.__module__.startswith("sphinx.") for handler in others)
        setattr(core.execute, REPLACED, self._client)
        # Where Sphinx reads in several processes, each of them runs the pages that it reads.
        if app.parallel == 1:
            for page in pages:
                self.runs.add(page, partial(forecast, app, env, page))
            self.runs.look()
            # What waits for nothing is read first, while the warm process does its imports.
            pages.sort(key=self.runs.expects)

    def read(self, app: Sphinx, page: str, text: list[str]) -> None:
        """Remember what is being parsed; look after the pages that run."""
        self.reading = (page, text[0])
        self.runs.look()

    def purge(self, app: Sphinx, env: Any, page: str) -> None:
        """Forget a page."""
        _records(env).pop(page, None)

    def merge(self, app: Sphinx, env: Any, pages: list[str], other: Any) -> None:
        """Take over what another process has read."""
        read = {page: _records(other)[page] for page in pages if page in _records(other)}
        _records(env).update(read)

    def conclude(self, app: Sphinx, error: Exception | None) -> None:
        """End all processes; say what took long."""
        self.runs.stop()
        warm.stop()
        setattr(core.execute, REPLACED, self._stock)
        if self._env is None:
            return
        self._scratch.cleanup()
        kept = _records(self._env)
        records = {page: kept[page] for page in self._pages if page in kept}
        for line in slowest(records):
            logger.info(line)
        if path := app.config.myst_nb_fork_profile or os.environ.get("MYST_NB_FORK_PROFILE"):
            write_profile(Path(path), records, time.monotonic() - self._began)

    # What the client asks for

    def _client(
        self, notebook: Any, path: Path | None, nb_config: NbParserConfig, log: Any
    ) -> NotebookClientBase:
        """Stands where MyST-NB has its own client, for all pages that a Python kernel would run."""
        if notebook.metadata.get("kernelspec", {}).get("name", "python3") != "python3":
            return self._stock(notebook, path, nb_config, log)
        return PageClient(notebook, path, nb_config, log, self)

    def job(self, folder: Path | None, steps: tuple[Step, ...]) -> Job:
        """How to run a page: in a folder, or in a new one."""
        return Job(
            folder=self._scratch.name if folder is None else str(folder),
            temporary=folder is None,
            environment=self._environment,
            steps=steps,
            watched=frozenset(self._digests),
        )

    def start(self, page: str, job: Job, nb_config: NbParserConfig) -> Run:
        """Run a page."""
        process = warm.start(self._app.config.myst_nb_fork_preload)
        return self.runs.watch(Run(process, page, job, nb_config))

    def tell(self, run: Run, number: int) -> None:
        """Report a step, if it failed, once."""
        step, result = run.steps[number], run.results[number]
        if not result.fails(step) or (run.page, number) in self._told:
            return
        self._told.add((run.page, number))
        line, text = failure(step, result, traceback=run.nb_config.execution_show_tb)
        where = (run.page, line) if line else run.page
        with self._at_once():
            logger.warning(text, location=where, type="myst_nb_fork")

    def finish(self, run: Run, *, failed: bool) -> float:
        """Wait for a page's end, and remember how it was; the seconds that its steps took."""
        self.runs.end(run)
        _records(self._env)[run.page] = record_of(run, self._digests, failed=failed)
        return sum(result.seconds for result in run.results)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Without the handler that keeps warnings back until Sphinx has read all pages."""
        sphinx = standard_logging.getLogger(logging.NAMESPACE)
        held = sphinx.handlers
        if self._app.parallel == 1:  # else it is the main process that has the warnings printed
            sphinx.handlers = self._handlers
        try:
            yield
        finally:
            sphinx.handlers = held

    def _observe(self, run: Run, new: range) -> None:
        if self._certain:
            for number in new:
                self.tell(run, number)
        if run.ended is not None:
            logger.info("%s: ran in %.2f s", run.page, run.ended.seconds)


def _records(env: Any) -> dict[str, PageRecord]:
    if not hasattr(env, "myst_nb_fork"):
        env.myst_nb_fork = {}
    records: dict[str, PageRecord] = env.myst_nb_fork
    return records
