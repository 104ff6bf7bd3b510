"""What MyST-NB asks for a page's outputs, and what it will ask, before it parses the page."""

import logging
import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute import create_client
from myst_nb.core.execute.base import EvalNameError, ExecutionError, NotebookClientBase
from myst_nb.core.nb_to_tokens import nb_node_to_dict
from myst_nb.core.read import create_nb_reader
from myst_nb.ext.glue import extract_glue_data_cell
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util import get_filetype

from myst_nb_fork.books import Books
from myst_nb_fork.messages import Error, Job, Result, Step
from myst_nb_fork.outputs import Outputs
from myst_nb_fork.report import Report
from myst_nb_fork.scheduler import Scheduler
from myst_nb_fork.steps import cell_step, eval_step, expected_steps

# What MyST-NB has to say it says again when it parses.
_SILENT: Any = logging.Logger(__name__, logging.CRITICAL + 1)


@dataclass(frozen=True)
class Build:
    """What runs the pages of one build, and what all their jobs have in common."""

    scratch: str  # a folder for the pages that are to run in a new one
    environment: dict[str, str]
    watched: frozenset[str]
    scheduler: Scheduler
    report: Report
    books: Books

    def job(
        self,
        path: Path | None,
        config: NbParserConfig,
        steps: Sequence[Step] = (),
        follow: bool = False,
    ) -> Job:
        """How to run a page: beside its file, unless it has none or an option says otherwise."""
        temporary = path is None or config.execution_in_temp
        folder = self.scratch if path is None or temporary else str(path.parent)
        return Job(folder, temporary, self.environment, tuple(steps), self.watched, follow)


class PageClient(NotebookClientBase):
    """Stands where MyST-NB has its client for a kernel.

    Cells, and the expressions of `eval` roles between them, are asked for in the page's order.
    As long as they are those with which the page was started in advance, its results are there
    or on their way. Otherwise the page is run again, with what has been asked for so far, and
    then step by step: the forecast saves time and decides nothing.
    """

    def __init__(self, build: Build, page: str, text: str, *stock: Any) -> None:
        super().__init__(*stock)  # what MyST-NB's own client is given
        self._build = build
        self._page = page
        self._lines = text.splitlines()
        # MyST-NB's other modes run all cells before they show the first.
        self._inline = self.nb_config.execution_mode == "inline"
        self._outputs = Outputs()
        self._asked: list[Step] = []
        self._cell = -1
        self._count = 0
        self._failure: Error | None = None

    def expected(self, lines: Sequence[str]) -> Job:
        """The page with what it will be asked for, by the looks of its lines."""
        config = self.nb_config
        names = config.eval_name_regex if self._inline else None
        raises = config.execution_allow_errors
        steps = expected_steps(self.notebook, lines, raises, names)
        return self._build.job(self.path, config, [*steps])

    def start_client(self) -> None:
        """Take over the run that was started in advance, if it was started alike."""
        alike = self._build.job(self.path, self.nb_config)
        self._run = self._build.scheduler.take(self._page, alike)
        self.notebook.metadata["language_info"] = IPythonKernel.language_info
        if "source_map" in self.notebook.metadata:
            for index, cell in enumerate(self.notebook.cells):
                cell["id"] = f"cell-{index}"  # a Markdown page has none, so it was made at random
        if not self._inline:
            self.finalise_client()

    def code_cell_outputs(self, cell_index: int) -> tuple[int | None, list[NotebookNode]]:
        """The outputs of a cell, once it and all before it have run."""
        allow = self.nb_config.execution_allow_errors
        while self._cell < cell_index:
            self._cell += 1
            cell = self.notebook.cells[self._cell]
            step = cell_step(self.notebook, self._cell, self._lines, allow)
            if step is not None:
                self._run_cell(step, cell)
            if self._inline:  # else MyST-NB takes it from the whole notebook
                self._take_glue(cell)
        cell = self.notebook.cells[cell_index]
        # A copy: to merge streams, MyST-NB writes into what it is given.
        return cell.get("execution_count"), deepcopy(cell.get("outputs", []))

    def eval_variable(self, name: str) -> list[NotebookNode]:
        """The outputs of an expression, where the page stands."""
        if not self._inline:
            return list(super().eval_variable(name))  # says that this mode cannot
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
            self._build.scheduler.end(self._run)
            self._build.books.note(self._run)
            seconds = sum(result.seconds for result in self._run.results)
        if error is None:
            self._build.report.passed(self._page)
        self.exec_metadata = {
            "mtime": datetime.now().timestamp(),
            "runtime": seconds,
            "method": self.nb_config.execution_mode,
            "succeeded": error is None,
            "error": error.name if error else None,
            "traceback": None,  # or MyST-NB writes a log too, and warns a second time
        }

    def _run_cell(self, step: Step, cell: NotebookNode) -> None:
        result = self._result(step)
        if result.ran:
            self._count += 1
        # None tells a cell that did not run; a stored notebook may have a count and outputs.
        cell["execution_count"] = self._count if result.ran else None
        cell["outputs"] = self._outputs.of(result.messages)
        if result.fails(step):
            self._failure = result.error
            if self.nb_config.execution_raise_on_error:
                raise ExecutionError(str(self.path))

    def _result(self, step: Step) -> Result:
        number = len(self._asked)
        self._asked.append(step)
        run, scheduler = self._run, self._build.scheduler
        if run is not None and run.job.follow:
            run.ask(step)
        elif run is None or run.steps[number : number + 1] != [step]:
            job = self._build.job(self.path, self.nb_config, self._asked, follow=True)
            if run is not None:
                scheduler.drop(run)
            run = self._run = scheduler.start(self._page, job, self.nb_config)
        result = scheduler.result(run, number)
        self._build.report.tell(run, number)
        return result

    def _take_glue(self, cell: NotebookNode) -> None:
        for key, output in extract_glue_data_cell(cell):
            if key in self._glue_data:
                line = self.cell_line(self._cell)
                self.logger.warning(f"glue key {key!r} duplicate", subtype="glue", line=line)
            self._glue_data[key] = output


def forecast(app: Sphinx, env: Any, page: str) -> tuple[Job, NbParserConfig] | None:
    """Read a page as MyST-NB does; its job and options, or None if nothing of it is for us."""
    path, config = env.doc2path(page), env.mystnb_config
    if get_filetype(app.config.source_suffix, path) != "myst-nb" or config.kernel_rgx_aliases:
        return None
    text = path.read_text(encoding="utf-8-sig")
    try:
        reader = create_nb_reader(str(path), env.myst_config, config, text)
        if reader is None:
            return None
        notebook = reader.read(text)
        config = config.copy(**nb_node_to_dict(notebook.metadata.get(config.metadata_key, {})))
        client = create_client(notebook, str(path), config, _SILENT)
    except Exception:
        return None  # the parser comes upon the same fault, and reports it
    if not isinstance(client, PageClient):
        return None
    job = client.expected(text.splitlines())
    return (job, config) if job.steps else None
