"""One page's process as Sphinx sees it."""

import contextlib
import os
import select
import signal
from multiprocessing.connection import Connection

from myst_nb.core.config import NbParserConfig

from myst_nb_fork.messages import Began, Ended, Error, Job, Result, Step
from myst_nb_fork.warm import Warm


class Run:
    """A page that runs, or waits for its turn to; its results as they come in."""

    def __init__(self, warm: Warm, page: str, job: Job, nb_config: NbParserConfig) -> None:
        self.page = page
        self.job = job
        self.nb_config = nb_config
        self.steps = list(job.steps)
        self.results: list[Result] = []
        self.ended: Ended | None = None
        timeout = nb_config.execution_timeout
        self._timeout = timeout if timeout and timeout > 0 else None  # as nbclient reads it
        self._began: float | None = None
        self._pid: int | None = None
        self._death: Error | None = None
        connection, self._status = warm.submit(job)
        self.connection = Connection(connection.detach())

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.connection.closed

    @property
    def deadline(self) -> float | None:
        """When the step that runs will have taken too long."""
        if self._began is None or self._timeout is None:
            return None
        return self._began + self._timeout

    def ask(self, step: Step) -> None:
        """Have one more step run."""
        self.steps.append(step)
        if not self.over:
            with contextlib.suppress(OSError):  # it has ended; `receive` finds out how
                self.connection.send(step)
        self._fill()

    def finish(self) -> None:
        """There are no more steps."""
        if not self.over and self.job.follow:
            with contextlib.suppress(OSError):
                self.connection.send(None)

    def receive(self) -> None:
        """Take the next message, which must have come, or the end of the connection."""
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            self._end("DeadPageError", patience=1)  # it ends, in whatever way
            return
        if isinstance(message, int):
            self._pid = message
        elif isinstance(message, Began):
            self._began = message.when
        elif isinstance(message, Result):
            self._began = None
            if self._timeout is not None and message.seconds > self._timeout:
                # Nobody was looking; all the same, what it did must not depend on that.
                self.time_out()
            else:
                self.results.append(message)
        else:
            self.ended = message
            self._death = Error("DeadPageError", "the page has ended itself", fatal=True)
            self.connection.close()
            os.close(self._status)  # it may clean up, which nobody needs to wait for
            self._fill()

    def time_out(self) -> None:
        """End a page one of whose steps has taken too long."""
        self._end("CellTimeoutError", f"it was still running after {self._timeout:g} s")

    def stop(self) -> None:
        """End the page, whatever it does."""
        if not self.over:
            self._kill()
            self.connection.close()
            os.close(self._status)

    def _kill(self, *, patience: float = 0) -> None:
        ended, _, _ = select.select([self._status], [], [], patience)
        if self._pid is not None and not ended:
            with contextlib.suppress(ProcessLookupError):  # it may have ended just now
                os.kill(self._pid, signal.SIGKILL)

    def _end(self, name: str, message: str = "", *, patience: float = 0) -> None:
        self._kill(patience=patience)
        self.connection.close()
        with open(self._status, "rb") as file:  # until the process and all it started are gone
            status = file.read()
        how = _how(int.from_bytes(status, "little") if status else None)
        self._death = Error(name, message or how, fatal=True)
        self._fill()

    def _fill(self) -> None:
        while self.over and len(self.results) < len(self.steps):
            self.results.append(Result(error=self._death, ran=self._death is not None))
            self._death = None


def _how(status: int | None) -> str:
    if status is None:
        return "the process that runs the pages has ended"
    if os.WIFSIGNALED(status):
        return f"the page's process was killed: {signal.strsignal(os.WTERMSIG(status))}"
    return f"the page's process exited with status {os.WEXITSTATUS(status)}"
