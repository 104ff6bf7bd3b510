"""Judges in a fork of a process that has done all but the judge's own part."""

import contextlib
import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import torch

from myst_nb_fork.family import end_with_parent

SECONDS = 60.0
"""As long as the build waits for a cell; a mutant that takes longer is caught."""


class Fork:
    """A fork of this process that answers one question; nothing else that it does remains.

    Args:
        judge: returns what JSON can say.
        seconds: after this time the answer is that it took longer.
    """

    def __init__(self, judge: Callable[[], Any], seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._reading, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reading)
            _answer(judge, writing)
        os.close(writing)

    def fileno(self) -> int:
        """Readable when the answer comes."""
        return self._reading

    def answer(self) -> Any:
        """Wait for the answer.

        Raises:
            ChildProcessError: When the judge itself fails; the message has its traceback.
        """
        data = self._read()
        self.end()
        if data is None:
            return f"took longer than {self._seconds:g} seconds"
        if not data.endswith(b"\n"):
            return "ended the process"
        answer = json.loads(data)
        if "failed" in answer:
            raise ChildProcessError(answer["failed"])
        return answer["said"]

    def end(self) -> None:
        """End the fork, and what it has started in its own group."""
        os.close(self._reading)
        os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def _read(self) -> bytes | None:
        data = b""
        while not data.endswith(b"\n"):
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                return None
            if not (part := os.read(self._reading, 1 << 16)):
                break
            data += part
        return data


def in_fork(judge: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Return what a function answers in a fork of this process; see `Fork`."""
    return Fork(judge, seconds).answer()


def _answer(judge: Callable[[], Any], writing: int) -> NoReturn:
    try:
        end_with_parent()
        os.setsid()
        torch.set_num_threads(1)  # the threads that it may have had are not in the fork
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        try:
            answer = {"said": judge()}
        except BaseException:
            answer = {"failed": traceback.format_exc()}
        data = json.dumps(answer).encode() + b"\n"
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)
