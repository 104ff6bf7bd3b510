"""What can be asked of a record: a predicate is a small function with the words that say it.

A predicate answers True, False, or None where the question makes no sense in that case. Its words,
and those for the contrary, are what a sentence may say; no two predicates have a word in common,
since the words on the page choose which is meant, and whether its contrary is. An *attempt* asks
what the caller does, and has an answer where torch refused it too.
"""

from collections.abc import Callable
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
        said = [*words, *contrary]
        for other in PREDICATES.values():
            if shared := {*said} & {*other.words, *other.contrary}:
                raise ValueError(f"{sorted(shared)} say two predicates: {other.name}, {name}")
        if len(set(said)) < len(said):
            raise ValueError(f"a word says both {name} and its contrary")
        PREDICATES[name] = Predicate(name, ask, words, contrary, attempt)
        return ask

    return declare
