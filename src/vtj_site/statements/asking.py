"""What can be asked of a record: a predicate is a small function with the words that say it.

A predicate answers True, False, or None where the question makes no sense in that case. Its words,
and those for the contrary, are what a sentence may say; no two predicates have a word in common,
since the words on the page choose which is meant, and whether its contrary is. An *attempt* asks
what the caller does, and has an answer where torch refused it too.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from vtj_site.statements.facts import Record

Answer = bool | None


class Predicate(NamedTuple):
    """A predicate: its name, its function, and how sentences say it and the contrary."""

    name: str
    ask: Callable[[Record], Answer]
    words: tuple[str, ...]
    contrary: tuple[str, ...]
    attempt: bool


PREDICATES: dict[str, Predicate] = {}


def predicate(
    *words: str, contrary: tuple[str, ...] = (), attempt: bool = False
) -> Callable[[Callable[[Record], Answer]], Callable[[Record], Answer]]:
    """Declare the predicate that the decorated function asks; its name is the function's.

    Raises:
        ValueError: if another predicate has one of the words.
    """

    def declare(ask: Callable[[Record], Answer]) -> Callable[[Record], Answer]:
        name = ask.__name__.replace("_", " ")
        PREDICATES[name] = Predicate(name, ask, words, contrary, attempt)
        unambiguous()
        return ask

    return declare


def unambiguous() -> None:
    """Raise ValueError if a word says two predicates, or one and its contrary.

    Or if it names something at which the predicate's code does not look: words alone could be
    changed together with the page, and would still agree with it.
    """
    taken: dict[str, str] = {}
    for predicate in PREDICATES.values():
        looked_at = names(source(predicate.ask))
        for word in (*predicate.words, *predicate.contrary):
            if word in taken:
                raise ValueError(f"{word!r} says two things: {taken[word]}, {predicate.name}")
            taken[word] = predicate.name
            if blind := names(word) - looked_at:
                raise ValueError(f"{word!r}: {predicate.name} does not look at {sorted(blind)}")


NAMES = re.compile(r"(?<![a-z])(?:[xyvj]|non-leaf|leaf|shape|dtype)(?![a-z])", re.I)
"""What a word can name that the code of its predicate has to name too."""


def names(text: str) -> set[str]:
    """Return what a text names of that which can be mistaken for something else.

    Examples:
        >>> sorted(names("the shape of y"))
        ['shape', 'y']
    """
    return {found.lower() for found in NAMES.findall(text)}


@cache
def source(ask: Callable[[Record], Answer]) -> str:
    """Return the code of a predicate, without its decorator and its docstring."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(ask))).body
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(ast.unparse(line) for line in function.body[1:])
