"""The list of a folder's pages, and their place in the navigation, from what the pages say.

```` ```{listed-pages} ```` on a folder's index lists every other page of the folder. The front
matter of each says where it stands and what it is about; `short` is its name in the list, if that
is not its title up to a colon:

    listed: {order: 40, short: The pretend loss, about: "`y.backward(v)` does what …"}

So a new page needs no edit of another one.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.config.main import read_topmatter
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)
TITLE = re.compile(r"^# (.+?)(?::.*)?$", re.MULTILINE)


class ListedPages(SphinxDirective):
    """The list, and a hidden toctree in the same order."""

    def run(self) -> list[nodes.Node]:
        """Read the pages of the folder, whichever there are now."""
        self.env.note_reread()
        index = Path(self.env.doc2path(self.env.docname))
        pages = [page for page in sorted(index.parent.glob("*.md")) if page != index]
        entries = (entry(page, self.env.path2doc(page)) for page in pages)
        found = sorted(filter(None, entries), key=lambda said: said["order"])
        lines = [f"1. [{e['short']}]({e['page']}.md): {e['about']}" for e in found]
        toctree = ["```{toctree}", ":hidden:", "", *(e["page"] for e in found), "```"]
        return self.parse_text_to_nodes("\n".join([*lines, "", *toctree]))


def entry(page: Path, docname: str | None) -> dict[str, Any] | None:
    """Return what a page's front matter says for the list; None, with a warning, if it does not."""
    text = page.read_text(encoding="utf-8")
    title = TITLE.search(text)
    said: dict[str, Any] = (read_topmatter(text) or {}).get("listed") or {}
    if title and "about" in said and isinstance(said.get("order"), int | float):
        return {"page": page.stem, "short": title[1], **said}
    logger.warning(
        "for the list of pages, the front matter needs a line `listed: {order: 45, about: "
        '"what it is about"}`, and the page a title',
        location=(docname, 1),
    )
    return None
