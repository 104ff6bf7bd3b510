"""One motif, weights that slide onto rows and add up: the front page's picture, icons and card.

All of it is drawn by the build from the example that conf.py names, once the library has confirmed
it: the numbers of the picture are torch's own, and the dots of the mark grow as its weights do.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from identity import mark

if TYPE_CHECKING:
    from vtj.show.measured import Measured

ICON, TOUCH, CARD = "favicon.svg", "apple-touch-icon.png", "social-card.png"


@cache
def measured(address: str) -> "Measured":
    """Return what torch computes for the example of a builder, ``module:builder``.

    Raises:
        JacobianMismatch: if the library does not confirm it.
    """
    # Not above: it imports torch, which a build that shows none of this has no use for.
    from vtj.show.measured import measure

    module, _, builder = address.partition(":")
    example = getattr(import_module(module), builder)()
    return measure(example.f, example.x, example.v)


class MotifDirective(SphinxDirective):
    """Puts the picture on the page."""

    def run(self) -> list[nodes.Node]:
        """Return the drawing, in a box whose parts the style sheet moves."""
        from identity.picture import picture

        drawn = picture(measured(self.config.identity_example))
        return [nodes.raw("", f'<div class="vtj-motif">{drawn.html}</div>', format="html")]


def add_mark(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Hand the mark to the templates, which put it before the site's name."""
    if app.config.identity_example:
        context["mark"] = mark.inline(measured(app.config.identity_example).v)


def write_files(app: Sphinx, builder: Builder) -> None:
    """Write icons and card beside the site's other files."""
    if builder.format != "html" or not app.config.identity_example:
        return
    from identity import card

    seen = measured(app.config.identity_example)
    static = app.outdir / "_static"
    static.mkdir(exist_ok=True)
    (static / ICON).write_text(mark.icon(seen.v), encoding="utf-8")
    card.touch_icon(seen.v).save(static / TOUCH, optimize=True)
    card.card(seen, app.config.project).save(static / CARD, optimize=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and its example, ``module:builder``."""
    app.add_config_value("identity_example", "", "env")
    app.add_directive("motif", MotifDirective)
    app.connect("write-started", write_files)
    app.connect("html-page-context", add_mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
