"""What MyST-NB asks for a page's outputs."""

from __future__ import annotations

import re
import sys
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from myst_nb.core.execute.base import EvalNameError, ExecutionError, NotebookClientBase
from myst_nb.ext.glue import extract_glue_data_cell

from myst_nb_fork.outputs import Outputs
from myst_nb_fork.steps import cell_step, eval_step, expected_steps

if TYPE_CHECKING:
    from pathlib import Path

    from myst_nb.core.config import NbParserConfig
    from myst_nb.core.loggers import LoggerType
    from nbformat import NotebookNode

    from myst_nb_fork.extension import Executor
    from myst_nb_fork.messages import Error, Job, Result, Step
    from myst_nb_fork.run import Run

LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": sys.version.split()[0],
}
"""What a Python kernel says of its language."""


class PageClient(NotebookClientBase):
    """Stands where MyST-NB has its client for a kernel, in the mode `inline`.

    Cells, and the expressions of `eval` roles between them, are asked for in the page's order.
    As long as they are those with which the page was started in advance, its results are there
    or on their way. Otherwise the page is run again, with what has been asked for so far, and
    then step by step: the forecast saves time and decides nothing.
    """

    def __init__(
        self,
        notebook: NotebookNode,
        path: Path | None,
        nb_config: NbParserConfig,
        logger: LoggerType,
        executor: Executor,
    ) -> None:
        super().__init__(notebook, path, nb_config, logger)
        self._folder = None if path is None or nb_config.execution_in_temp else path.parent
        self._executor = executor
        self._outputs = Outputs()
        self._asked: list[Step] = []
        self._cell = -1
        self._count = 0
        self._failure: Error | None = None

    def start_ahead(self, page: str, text: str) -> Run | None:
        """Run the page with what it will be asked for, by its looks; None if that is nothing.

        Args:
            page: its name.
            text: its source.
        """
        config = self.nb_config
        steps = expected_steps(
            self.notebook, text.splitlines(), config.execution_allow_errors, config.eval_name_regex
        )
        job = self._job(tuple(steps))
        return self._executor.start(page, job, config) if job.steps else None

    def start_client(self) -> None:
        """Take over the run that was started in advance, if it was started alike."""
        self._page, text = self._executor.reading
        self._lines = text.splitlines()
        self._run = self._executor.runs.take(self._page)
        if self._run is not None and replace(self._run.job, steps=()) != self._job(()):
            self._executor.runs.drop(self._run)
            self._run = None
        self.notebook.metadata["language_info"] = LANGUAGE
        if "source_map" in self.notebook.metadata:
            for index, cell in enumerate(self.notebook.cells):
                cell["id"] = f"cell-{index}"  # a Markdown page has none, so it was made at random

    def code_cell_outputs(self, cell_index: int) -> tuple[int | None, list[NotebookNode]]:
        """The outputs of a cell, once it and all before it have run."""
        allow = self.nb_config.execution_allow_errors
        while self._cell < cell_index:
            self._cell += 1
            cell = self.notebook.cells[self._cell]
            step = cell_step(self.notebook, self._cell, self._lines, allow)
            if step is not None:
                self._run_cell(step, cell)
            self._take_glue(cell)
        cell = self.notebook.cells[cell_index]
        # A copy: to merge streams, MyST-NB writes into what it is given.
        return cell.get("execution_count"), deepcopy(cell.get("outputs", []))

    def eval_variable(self, name: str) -> list[NotebookNode]:
        """The outputs of an expression, where the page stands."""
        if not re.match(self.nb_config.eval_name_regex, name):
            raise EvalNameError(name)
        result = self._result(eval_step(name))
        outputs = self._outputs.of(result.messages)
        if not result.ran or (result.error is not None and not outputs):
            raise RuntimeError(result.error or "the page has ended in a cell above")
        return outputs

    def finalise_client(self) -> None:
        """Run what is left: cells that are not shown, after the last that is."""
        self.code_cell_outputs(len(self.notebook.cells) - 1)

    def close_client(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        """Say how it went."""
        if exc_type is not None:
            return  # nor does the build go on
        error, seconds = self._failure, 0.0
        if self._run is not None:
            seconds = self._executor.finish(self._run, failed=error is not None)
        self.exec_metadata = {
            "mtime": datetime.now().timestamp(),
            "runtime": seconds,
            "method": self.nb_config.execution_mode,
            "succeeded": error is None,
            "error": error.name if error else None,
            "traceback": "\n".join(error.traceback or [str(error)]) if error else None,
        }

    def _job(self, steps: tuple[Step, ...]) -> Job:
        return self._executor.job(self._folder, steps)

    def _run_cell(self, step: Step, cell: NotebookNode) -> None:
        result = self._result(step)
        if not result.ran:
            return
        self._count += 1
        cell["execution_count"] = self._count
        cell["outputs"] = self._outputs.of(result.messages)
        if result.fails(step):
            self._failure = result.error
            if self.nb_config.execution_raise_on_error:
                raise ExecutionError(str(self.path))

    def _result(self, step: Step) -> Result:
        number = len(self._asked)
        self._asked.append(step)
        run = self._run
        if run is not None and run.job.follow:
            run.ask(step)
        elif run is None or run.steps[number : number + 1] != [step]:
            job = replace(self._job(tuple(self._asked)), follow=True)
            if run is not None:
                self._executor.runs.drop(run)
            run = self._run = self._executor.start(self._page, job, self.nb_config)
        result = self._executor.runs.result(run, number)
        self._executor.tell(run, number)
        return result

    def _take_glue(self, cell: NotebookNode) -> None:
        for key, output in extract_glue_data_cell(cell):
            if key in self._glue_data:
                line = self.cell_line(self._cell)
                self.logger.warning(f"glue key {key!r} duplicate", subtype="glue", line=line)
            self._glue_data[key] = output
