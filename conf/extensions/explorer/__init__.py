"""``{explorer}``: change x and v, and see the weighted rows of J add up to x.grad.

The element works in the reader's browser, from disk too. Its functions are derived from the
library's examples when the site is built; without JavaScript, the numbers that torch computed at
build stand in its place.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from explorer.functions import explored, script
from explorer.picture import picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.util.typing import ExtensionMetadata

FUNCTIONS = "explorer-functions.js"


class ExplorerDirective(SphinxDirective):
    """Puts the explorer on a page, once, beginning with the function that ``:function:`` names."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "function": directives.unchanged_required
    }

    def run(self) -> list[nodes.Node]:
        """Return the element, with the picture of its first function inside."""
        functions = {
            function.name: function
            for function in (explored(*entry) for entry in self.config.explorer_functions.items())
        }
        name = self.options.get("function", next(iter(functions)))
        if name not in functions:
            raise self.error(f"explorer: no function {name!r}; there are {', '.join(functions)}")
        if "explorer" in self.env.metadata[self.env.docname]:
            raise self.error("explorer: a page holds one, since its state is in the page's address")
        self.env.metadata[self.env.docname]["explorer"] = name
        self.env.note_dependency(inspect.getfile(functions[name].example.f))
        element = f'<vtj-explorer function="{name}">{picture(functions[name])}</vtj-explorer>'
        return [nodes.raw("", element, format="html")]


def write_functions(app: Sphinx, builder: Builder) -> None:
    """Write the functions beside the site's other scripts, if a page explores them."""
    if builder.format == "html" and any("explorer" in page for page in app.env.metadata.values()):
        static = app.outdir / "_static"
        static.mkdir(exist_ok=True)
        functions = [explored(*entry) for entry in app.config.explorer_functions.items()]
        (static / FUNCTIONS).write_text(script(functions), encoding="utf-8")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Load the scripts on the pages that explore."""
    if "explorer" in app.env.metadata.get(pagename, {}):
        app.add_js_file(FUNCTIONS, defer="defer")
        app.add_js_file("explorer.js", defer="defer")
        app.add_css_file("explorer.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and its functions: title to ``module:builder``, in order."""
    app.add_config_value("explorer_functions", {}, "env", types=frozenset({dict}))
    app.add_directive("explorer", ExplorerDirective)
    app.connect("write-started", write_functions)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
