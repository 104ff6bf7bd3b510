"""``{painter}``: paint v on the result of an operation on an image, and see x.grad as an image.

The element works in the reader's browser, from disk too. Its script is run beside torch when the
page is read; without JavaScript, torch's own images stand in its place.
"""

from collections.abc import Callable
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from devices import Device, load

CAPTIONS = {"x": "x, the image", "y": "y, the result", "v": "v, a weight for each pixel of y"}


class PainterDirective(Device):
    """Puts the element on a page, beginning with the operation that ``:operation:`` names."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "operation": directives.unchanged_required
    }

    def run(self) -> list[nodes.Node]:
        """Return the element, with torch's images inside."""
        # Not above: it imports torch, which a build without this page has no use for.
        from devices.painter import operations

        name = self.chosen("operation", operations.OPERATIONS)
        self.hold()
        self.proved(operations.SCRIPT, operations.prove)
        return [nodes.raw("", element(name), format="html")]


def element(name: str) -> str:
    """Return the element as HTML; without JavaScript it is four images and what they show."""
    from devices.painter import operations
    from vtj_site.figures.pixels import png

    state, images, (i, j) = operations.given(name)
    figures = []
    for of, pixels in images.items():
        rows, columns = pixels.shape
        caption = CAPTIONS.get(of, "x.grad")
        figures.append(
            f'<figure><span class="painter-frame"><img data-of="{of}" src="{png(pixels)}" '
            f'alt="{escape(_described(caption, pixels))}" width="{columns}" height="{rows}">'
            f'</span><figcaption>{caption}: <span data-size="{of}">{rows} × {columns}</span>'
            "</figcaption></figure>"
        )
    y, x = images["y"], images["x"]
    shown = {"x": x, "y": y, "v": images["v"], "x.grad": images["grad"]}
    said = ", ".join(f"{of} = {operations.written(t[i, j].item())}" for of, t in shown.items())
    return (
        f'<vtj-painter data-given="{escape(state)}"><div class="painter-pictures">'
        f"{''.join(figures)}</div>"
        f"<p><code data-code>y = {operations.OPERATIONS[name].code}</code>: "
        f"J would have <span data-entries>{y.numel() * x.numel():,}</span> entries.</p>"
        f"<noscript><p>At [{i}, {j}]: {said}. With JavaScript you can paint v here.</p></noscript>"
        "</vtj-painter>"
    )


def _described(caption: str, values: Any) -> str:
    low, high = values.min().item(), values.max().item()
    return (
        f"{caption}: {int(values.count_nonzero())} of {values.numel()} pixels are not zero, "
        f"from {low:g} to {high:g}"
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("painter", PainterDirective)
    load(app, "painter", "painter.js", "painter.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
