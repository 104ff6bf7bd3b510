"""What readers get: pages that they can link into, unfold, hear, and take along.

What is done to a page, and in which order, stands here alone: in `finish` and `setup`.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from reading import (
    breaks,
    cards,
    data,
    descriptions,
    downloads,
    files,
    fixes,
    folds,
    library,
    markdown,
    numbers,
    permalinks,
    spans,
)
from reading.listed_pages import ListedPages


def finish(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Pass a page on from one change to the next, after what others have made of it."""
    body = context.get("body", "")
    if doctree is not None:  # an index needs none of this
        body = permalinks.linked(body)  # before `bare`: a row's address is that of its words
        body = folds.folded(body, app.config.folded_sections.get(pagename, []), pagename)
        body = folds.proofs_in_one_line(body)
        body = fixes.fixed(body)
        body = cards.labeled(body)
        body = numbers.aligned(body)
    context["body"] = body = breaks.breakable(spans.bare(body))
    for kind in ("css_files", "script_files"):
        context[kind] = [file for file in context[kind] if files.used(str(file.filename), body)]
    context["fixed_layout"] = lambda page: fixes.fixed_layout(page, pagename)  # for page.html
    downloads.offer(app, pagename, context)
    data.write(app, pagename)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Stand before and after the other extensions that look at a page (priority 500)."""
    app.add_config_value("folded_sections", {}, "html")
    app.add_config_value("page_data", {}, "html")
    app.connect("html-page-context", descriptions.describe, priority=400)
    app.connect("html-page-context", finish, priority=900)
    app.connect("doctree-read", downloads.note_values)
    wheel = library.Wheel()
    app.connect("builder-inited", wheel.start)
    app.connect("build-finished", wheel.finish)
    app.connect("doctree-resolved", library.say)
    app.connect("doctree-resolved", markdown.simplify, priority=900)  # all links are resolved
    markdown.connect(app)
    app.add_directive("get-library", library.GetLibrary)
    app.add_directive("listed-pages", ListedPages)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
