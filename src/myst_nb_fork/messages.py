"""What Sphinx and a page's process say to each other; both import this."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Step:
    """One thing to run: a cell, or the expression of an `eval` role between two cells."""

    kind: Literal["cell", "eval"]
    source: str
    may_raise: bool = False
    line: int | None = None
    """Where in the page it begins, from 1; None where that is not known."""
    cell: int | None = None
    """Which of the page's cells it is, from 1."""

    @property
    def place(self) -> str:
        """Where in the page it is, as short as may be."""
        return str(self.line) if self.line else f"cell {self.cell}"


@dataclass(frozen=True)
class Job:
    """How to run a page, and the steps that are known when it starts."""

    folder: str
    temporary: bool
    """Whether to run in a new folder in there."""
    environment: dict[str, str]
    steps: tuple[Step, ...]
    watched: frozenset[str] = frozenset()
    """The files on which it is worth knowing whether the page depends, as real paths."""
    follow: bool = False
    """Whether more steps will come over the connection."""


@dataclass(frozen=True)
class Error:
    """Why a step failed."""

    name: str
    message: str
    line: int | None = None
    """In the step's source, from 1."""
    traceback: tuple[str, ...] = ()
    fatal: bool = False
    """Whether the page ended with it, which no tag allows."""

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


@dataclass(frozen=True)
class Began:
    """A step has begun, at this time of the monotonic clock, which all processes share."""

    when: float


@dataclass(frozen=True)
class Result:
    """What a step left behind."""

    messages: tuple[tuple[str, dict[str, Any]], ...] = ()
    """As a Jupyter kernel would have sent them: type and content."""
    error: Error | None = None
    seconds: float = 0.0
    ran: bool = True

    def fails(self, step: Step) -> bool:
        """Whether this is more of an error than the step may end in."""
        return self.error is not None and (self.error.fatal or not step.may_raise)


@dataclass(frozen=True)
class Ended:
    """The page has run to its end."""

    seconds: float
    peak_bytes: int
    files: frozenset[str]
    """The watched files that it opened, or whose modules it had loaded."""
    started_processes: bool
    """Whether it started others, whose files are not known."""
