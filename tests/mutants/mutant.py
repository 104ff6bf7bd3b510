"""A planted fault, and what became of it."""

from typing import NamedTuple

CHECK, SHOWN = "check", "shown"
"""What catches a fault: a check that knows better, or the file of what the page showed before."""
LEFT = "left out"
"""Stands there for a mutant that chance did not draw."""


class Mutant(NamedTuple):
    """One fault in one file.

    Attributes:
        file: the file, from the project's root.
        line: its line, from 1.
        kind: what was planted, say "number".
        text: the line as it stands, without white space around it.
        before: what stands there.
        after: what was planted instead.
        refused: whether it stands in a cell that declares the error that ends it.
    """

    file: str
    line: int
    kind: str
    text: str
    before: str
    after: str
    refused: bool = False

    def __str__(self) -> str:
        change = f"{self.before!r} became {self.after!r}"
        return f"{self.file}:{self.line}: {self.kind}: {change} in {self.text!r}"


class Outcome(NamedTuple):
    """A mutant and what caught it, `check: …` or `shown: …`; None where it survived."""

    mutant: Mutant
    caught_by: str | None
