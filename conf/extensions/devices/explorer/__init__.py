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
from sphinx.util.typing import ExtensionMetadata

from devices import Device, load

FUNCTIONS = "explorer-functions.js"


class ExplorerDirective(Device):
    """Puts the explorer on a page, beginning with the function that ``:function:`` names."""

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
        if not every:
            raise self.error(
                "explorer: explorer_functions in conf.py is empty; "
                'expected {"a title": "module:builder"}'
            )
        functions = {function.name: function for function in every}
        name = self.chosen("function", functions)
        self.hold(script(every))
        self.proved(language.SCRIPT, language.prove)
        element = f'<vtj-explorer function="{name}">{picture(functions[name])}</vtj-explorer>'
        return [nodes.raw("", element, format="html")]


def write_functions(app: Sphinx, builder: Builder) -> None:
    """Write the functions beside the site's other scripts, if a page explores them."""
    scripts = [page["explorer"] for page in app.env.metadata.values() if "explorer" in page]
    if builder.format == "html" and scripts:
        static = app.outdir / "_static"
        static.mkdir(exist_ok=True)
        (static / FUNCTIONS).write_text(scripts[0], encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and its functions: title to ``module:builder``, in order."""
    app.add_config_value("explorer_functions", {}, "env")
    app.add_directive("explorer", ExplorerDirective)
    app.connect("write-started", write_functions)
    load(app, "explorer", FUNCTIONS, "explorer-language.js", "explorer.js", "explorer.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 2}
