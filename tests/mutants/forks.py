"""Answers questions in forks of this process: nothing else that they do remains."""

import contextlib
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

import torch

from myst_nb_fork.family import end_with_parent

SECONDS = 60.0
"""As long as the build waits for a cell."""
LONGEST = 3600.0
"""For many faults in one fork: only what hangs is stopped."""
FORK = get_context("fork")


class Fork:
    """A fork that answers one question, or ends; `reading` can be read when the answer comes."""

    def __init__(self, judge: Callable[[], Any], seconds: float = SECONDS) -> None:
        self._seconds, self._deadline = seconds, time.monotonic() + seconds
        self.reading, writing = FORK.Pipe(duplex=False)
        self._process = FORK.Process(target=_answer, args=(judge, writing))
        self._process.start()
        writing.close()

    def answer(self) -> Any:
        """Wait for the answer; a judge that fails is a ChildProcessError with its traceback."""
        failed, said = False, f"took longer than {self._seconds:g} seconds"
        if self.reading.poll(max(0.0, self._deadline - time.monotonic())):
            try:
                failed, said = self.reading.recv()
            except EOFError:
                said = "ended the process"
        self.end()
        if failed:
            raise ChildProcessError(said)
        return said

    def end(self) -> None:
        """End the fork, and what it has started in its own group."""
        assert self._process.pid is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.reading.close()


def in_fork(judge: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Return what a function answers in a fork of this process; see `Fork`."""
    return Fork(judge, seconds).answer()


def at_once(judge: Callable[[str], Any], names: Sequence[str]) -> Iterator[tuple[str, Any, float]]:
    """Judge each name in a fork, several side by side; yield its answer, and its seconds.

    One more than there are processors: pages whose processes wait for each other use none.
    """
    waiting, running = list(names), dict[Fork, tuple[str, float]]()
    try:
        while waiting or running:
            while waiting and len(running) <= (os.cpu_count() or 1):
                name = waiting.pop(0)
                fork = Fork(lambda name=name: judge(name), LONGEST)
                running[fork] = (name, time.monotonic())
            done = wait([fork.reading for fork in running])
            for fork in [fork for fork in running if fork.reading in done]:
                name, started = running.pop(fork)
                answer = fork.answer()
                if isinstance(answer, str):
                    raise ChildProcessError(f"{name}: {answer}")
                yield name, answer, time.monotonic() - started
    finally:
        for fork in running:
            fork.end()


def _answer(judge: Callable[[], Any], writing: Connection) -> None:
    try:
        end_with_parent()
        os.setsid()
        torch.set_num_threads(1)  # the threads that it may have had are not in the fork
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        try:
            answer = (False, judge())
        except BaseException:
            answer = (True, traceback.format_exc())
        writing.send(answer)
    finally:
        os._exit(0)
