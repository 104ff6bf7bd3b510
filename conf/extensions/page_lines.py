"""Where on a page something stands, for a message that names the line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def place(app: Sphinx, docname: str, text: str) -> tuple[str, int | None]:
    """Return a page and its first line that holds a text, as Sphinx's logger takes it.

    Comments are passed by.

    Args:
        app: the Sphinx application.
        docname: the page.
        text: what is looked for; where no line holds it, the page alone is the place.
    """
    lines = Path(app.env.doc2path(docname)).read_text(encoding="utf-8").splitlines()
    found = (n for n, line in enumerate(lines, 1) if text in line and not line.startswith("%"))
    return docname, next(found, None)
