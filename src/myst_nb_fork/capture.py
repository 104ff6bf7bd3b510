"""Everything that a page writes and shows, in order, as a Jupyter kernel's messages."""

import codecs
import contextlib
import ctypes
import fcntl
import io
import os
import sys
import termios
import threading
import time
from typing import Any

from jupyter_client.session import Session

_STREAMS = {"stdout": 1, "stderr": 2}
_PIPE = 1 << 20  # bytes; the most that Linux gives without privilege
_RELIEF = 0.02  # seconds


class Recorder(Session):
    """Stands where ipykernel has the session with its client, and keeps what it would send.

    Descriptors 1 and 2 are pipes here. What C code or another process has written to them is
    taken out before anything of Python's own is kept, so that all stands in the order in which
    it was written, the same in every build.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._messages: list[tuple[str, dict[str, Any]]] = []
        self._pipes: dict[str, int] = {}
        self._decoders = {
            name: codecs.getincrementaldecoder("utf-8")("replace") for name in _STREAMS
        }

    def redirect(self) -> None:
        """Take over the standard streams of this process."""
        self._pid = os.getpid()
        for name, descriptor in _STREAMS.items():
            self._pipes[name], write = os.pipe()
            fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, _PIPE)
            os.dup2(write, descriptor)
            os.close(write)
        sys.stdout = Stream(self, "stdout")
        sys.stderr = Stream(self, "stderr")
        threading.Thread(target=self._relieve, daemon=True).start()

    def send(  # the rest of its parameters are for a network
        self, stream: object, msg_or_type: Any, content: Any = None, *_: object, **__: object
    ) -> None:
        """Keep a message, after all that was written before it; none from a fork of the page."""
        if os.getpid() != self._pid:
            return
        kind = msg_or_type
        if isinstance(msg_or_type, dict):
            kind, content = msg_or_type["msg_type"], msg_or_type["content"]
        arrived = self.unpack(self.pack(encodable(content)))  # images, for one, travel as base64
        with self._lock:
            self._drain()
            self._messages.append((kind, arrived))

    def write(self, name: str, text: str) -> None:
        """Keep what Python code wrote to a stream."""
        if os.getpid() == self._pid:
            with self._lock:
                self._drain()
                self._append(name, encodable(text))
        else:
            data = text.encode("utf-8", "backslashreplace")
            while data:
                data = data[os.write(_STREAMS[name], data) :]

    def flush(self) -> None:
        """Have all written that C code and Python's first streams still have in their buffers."""
        for stream in (sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(ValueError):  # a cell has closed it
                if stream is not None:
                    stream.flush()
        ctypes.CDLL(None).fflush(None)

    def take(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """What came since the last call."""
        self.flush()
        with self._lock:
            self._drain()
            messages = tuple(self._messages)
            self._messages.clear()
        return messages

    def _relieve(self) -> None:
        """Keep a process that writes much from waiting for ever for room in a pipe."""
        while True:
            time.sleep(_RELIEF)
            if any(_pending(pipe) > _PIPE // 2 for pipe in self._pipes.values()):
                with self._lock:
                    self._drain()

    def _drain(self) -> None:
        for name, pipe in self._pipes.items():
            if size := _pending(pipe):
                self._append(name, self._decoders[name].decode(os.read(pipe, size)))

    def _append(self, name: str, text: str) -> None:
        if not text:
            return
        kind, last = self._messages[-1] if self._messages else ("", {})
        if kind == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self._messages.append(("stream", {"name": name, "text": text}))


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a page."""

    encoding = "UTF-8"

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        self.name = name

    def fileno(self) -> int:
        """For subprocesses and C code."""
        return _STREAMS[self.name]

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Into the page."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._recorder.write(self.name, text)
        return len(text)


def encodable(value: Any) -> Any:
    """A value without lone surrogates, which no notebook can hold: as Python escapes them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value


def _pending(pipe: int) -> int:
    answer = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int.from_bytes(answer, sys.byteorder)
