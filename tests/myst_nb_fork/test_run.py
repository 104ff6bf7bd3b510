"""A page's process as Sphinx sees it: what comes of it, and how it ends."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

import pytest

from myst_nb_fork.messages import Began, Ended, Error, Job, Result, Step
from myst_nb_fork.run import Run
from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import alone, said

ENDED = Ended(1.0, 1024, frozenset(), False)
STEP = Step("cell", "1")


class Other:
    """The other end of a page: stands for the warm process, and for the page itself."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.theirs, self.connection = theirs, Connection(ours.detach())
        self.read, self.status = os.pipe()

    def submit(self, job: Job) -> tuple[Any, int]:
        return self.theirs, self.read

    def run(self, *steps: Step, follow: bool = False, timeout: Any = None) -> Run:
        settings: Any = SimpleNamespace(execution_timeout=timeout)
        warm: Any = self
        return Run(warm, "page", Job("/", False, {}, steps, follow=follow), settings)

    def says(self, run: Run, *messages: Any) -> None:
        for message in messages:
            self.connection.send(message)
            run.receive()

    def ends(self, status: int | None = None) -> None:
        if status is not None:
            os.write(self.status, status.to_bytes(4, "little"))
        os.close(self.status)
        self.status = -1


@pytest.fixture
def other() -> Iterator[Other]:
    page = Other()
    yield page
    page.connection.close()
    if page.status >= 0:
        os.close(page.status)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def closed(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def test_results_come_in_until_the_page_has_ended(other: Other) -> None:
    run = other.run(STEP, STEP)
    assert (run.page, run.steps, run.results) == ("page", [STEP, STEP], [])
    assert run.nb_config.execution_timeout is None
    assert (run.ended, run.over, run.deadline) == (None, False, None)
    first, second = Result(seconds=1), Result(seconds=99)
    other.says(run, 123, Began(5.0), first, Began(6.0), second)
    assert run.results == [first, second]
    assert (run.ended, run.over) == (None, False)
    other.says(run, ENDED)
    assert (run.ended, run.over, closed(other.read)) == (ENDED, True, True)
    assert run.results == [first, second]


def test_what_a_page_has_not_run_when_it_ended_itself_failed_or_did_not_run(other: Other) -> None:
    run = other.run(STEP, STEP, STEP)
    other.says(run, 123, Result(), ENDED)
    error = Error("DeadPageError", "the page has ended itself", fatal=True)
    assert run.results == [Result(), Result(error=error), Result(ran=False)]


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (None, "the process that runs the pages has ended"),
        (9, "the page's process was killed: Killed"),
        (11, "the page's process was killed: Segmentation fault"),
        (3 << 8, "the page's process exited with status 3"),
        (0, "the page's process exited with status 0"),
        (300 << 8 & 0xFFFF, "the page's process exited with status 44"),
    ],
)
def test_how_a_page_died_is_told(other: Other, status: int | None, how: str) -> None:
    run = other.run(STEP, STEP)
    other.connection.close()
    other.ends(status)
    run.receive()
    error = Error("DeadPageError", how, fatal=True)
    assert run.results == [Result(error=error), Result(ran=False)]
    assert (run.over, run.ended) == (True, None)


def test_a_page_that_closes_its_connection_has_a_second_to_end(
    other: Other, sleeper: subprocess.Popen[bytes]
) -> None:
    run = other.run(STEP)
    other.says(run, sleeper.pid)
    other.connection.close()
    other.ends(3 << 8)
    started = time.monotonic()
    run.receive()
    assert time.monotonic() - started < 0.8
    assert sleeper.poll() is None


def test_one_that_does_not_end_is_killed(shared: Warm) -> None:
    source = "import os, time\nos.closerange(3, 99)\ntime.sleep(60)"
    started = time.monotonic()
    run = alone(shared, source)
    assert 0.8 < time.monotonic() - started < 10
    assert said(run) == ["DeadPageError: the page's process was killed: Killed"]


