"""Graphs of `vtj.show.graph` share one script and one style sheet, where a notebook holds its own.

Without JavaScript the drawing stands above the list of all steps.
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.util.typing import ExtensionMetadata

from devices import load

FILES = ("steps.css", "steps.js")


def share(app: Sphinx, doctree: nodes.document) -> None:
    """Take script and style out of the graphs of a page, and remember that it needs them."""
    for raw in doctree.findall(nodes.raw):
        if "<vtj-steps>" in raw.astext():
            # Not above: it imports torch, which a build without this page has no use for.
            from vtj.show.graphs import ELEMENT

            html = raw.astext().replace(ELEMENT, "")
            raw.children = [nodes.Text(html)]
            raw.rawsource = html
            app.env.metadata[app.env.docname]["steps"] = "yes"


def write_files(app: Sphinx, builder: Builder) -> None:
    """Write script and style beside the site's own, if a page needs them."""
    if builder.format == "html" and any("steps" in page for page in app.env.metadata.values()):
        import vtj.show

        static = app.outdir / "_static"
        static.mkdir(exist_ok=True)
        for name in FILES:
            text = Path(vtj.show.__file__).with_name(name).read_text(encoding="utf-8")
            (static / name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look at every page that was read."""
    app.connect("doctree-read", share)
    app.connect("write-started", write_files)
    load(app, "steps", *FILES)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
