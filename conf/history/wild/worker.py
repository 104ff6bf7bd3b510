"""A process that answers questions, and is ended when an answer is late."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

TO_LOAD = 300  # seconds; torch's databases take 7 where nothing else runs


class LateError(Exception):
    """The answer did not come in time, or the process died of the question."""


class Worker:
    """Answers questions in another process, a new one after each that came to no end.

    A thread could not be stopped where it hangs inside torch. The function must be importable. The
    first question is asked of every new process, and may take long: it loads what the others need.
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
        self._end.send(question)
        try:
            if self._end.poll(seconds):
                came = self._end.recv()
                if isinstance(came, BaseException):
                    raise came
                return came
        except EOFError:
            self.stop()
            raise LateError("the process died") from None
        self.stop()
        raise LateError(f"no answer in {seconds:g} s")

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
            question = end.recv()
            try:
                said = answer(*question)
            except Exception as error:
                said = RuntimeError(f"{question}: {type(error).__name__}: {error}")
            end.send(said)
