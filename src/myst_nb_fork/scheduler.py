"""The pages of this build: run ahead of the parser, looked after while it works."""

import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import wait

from myst_nb.core.config import NbParserConfig

from myst_nb_fork.messages import Job, Result
from myst_nb_fork.run import Run
from myst_nb_fork.warm import Warm

_AHEAD = 32  # pages in the hands of the warm process: keeps it busy, and costs few descriptors


class Scheduler:
    """Starts pages before they are asked for, and takes in what comes from all that run."""

    def __init__(self, process: Warm, observe: Callable[[Run, range], None]) -> None:
        self._process = process
        self._observe = observe  # is told when a run has new results, or is over
        self._waiting: dict[str, Callable[[], tuple[Job, NbParserConfig] | None]] = {}
        self._ahead: dict[str, Run] = {}
        self._running: dict[Run, int] = {}

    def add(self, page: str, forecast: Callable[[], tuple[Job, NbParserConfig] | None]) -> None:
        """Have a page run when there is room; `forecast` gives None where nothing is to run."""
        self._waiting[page] = forecast

    def expects(self, page: str) -> bool:
        """Whether a page has been started, or may yet be."""
        return page in self._waiting or page in self._ahead

    def take(self, page: str, like: Job) -> Run | None:
        """The run of a page that was added, once; None if there is none, or not with such a job."""
        self._waiting.pop(page, None)
        run = self._ahead.pop(page, None)
        if run is not None and replace(run.job, steps=()) != like:
            self.drop(run)
            return None
        return run

    def start(self, page: str, job: Job, nb_config: NbParserConfig) -> Run:
        """Run a page."""
        run = Run(self._process, page, job, nb_config)
        self._running[run] = 0
        return run

    def drop(self, run: Run) -> None:
        """End a run that nobody needs."""
        run.stop()
        self._running.pop(run, None)

    def result(self, run: Run, step: int) -> Result:
        """Wait for the result of a run's step."""
        while len(run.results) <= step:
            self.look(block=True)
        return run.results[step]

    def end(self, run: Run) -> None:
        """Wait for the end of a run that has no more steps."""
        run.finish()
        while not run.over:
            self.look(block=True)

    def look(self, *, block: bool = False) -> None:
        """Take in what has come, if need be what comes next; start what there is room for."""
        while self._waiting and len(self._running) < _AHEAD:
            page = next(iter(self._waiting))
            expected = self._waiting.pop(page)()
            if expected is not None:
                self._ahead[page] = self.start(page, *expected)
        while self._receive(block):
            block = False

    def stop(self) -> None:
        """End all that runs."""
        self._waiting.clear()
        self._ahead.clear()
        for run in self._running:
            run.stop()
        self._running.clear()

    def _receive(self, block: bool) -> bool:
        now = time.monotonic()
        deadlines = [run.deadline - now for run in self._running if run.deadline is not None]
        patience = max(0, min(deadlines)) if deadlines else None
        ready = wait([run.connection for run in self._running], patience if block else 0)
        now = time.monotonic()
        for run, known in list(self._running.items()):
            if run.connection in ready:
                run.receive()
            elif run.deadline is not None and run.deadline < now:
                run.time_out()
            new = range(known, len(run.results))
            self._running[run] = new.stop
            if new or run.over:
                self._observe(run, new)
            if run.over:
                del self._running[run]
        return bool(ready)
