"""One page's process: runs its cells in IPython, as a Jupyter kernel would, without a kernel."""

from __future__ import annotations

import asyncio
import atexit
import builtins
import getpass
import logging
import multiprocessing.util
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import weakref
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, NoReturn

from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.compilerop import CachingCompiler
from IPython.core.error import StdinNotImplementedError
from traitlets.config import Config

from myst_nb_fork.capture import Recorder, encodable
from myst_nb_fork.files import FilesUsed
from myst_nb_fork.messages import Began, Ended, Error, Job, Result, Step

SECONDS_TO_CLEAN_UP = 3
_FOR_TASKS = 0.01  # seconds; a kernel has some milliseconds until it is asked for the next cell


class Compiler(CachingCompiler):
    """Names a cell's code, which warnings show, alike in every build."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:
        """A module that does not exist, as with a kernel; IPython's tracebacks depend on it."""
        return f"cell_{number}.py"


class Page:
    """A page's interpreter; made in the warm process, once for all of them."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False  # a build is no part of the user's history
        kernel = SimpleNamespace(eventloop=None)
        # Any: ipykernel does not declare all that it has.
        shell: Any = ZMQInteractiveShell.instance(
            config=config, compiler_class=Compiler, kernel=kernel
        )
        shell.enable_gui = lambda gui=None: None  # `%matplotlib` asks; ipykernel's needs a kernel
        self._shell = shell
        self._recorder = shell.displayhook.session = shell.display_pub.session = Recorder()
        self._files = FilesUsed()
        sys.addaudithook(self._files.note)

    def settle(self) -> None:
        """Be as every page shall begin; all that they share has been imported."""
        self._files.settle()
        # What an import has registered for the end is nothing to any page, and takes time.
        atexit._clear()
        finalize: Any = weakref.finalize
        for finalizer in finalize._registry:
            finalizer.atexit = False
        workers: Any = multiprocessing.util
        for end in (logging.shutdown, workers._exit_function, finalize._exitfunc):
            atexit.register(end)

    def run(self, job: int, channel: Connection[object, Any]) -> None:
        """Run a page in this process, which is a fork made for it; `job` is a descriptor."""
        started = time.monotonic()
        self._pid = os.getpid()
        channel.send(self._pid)
        with open(job, "rb") as file:
            file.seek(0)
            task: Job = pickle.load(file)
        self._begin(task)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(self._serve(task, channel))
        used = self._files.among(task.watched)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        seconds = time.monotonic() - started
        channel.send(Ended(seconds, peak, used, self._files.started_processes))

    def _begin(self, task: Job) -> None:
        """Make this process what a new one would be."""
        self._files.started_processes = False  # to fork this page has been noted too
        os.chdir(tempfile.mkdtemp(dir=task.folder) if task.temporary else task.folder)
        os.environ.clear()
        os.environ.update(task.environment)
        set_backend()
        self._shell.init_environment()
        self._recorder.redirect()
        sys.argv[:] = [""]
        _import_from_folder()
        builtins.input = getpass.getpass = _no_input
        if random := sys.modules.get("numpy.random"):
            random.seed()  # else all pages would share the state of the warm process

    async def _serve(self, task: Job, channel: Connection[object, Any]) -> None:
        steps = list(task.steps)
        failed = False
        while steps or task.follow:
            step: Step | None = steps.pop(0) if steps else channel.recv()
            if step is None:
                break
            if failed and step.kind == "cell":
                channel.send(Result(ran=False))
                continue
            channel.send(Began(time.monotonic()))
            result = await self._run_step(step)
            if self._shell.exit_now:
                break
            channel.send(result)
            failed = failed or result.fails(step)

    async def _run_step(self, step: Step) -> Result:
        started = time.monotonic()
        cell = f"cell_{self._shell.execution_count}.py"
        outcome = await self._execute(step.source, store_history=step.kind == "cell")
        if os.getpid() != self._pid:  # a fork that the cell has made and left to go on here
            self._recorder.flush()
            os._exit(0)
        # A kernel's event loop runs on between cells: so do the tasks that a cell has started.
        await asyncio.sleep(_FOR_TASKS if len(asyncio.all_tasks()) > 1 else 0)
        messages = self._recorder.take()
        seconds = time.monotonic() - started
        raised = outcome.error_before_exec or outcome.error_in_exec
        shown = [content for kind, content in messages if kind == "error"]
        if raised is None and not (shown and self._shell._last_traceback_during_displayhook):
            return Result(messages, None, seconds)
        name = type(raised).__name__ if raised is not None else shown[-1]["ename"]
        message = encodable(str(raised) if raised is not None else shown[-1]["evalue"])
        lines = tuple(shown[-1]["traceback"]) if shown else ()
        line = _line(raised, cell, step.source)
        return Result(messages, Error(name, message, line, lines), seconds)

    async def _execute(self, source: str, *, store_history: bool) -> Any:
        """What `IPythonKernel.do_execute` does: a cell runs where an event loop runs."""
        try:
            transformed = self._shell.transform_cell(source)
        except Exception:  # which is shown when the cell is run
            return self._shell.run_cell(source, store_history=store_history)
        if not self._shell.should_run_async(source, transformed_cell=transformed):
            return self._shell.run_cell(source, store_history=store_history)
        try:
            outcome = await self._shell.run_cell_async(
                source, store_history=store_history, transformed_cell=transformed
            )
        finally:
            self._shell.events.trigger("post_execute")
        self._shell.events.trigger("post_run_cell", outcome)
        return outcome


def set_backend() -> None:
    """Have Matplotlib show its figures on the page, as a kernel does; pyplot reads it once."""
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")


def _import_from_folder() -> None:
    """Have the folder's own modules found where a kernel finds them: before site-packages."""
    names = [os.path.basename(entry) for entry in sys.path]
    sys.path.insert(names.index("site-packages") if "site-packages" in names else 0, "")


def _no_input(*_: object, **__: object) -> NoReturn:
    raise StdinNotImplementedError("a page cannot ask for input: it runs when the site is built")


def _line(error: BaseException | None, cell: str, source: str) -> int | None:
    """Where in its cell an error came up: the innermost line there that led to it."""
    line = None
    if isinstance(error, SyntaxError) and error.filename == cell:
        line = error.lineno
    traceback = error.__traceback__ if error is not None else None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == cell:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    code = source.splitlines()
    empty = next(number for number, text in enumerate(code) if text.strip())
    return line and line + empty  # IPython leaves out the empty lines that it begins with


def clean_up() -> None:
    """Do what a page has registered for its end; but not for ever, whatever is in the way."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS_TO_CLEAN_UP)
    atexit._run_exitfuncs()
