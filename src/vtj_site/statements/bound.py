"""Statements that are held by their wording: the words stand beside a check, and on the page.

That binds a page to a check by its words and not by their meaning, so it is the weaker way, and at
most `MOST` statements of the site may go it.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import NamedTuple

MOST = 150


class Bound(NamedTuple):
    """A statement that is held by its wording, and what running its check came to."""

    words: str  # as the page has them, code between backticks
    code: str  # of the check
    failed: str  # what it raised; "" if nothing


Check = Callable[[], None]
CHECKS: dict[str, tuple[str, Check]] = {}
"""The words of each statement, and its check, which raises an AssertionError if they are wrong."""


def statement(name: str, words: str) -> Callable[[Check], Check]:
    """Declare a statement that the decorated function checks.

    Raises:
        ValueError: if the name is taken.
    """

    def declare(check: Check) -> Check:
        if name in CHECKS:
            raise ValueError(f"two statements have the name {name!r}")
        CHECKS[name] = (" ".join(words.split()), check)
        return check

    return declare


def run() -> dict[str, Bound]:
    """Run all checks."""
    return {
        name: Bound(words, "def" + inspect.getsource(check).partition("\ndef")[2], failed(check))
        for name, (words, check) in CHECKS.items()
    }


def failed(check: Check) -> str:
    """Run a check; return what it raised, or nothing."""
    try:
        check()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def complaint(name: str, text: str, bound: Mapping[str, Bound]) -> str:
    """Say what is wrong with a page's sentence that is marked with the name of a check."""
    if name not in bound:
        return f"there is no check {name!r} of a statement: there are {', '.join(bound)}"
    words, _, error = bound[name]
    if words != " ".join(text.split()):
        return f"the page says\n    {text}\nand the check {name!r} says\n    {words}"
    return f"the check {name!r} failed: {error}" if error else ""
