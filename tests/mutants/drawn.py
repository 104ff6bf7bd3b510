"""Contraries that readers drew: `drawn.yaml` names each, and whether it was refused at first."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

FILE = Path(__file__).with_suffix(".yaml")


class Drawn(NamedTuple):
    """A contrary that a reader drew: words of a page's source, and those in their place."""

    page: str
    before: str
    after: str
    refused: bool  # when it was drawn

    def planted(self, markdown: str) -> str | None:
        """Return its page with the contrary; None where its words have been written anew.

        Example:
            >>> drawn = Drawn("docs/faq.md", "is a leaf", "is a non-leaf", refused=True)
            >>> drawn.planted("It is a leaf."), drawn.planted("It is one.")
            ('It is a non-leaf.', None)
        """
        if markdown.count(self.before) != 1:
            return None
        return markdown.replace(self.before, self.after)


def drawn() -> Iterator[Drawn]:
    """Yield what the file names."""
    for page, found in yaml.safe_load(FILE.read_text(encoding="utf-8")).items():
        for one in found:
            yield Drawn(page, one["before"], one["after"], one["refused"])
