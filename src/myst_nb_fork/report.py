"""Says what failed, where on which page, as soon as it is known."""

import logging as standard_logging
import os
import re
from pathlib import Path

from sphinx.util import logging

from myst_nb_fork.messages import Error, Result, Step
from myst_nb_fork.run import Run

logger = logging.getLogger(__name__)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_LINES = 5  # of an error's message: some go on with a table of a hundred, for which there is a log


class Report:
    """What one build says of the pages that run."""

    def __init__(self, folder: Path, handlers: list[standard_logging.Handler], ahead: bool) -> None:
        self._folder = folder  # for a log of each page that fails
        self._handlers = handlers  # what prints at once; none if Sphinx's own shall print
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
        # At once: one of Sphinx's handlers keeps warnings back until all pages have been read.
        sphinx = standard_logging.getLogger(logging.NAMESPACE)
        held = sphinx.handlers
        try:
            sphinx.handlers = self._handlers or held
            logger.warning("%s", text, location=where, type="myst_nb_fork")
        finally:
            sphinx.handlers = held

    def passed(self, page: str) -> None:
        """Remove the log of an earlier failure."""
        self._log(page).unlink(missing_ok=True)

    def _log(self, page: str) -> Path:
        return self._folder / f"{page}.err.log"


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
