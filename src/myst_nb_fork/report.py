"""Says what failed, where on which page, as soon as it is known."""

from __future__ import annotations

import logging as standard_logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sphinx.util import logging

from myst_nb_fork.messages import Error, Result, Step
from myst_nb_fork.run import Run

logger = logging.getLogger(__name__)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_LINES = 5  # of an error's message: some go on with a table of a hundred, for which there is a log


class Report:
    """What one build says of the pages that run."""

    def __init__(
        self, folder: Path, handlers: Sequence[standard_logging.Handler] | None, *, ahead: bool
    ) -> None:
        self._folder = folder  # for a log of each page that fails
        # What prints at once, where Sphinx holds warnings back until all is read.
        self._handlers = handlers
        self._ahead = ahead  # whether a failure can be told before anyone has asked for the step
        self._told: set[tuple[str, int]] = set()

    def arrived(self, run: Run, new: range) -> None:
        """Take note of new results, and of a run's end."""
        if self._ahead:
            for number in new:
                self.tell(run, number)
        if run.ended is not None:
            logger.info("%s: ran in %.2f s", run.page, run.ended.seconds)

    def tell(self, run: Run, number: int) -> None:
        """Report a step, if it failed, once."""
        step, result = run.steps[number], run.results[number]
        if not result.fails(step) or (run.page, number) in self._told:
            return
        self._told.add((run.page, number))
        log = self._log(run.page)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(whole(result.error) + "\n", encoding="utf-8")
        line, text = failure(step, result, log, traceback=run.nb_config.execution_show_tb)
        where = (run.page, line) if line else run.page
        with self._at_once():
            logger.warning("%s", text, location=where, type="myst_nb_fork")

    def passed(self, page: str) -> None:
        """Remove the log of an earlier failure."""
        self._log(page).unlink(missing_ok=True)

    def _log(self, page: str) -> Path:
        return self._folder / f"{page}.err.log"

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Without the handler that keeps warnings back until Sphinx has read all pages."""
        sphinx = standard_logging.getLogger(logging.NAMESPACE)
        held = sphinx.handlers
        if self._handlers is not None:
            sphinx.handlers = list(self._handlers)
        try:
            yield
        finally:
            sphinx.handlers = held


def whole(error: Error | None) -> str:
    """All that is known of an error: its traceback, which ends in its message, or that alone."""
    return _COLOR.sub("", "\n".join((error and error.traceback) or [str(error)]))


def failure(step: Step, result: Result, log: Path, *, traceback: bool) -> tuple[int | None, str]:
    """Where on the page a step failed, if that is known, and what there is to say about it."""
    assert result.error is not None
    code = step.source.splitlines()
    line = min(result.error.line or 1, len(code))
    message = str(result.error).splitlines()
    text = message[:_LINES]
    if len(message) > _LINES:
        text.append(f"    … and {len(message) - _LINES} lines more")
    place = f"{step.place}: " if step.cell and not step.line else ""
    text.append(f"    {place}{code[line - 1].strip()}")
    if traceback:
        text.append(whole(result.error))
    elif result.error.traceback or len(message) > _LINES:
        near = os.path.relpath(log)
        text.append(f"    all of it: {log if near.startswith('..') else near}")
    return step.line and step.line + line - 1, "\n".join(text)
