"""``{explorer}``: change x and v, and see the weighted rows of J add up to x.grad.

The element works in the reader's browser, from disk too. Its functions are derived from the
library's examples when the site is built; what reads a function that the reader writes is run
beside torch. Without JavaScript, the numbers that torch computed at build stand in its place.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

FUNCTIONS = "explorer-functions.js"


class ExplorerDirective(SphinxDirective):
    """Puts the explorer on a page, once, beginning with the function that ``:function:`` names."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "function": directives.unchanged_required
    }

    def run(self) -> list[nodes.Node]:
        """Return the element, with the picture of its first function inside."""
        # Not above: they import torch and SymPy, which a build without this page has no use for.
        from devices.explorer import language
        from devices.explorer.functions import explored, script
        from devices.explorer.picture import picture

        every = [explored(*entry) for entry in self.config.explorer_functions.items()]
        functions = {function.name: function for function in every}
        if not functions:
            raise self.error(
                "explorer: explorer_functions in conf.py is empty; "
                'expected {"a title": "module:builder"}'
            )
        name = self.options.get("function", next(iter(functions)))
        if name not in functions:
            raise self.error(f"explorer: no function {name!r}; there are {', '.join(functions)}")
        metadata = self.env.metadata[self.env.docname]
        if "explorer" in metadata:
            raise self.error("explorer: a page holds one, since its state is in the page's address")
        metadata["explorer"] = script(list(functions.values()))
        self.env.note_dependency(str(language.SCRIPT))
        try:
            language.prove(language.SCRIPT.read_text(encoding="utf-8"))
        except ValueError as error:
            raise self.error(f"explorer: {error}") from None
        element = f'<vtj-explorer function="{name}">{picture(functions[name])}</vtj-explorer>'
        return [nodes.raw("", element, format="html")]


def write_functions(app: Sphinx, builder: Builder) -> None:
    """Write the functions beside the site's other scripts, if a page explores them."""
    scripts = [page["explorer"] for page in app.env.metadata.values() if "explorer" in page]
    if builder.format == "html" and scripts:
        static = app.outdir / "_static"
        static.mkdir(exist_ok=True)
        (static / FUNCTIONS).write_text(scripts[0], encoding="utf-8")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Load the scripts on the pages that explore."""
    if "explorer" in app.env.metadata.get(pagename, {}):
        app.add_js_file(FUNCTIONS, defer="defer")
        app.add_js_file("explorer-language.js", defer="defer")
        app.add_js_file("explorer.js", defer="defer")
        app.add_css_file("explorer.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and its functions: title to ``module:builder``, in order."""
    app.add_config_value("explorer_functions", {}, "env")
    app.add_directive("explorer", ExplorerDirective)
    app.connect("write-started", write_functions)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 2}
