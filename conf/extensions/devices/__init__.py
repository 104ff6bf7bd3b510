"""What readers can play with: each device is an extension of its own.

A device is an element that works in the reader's browser, from disk too. Its script is run beside
torch when a page that holds it is read, and what it computes, says or draws otherwise fails the
build.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Device(SphinxDirective):
    """Puts the element of its name on a page, once."""

    def chosen(self, option: str, names: Collection[str]) -> str:
        """Return which of these names the option gives, or the first one."""
        name: str = self.options.get(option, next(iter(names)))
        if name not in names:
            raise self.error(f"{self.name}: no {option} {name!r}; there are {', '.join(names)}")
        return name

    def hold(self, kept: str = "yes") -> None:
        """Remember that the page holds this device, and what the build needs of it later."""
        metadata = self.env.metadata[self.env.docname]
        if self.name in metadata:
            raise self.error(
                f"{self.name}: a page holds one, since its state is in the page's address"
            )
        metadata[self.name] = kept

    def proved(self, script: Path, prove: Callable[[str], None]) -> str:
        """Return the text of the script, once `prove` has run it beside torch."""
        self.env.note_dependency(str(script))
        text = script.read_text(encoding="utf-8")
        try:
            prove(text)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from None
        return text


def load(app: Sphinx, device: str, *files: str) -> None:
    """Have the pages that hold the device load these scripts and styles."""

    def add_files(
        app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.Node | None
    ) -> None:
        if device in app.env.metadata.get(page, {}):
            for file in files:
                if file.endswith(".js"):
                    app.add_js_file(file, defer="defer")
                else:
                    app.add_css_file(file)

    app.connect("html-page-context", add_files)
