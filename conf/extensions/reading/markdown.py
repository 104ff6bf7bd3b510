"""The pages as plain Markdown, with their outputs: ``sphinx-build -b markdown``.

It reads what the HTML build kept, so nothing runs again. Beside the pages it writes ``llms.txt``,
which lists them with what each is about, and ``llms-full.txt``, which holds them all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx_design.shared import PassthroughTextElement

from reading.descriptions import first_paragraph, own_description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.config import Config

OUTPUTS = (
    "text/markdown",
    "text/latex",
    "text/plain",
)  # of a cell's outputs, the first that it has
FENCES = {"ipython3": "python", "myst-ansi": "text", "default": ""}  # Sphinx's own names


def show_outputs(app: Sphinx, config: Config) -> None:
    """Tell MyST-NB which form of an output this builder shows; it knows none."""
    config.nb_mime_priority_overrides = [
        *config.nb_mime_priority_overrides,
        *(("markdown", mime, order) for order, mime in enumerate(OUTPUTS)),
    ]


def simplify(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace what the builder has no Markdown for by what it has."""
    if app.builder.name != "markdown":
        return
    for node in [*doctree.findall(nodes.meta), *doctree.findall(nodes.raw)]:
        node.parent.remove(node)
    for node in list(doctree.findall(nodes.abbreviation)):
        node.replace_self(nodes.Text(node.astext()))
    for node in list(doctree.findall(PassthroughTextElement)):
        node.replace_self(node.children)
    for box in list(doctree.findall(nodes.admonition)):
        title, *body = box.children
        strong = nodes.paragraph("", "", nodes.strong("", "", *title.children))
        box.replace_self(nodes.block_quote("", strong, *body))


def write_lists(app: Sphinx, exception: Exception | None) -> None:
    """Name the languages of the fences as everyone does, and write the two lists."""
    if exception or app.builder.name != "markdown":
        return
    pages = {}
    for docname in reading_order(app):
        page = Path(app.outdir, f"{docname}.md")
        text = re.sub(
            r"^```(.+)$",
            lambda fence: f"```{FENCES.get(fence[1], fence[1])}",
            page.read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
        page.write_text(text, encoding="utf-8")
        pages[docname] = text
    Path(app.outdir, "llms.txt").write_text(_list(app, list(pages)), encoding="utf-8")
    Path(app.outdir, "llms-full.txt").write_text("\n\n".join(pages.values()), encoding="utf-8")


def reading_order(app: Sphinx, docname: str | None = None) -> Iterator[str]:
    """Yield every page as the tables of contents order them, the front page first."""
    here = docname or app.config.root_doc
    yield here
    for child in app.env.toctree_includes.get(here, []):
        yield from reading_order(app, child)


def connect(app: Sphinx) -> None:
    """Add the builder and what makes its pages whole."""
    app.setup_extension("sphinx_markdown_builder")
    app.connect("config-inited", show_outputs)  # MyST-NB reads its options later
    app.connect("doctree-resolved", simplify, priority=900)
    app.connect("build-finished", write_lists)


def _list(app: Sphinx, docnames: list[str]) -> str:
    front = app.config.root_doc
    lines = [f"# {app.config.html_title}", "", f"> {_about(app, front)}", ""]
    for docname in docnames:
        about = _about(app, docname)
        entry = f"- [{app.env.titles[docname].astext()}]({docname}.md)"
        lines.append(f"{entry}: {about}" if about else entry)
    return "\n".join([*lines, ""])


def _about(app: Sphinx, docname: str) -> str:
    doctree = app.env.get_doctree(docname)
    return own_description(doctree) or first_paragraph(doctree)
