"""``{shapes}``: from the shapes of x, y and v, what backward needs and what torch answers.

The element works in the reader's browser, from disk too. Its script is run beside torch when the
page is read; without JavaScript, what it says of one setting stands in its place.
"""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from devices import Device, load

ROWS = {
    "shapes": "Shapes",
    "code": "You run",
    "answer": "Torch",
    "instead": "Instead",
    "v": "v is",
    "J": "J is",
}
OMIT = "May you omit v?"


class ShapesDirective(Device):
    """Puts the element on a page."""

    def run(self) -> list[nodes.Node]:
        """Return the element, with what it says of the setting that it begins with inside."""
        # Not above: it imports torch, which a build without this page has no use for.
        from devices.shapes import answers

        self.hold()
        script = self.proved(answers.SCRIPT, answers.prove)
        return [nodes.raw("", element(*answers.given(script)), format="html")]


def element(state: str, told: dict[str, Any]) -> str:
    """Return the element as HTML: without JavaScript it is what is told of one setting."""
    rows = "".join(_row(name, title, told[name]) for name, title in ROWS.items())
    return (
        f'<vtj-shapes data-given="{escape(state)}"{_kind(told)}>'
        "<noscript><p>With JavaScript you can write your own shapes here.</p></noscript>"
        f"<dl>{rows}{_row('omit', OMIT, told['omit'])}</dl></vtj-shapes>"
    )


def _kind(told: dict[str, Any]) -> str:
    return ' class="shapes-error"' if told["refused"] else ""


def _row(name: str, title: str, text: str) -> str:
    kind = f' class="shapes-{name}"' if name in ("shapes", "instead") else ""
    tag = "code" if name in ("code", "instead") else "span"
    held = f'<{tag} data-of="{name}">{escape(text)}</{tag}>'
    return f"<dt{kind}>{title}</dt><dd{kind}>{held}</dd>"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("shapes", ShapesDirective)
    load(app, "shapes", "shapes.js", "shapes.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
