"""What others wrote: the address and an excerpt of each text that a page quotes."""

import hashlib
import json
from functools import cache
from importlib import resources


@cache
def excerpts() -> dict[str, dict[str, str]]:
    """Return every excerpt by the name that readers see: its text, address, and day of reading.

    Raises:
        ValueError: if a text is not the one that its SHA-256 was taken of.
    """
    file = resources.files("vtj_site.records") / "quotations.json"
    found: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    for name, excerpt in found.items():
        digest = hashlib.sha256(excerpt["text"].encode()).hexdigest()
        if digest != excerpt["sha256"]:
            raise ValueError(f"{name} has digest {digest}, recorded was {excerpt['sha256']}")
    return found


def address_of(words: str, name: str) -> str:
    """Return the address of a text whose excerpt holds these words, marks of code left out.

    Raises:
        ValueError: if there is no excerpt of that name, or the words are not in it.

    Examples:
        >>> address_of("silently got really weird results", "pytorch#17893")
        'https://github.com/pytorch/pytorch/issues/17893'
    """
    if name not in excerpts():
        raise ValueError(f"no excerpt of {name!r} is stored; expected one of {[*excerpts()]}")
    text = excerpts()[name]["text"]
    if words not in " ".join(text.replace("`", "").split()):
        raise ValueError(f"{name} does not say {words!r}; its excerpt: {text!r}")
    return excerpts()[name]["address"]
