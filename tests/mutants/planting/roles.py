"""One token of an expression in a sentence: a number, an operator, a text, a name."""

import keyword
import re
from collections.abc import Iterator, Sequence

from tests.mutants.source import Change, Source

# What stands in an f-string is part of the expression; any other text is one token.
PIECE = re.compile(r'f"[^"]*"|(?P<text>"[^"]*")|[^"]+?(?=f"|"|$)')
TOKEN = re.compile(r"(?P<name>[A-Za-z_]\w*)|(?P<number>\d+(?:\.\d+)?)|(?P<op>\*\*|[-+*/])")
OTHER = {"+": "-", "-": "+", "*": "/", "/": "*", "**": "*"}


def plant(source: Source, names: Sequence[str] = ()) -> Iterator[Change]:
    """Yield a change of each token.

    Args:
        source: the expression.
        names: those that the page's expressions use; a name becomes the next of them.
    """
    for piece in PIECE.finditer(source.text):
        if piece["text"]:
            yield Change("inline", piece.end() - 1, piece.end() - 1, "_")
            continue
        for token in TOKEN.finditer(source.text, piece.start(), piece.end()):
            if after := other(token, list(names)):
                yield Change("inline", token.start(), token.end(), after)


def other(token: re.Match[str], names: list[str]) -> str | None:
    """Return what to write instead of a token, or None where nothing else can stand."""
    text = token[0]
    if token["number"]:
        return repr(float(text) + 1 if "." in text else int(text) + 1)
    if token["name"]:
        if text in names and len(names) > 1:
            return names[(names.index(text) + 1) % len(names)]
        return None
    return OTHER[text]


def names_in(expression: str) -> set[str]:
    """Return the names that an expression uses, attributes too, keywords left out."""
    pieces = [piece[0] for piece in PIECE.finditer(expression) if not piece["text"]]
    found = {token["name"] for piece in pieces for token in TOKEN.finditer(piece)}
    return {name for name in found if name and not keyword.iskeyword(name)} - {"f"}
