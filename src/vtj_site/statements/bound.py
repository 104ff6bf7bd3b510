"""Statements that are held by their wording: the words stand beside a check, and on the page.

That binds a page to a check by its words and not by their meaning, so it is the weaker way, and at
most `MOST` statements of the site may go it.
"""

import inspect
from collections.abc import Callable
from typing import NamedTuple

MOST = 150


class Bound(NamedTuple):
    """A statement that is held by its wording."""

    name: str
    words: str  # as the page has them, code between backticks
    check: Callable[[], None]  # raises an AssertionError if they are not so

    @property
    def code(self) -> str:
        """The source of the check."""
        return inspect.getsource(self.check).partition("\n")[2]


BOUND: dict[str, Bound] = {}


def statement(name: str, words: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Declare a statement that the decorated function checks.

    Raises:
        ValueError: if the name is taken.
    """

    def declare(check: Callable[[], None]) -> Callable[[], None]:
        if name in BOUND:
            raise ValueError(f"two statements have the name {name!r}")
        BOUND[name] = Bound(name, " ".join(words.split()), check)
        return check

    return declare


def complaint(name: str, text: str) -> str | None:
    """Say what is wrong with a page's sentence that is marked with the name of a check."""
    if name not in BOUND:
        return f"there is no check {name!r} of a statement: there are {', '.join(BOUND)}"
    if (words := BOUND[name].words) != " ".join(text.split()):
        return f"the page says\n    {text}\nand the check {name!r} says\n    {words}"
    return None


def run(name: str) -> str:
    """Run a check; return what it raised, or nothing."""
    try:
        BOUND[name].check()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
