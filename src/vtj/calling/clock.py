"""How often `f` was called and for how long: a line of progress, and a bound on time."""

import sys
from math import inf
from time import monotonic
from typing import Any, Self

from vtj.calling.tensors import Function

LONG = 2.0  # seconds after which, and in which, a line of progress is written


class OutOfTime(BaseException):
    """The time that the caller allows is over."""

    def __init__(self, clock: "Clock") -> None:
        super().__init__()
        self.clock = clock


class Clock:
    """A function, how often it was called, and until when it may be.

    Raises:
        ValueError: When the time is none.
    """

    def __init__(self, f: Function, seconds: Any = None, name: str = "") -> None:
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise ValueError(f"seconds is {seconds!r}; expected a number above 0, or None")
        self.f, self.calls, self.name = f, 0, name
        self.instead = ""  # what to ask where time is over
        self.begin = self.told = monotonic()
        self.end = self.begin + (inf if seconds is None else seconds)

    def __call__(self, *x: Any) -> Any:
        """Call the function and count; raise OutOfTime where it is too late for that."""
        now = monotonic()
        if now >= self.end:
            raise OutOfTime(self)
        if now - self.told > LONG and sys.stderr.isatty():
            self.told = now
            line = f"{self.name}: {self.calls:,} calls of f in {now - self.begin:.0f} s"
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        self.calls += 1
        return self.f(*x)

    def remaining(self) -> float | None:
        """Return for how many seconds `f` may still be called; None where there is no bound."""
        return None if self.end == inf else max(self.end - monotonic(), 1e-9)

    def left(self, what: str) -> str:
        """Say that time is over, and what was left."""
        spent = f"{monotonic() - self.begin:.2g} s and {self.calls:,} calls of f"
        instead = f"; {self.instead}" if self.instead else ""
        return f"out of time after {spent}: {what} left; give more seconds=, or none{instead}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Take away the line of progress."""
        if self.told > self.begin:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
