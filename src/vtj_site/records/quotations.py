"""What others wrote: the address and an excerpt of each text that a page quotes."""

import hashlib
import json
from functools import cache
from importlib import resources
from typing import NamedTuple


class QuotationError(ValueError):
    """A page quotes words, or a text, that no stored excerpt holds."""


class Excerpt(NamedTuple):
    """A part of a public text, stored as it stood there when it was read."""

    address: str
    read: str  # the day
    sha256: str  # of the text
    text: str


@cache
def excerpts() -> dict[str, Excerpt]:
    """Return every stored excerpt by the name that readers see.

    Raises:
        QuotationError: if a text is not the one that its digest was taken of.
    """
    file = resources.files("vtj_site.records") / "quotations.json"
    found = {
        name: Excerpt(**excerpt)
        for name, excerpt in json.loads(file.read_text(encoding="utf-8")).items()
    }
    for name, excerpt in found.items():
        digest = hashlib.sha256(excerpt.text.encode()).hexdigest()
        if digest != excerpt.sha256:
            raise QuotationError(f"the excerpt of {name} has digest {digest}, not {excerpt.sha256}")
    return found


def source_of(words: str, name: str) -> Excerpt:
    """Return the excerpt of a text that holds these words, its markup of code left out.

    Raises:
        QuotationError: if there is no excerpt of that name, or the words are not in it.

    Examples:
        >>> source_of("silently got really weird results", "pytorch#17893").address
        'https://github.com/pytorch/pytorch/issues/17893'
    """
    if name not in excerpts():
        raise QuotationError(f"no excerpt of {name!r} is stored; expected one of {[*excerpts()]}")
    excerpt = excerpts()[name]
    if _plain(words) not in _plain(excerpt.text):
        raise QuotationError(f"{name} does not say {words!r}; its excerpt: {excerpt.text!r}")
    return excerpt


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").split())
