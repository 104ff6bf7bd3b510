"""A process that answers questions, and is ended when an answer is late."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

TO_LOAD = 120  # seconds; torch's databases take 7
STANDING_STILL = 10  # times as long may pass, where others use the machine, or the process sleeps


class LateError(Exception):
    """The answer did not come in time, or the process died of the question."""


class Worker:
    """Answers questions in another process, a new one after each question without an answer.

    A thread could not be stopped where it hangs inside torch. The function must be importable. The
    first question is asked of every new process, and may take long: it loads what the others need.
    Seconds are those in which the process computes: a busy machine makes nobody late.
    """

    def __init__(self, answer: Callable[..., Any], *first: Any) -> None:
        self.answer, self.first = answer, first
        self._process: Any = None
        self._end: Connection | None = None

    def ask(self, *question: Any, seconds: float) -> Any:
        """Return the answer to one question.

        Raises:
            LateError: After so many seconds, or when the process died; it says which.
            RuntimeError: What the function raised there, as text.
        """
        if self._process is None:
            self._start()
            self._ask(*self.first, seconds=TO_LOAD)
        return self._ask(*question, seconds=seconds)

    def _ask(self, *question: Any, seconds: float) -> Any:
        assert self._end is not None
        self._end.send((seconds, question))
        try:
            if not self._end.poll(STANDING_STILL * seconds):
                raise LateError(f"no answer in {seconds:g} s")
            came = self._end.recv()
        except (EOFError, LateError) as error:
            self._process.join(0 if isinstance(error, LateError) else None)
            slow = self._process.exitcode in (None, -signal.SIGPROF)
            self.stop()
            raise LateError(f"no answer in {seconds:g} s" if slow else "the process died") from None
        if isinstance(came, BaseException):
            raise came
        return came

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._end = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork of torch's threads may hang
        self._end, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self.answer), daemon=True)
        self._process.start()
        other.close()


def _serve(end: Connection, answer: Callable[..., Any]) -> None:
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            seconds, question = end.recv()
            signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends it, even inside torch
            try:
                said = answer(*question)
            except Exception as error:
                said = RuntimeError(f"{question}: {type(error).__name__}: {error}")
            signal.setitimer(signal.ITIMER_PROF, 0)
            end.send(said)