@pytest.mark.parametrize("timeout", [None, 0, -1])
def test_no_time_is_too_long_where_none_is_given(other: Other, timeout: float | None) -> None:
    run = other.run(STEP, timeout=timeout)
    other.says(run, Began(5.0))
    assert run.deadline is None
    other.says(run, Result(seconds=1e6))
    assert run.results == [Result(seconds=1e6)]


def test_a_step_has_its_time_from_its_beginning(other: Other) -> None:
    run = other.run(STEP, STEP, STEP, timeout=0.5)
    assert run.deadline is None
    other.says(run, 2**22 + 1)
    assert run.deadline is None
    other.says(run, Began(7.0))
    assert run.deadline == 7.5
    other.says(run, Result(seconds=0.5))
    assert run.deadline is None
    other.ends(9)
    other.says(run, Began(8.0), Result(seconds=0.625))
    error = Error("CellTimeoutError", "it was still running after 0.5 s", fatal=True)
    assert run.results == [Result(seconds=0.5), Result(error=error), Result(ran=False)]
    assert run.over


def test_one_that_takes_too_long_is_killed(other: Other, sleeper: subprocess.Popen[bytes]) -> None:
    run = other.run(STEP, timeout=60)
    other.says(run, sleeper.pid, Began(1.0))
    pid = os.fork()
    if pid == 0:  # gives the status once the page is gone, as the warm process does
        os.close(other.read)
        while os.path.exists(f"/proc/{sleeper.pid}/exe"):
            time.sleep(0.01)
        os.write(other.status, (9).to_bytes(4, "little"))
        os._exit(0)
    other.ends()
    run.time_out()
    os.waitpid(pid, 0)
    assert sleeper.wait() == -signal.SIGKILL
    assert run.results[0].error == Error(
        "CellTimeoutError", "it was still running after 60 s", fatal=True
    )


def test_more_steps_are_sent_and_then_that_there_are_none(other: Other) -> None:
    run = other.run(STEP, follow=True)
    more = Step("eval", "2")
    run.ask(more)
    assert run.steps == [STEP, more]
    assert other.connection.recv() == more
    run.finish()
    assert other.connection.recv() is None
    run.stop()
    run.finish()
    run.stop()
    run.ask(more)
    assert run.results == [Result(ran=False)] * 3


def test_a_page_that_follows_nothing_is_not_told_of_the_end(other: Other) -> None:
    run = other.run(STEP)
    run.finish()
    assert not other.connection.poll()


@pytest.mark.parametrize("tell", [lambda run: run.ask(STEP), Run.finish], ids=["more", "no more"])
def test_a_page_that_has_just_ended_is_not_told(other: Other, tell: Callable[[Run], None]) -> None:
    run = other.run(follow=True)
    other.connection.close()
    tell(run)
    assert not run.over
    other.ends(1 << 8)
    run.receive()
    assert run.over
    assert len(run.results) == len(run.steps)


def test_what_is_asked_of_a_page_that_has_ended_fails_once(other: Other) -> None:
    run = other.run(follow=True)
    other.says(run, ENDED)
    run.ask(STEP)
    run.ask(STEP)
    error = Error("DeadPageError", "the page has ended itself", fatal=True)
    assert run.results == [Result(error=error), Result(ran=False)]


def test_a_page_that_is_stopped_is_killed_and_holds_nothing(
    other: Other, sleeper: subprocess.Popen[bytes]
) -> None:
    run = other.run(STEP)
    other.says(run, sleeper.pid)
    run.stop()
    assert sleeper.wait() == -signal.SIGKILL
    assert run.over
    assert closed(other.read)
    with pytest.raises(EOFError):
        other.connection.recv()


def test_a_process_that_has_ended_is_not_killed(
    other: Other, sleeper: subprocess.Popen[bytes]
) -> None:
    run = other.run(STEP)
    other.says(run, sleeper.pid)
    other.ends(0)
    run.stop()  # another process may have the number by now
    assert sleeper.poll() is None


def test_one_that_ends_just_now_is_no_error(other: Other) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        run = other.run(STEP)
        other.says(run, process.pid)
        run.stop()
    assert run.over
