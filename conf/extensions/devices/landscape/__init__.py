"""``{landscape}``: turn v, and see the lines of equal v·y turn, with x.grad uphill.

The element works in the reader's browser, from disk too. Its script is run beside torch when the
page is read; without JavaScript, what it draws and says of one setting stands in its place.
"""

from collections.abc import Callable
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from devices import Device, load

PICTURES = {  # side in pixels, what is drawn beneath, what stands below
    "v": (
        200,
        '<path class="landscape-axis" d="M10 100H190M100 10V190M30 30H170V170H30Z"/>'
        '<text x="184" y="118">v₁</text><text x="86" y="18">v₂</text>',
        "v, a weight for each output",
    ),
    "land": (
        360,
        '<path class="landscape-axis" d="M0 180H360M180 0V360"/>'
        '<text x="332" y="198">x₁ = 3</text><text x="208" y="16">x₂ = 3</text>',
        "Where v·y is equal, and <code>x.grad</code>",
    ),
    "sum": (
        200,
        '<path class="landscape-axis" d="M10 100H190M100 10V190"/>',
        '<span class="landscape-key landscape-row-1">v₁ × row 1 of J</span> + '
        '<span class="landscape-key landscape-row-2">v₂ × row 2</span> = '
        '<span class="landscape-key landscape-grad">x.grad</span>',
    ),
}


class LandscapeDirective(Device):
    """Puts the element on a page, beginning with the function that ``:function:`` names."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "function": directives.unchanged_required
    }

    def run(self) -> list[nodes.Node]:
        """Return the element, with what it draws and says of the setting it begins with inside."""
        # Not above: they import torch, which a build without this page has no use for.
        from devices.landscape import functions, proof

        name = self.chosen("function", functions.FUNCTIONS)
        self.hold()
        script = self.proved(functions.SCRIPT, proof.prove)
        return [nodes.raw("", element(name, *functions.given(script, name)), format="html")]


def element(name: str, state: str, shown: dict[str, Any]) -> str:
    """Return the element as HTML: without JavaScript it is what is shown of one setting."""
    from devices.landscape.functions import FUNCTIONS

    figures = "".join(_figure(of, shown) for of in PICTURES)
    lines = "".join(
        f'<p data-line="{line}">{escape(words)}</p>' for line, words in shown["texts"].items()
    )
    return (
        f'<vtj-landscape data-given="{escape(state)}">'
        f'<div class="landscape-pictures">{figures}</div>'
        f"<p><code data-code>y = {escape(FUNCTIONS[name].code)}</code></p>"
        f"<div data-told>{lines}</div>"
        "<noscript><p>With JavaScript you can turn v and move x here.</p></noscript>"
        "</vtj-landscape>"
    )


def _figure(of: str, shown: dict[str, Any]) -> str:
    side, beneath, caption = PICTURES[of]
    hold = shown["holds"].get(of)
    held = (
        f'<circle class="landscape-hold" r="7" transform="translate({hold[0]},{hold[1]})"/>'
        if hold
        else ""
    )
    return (
        f'<figure class="landscape-{of}-picture"><svg viewBox="0 0 {side} {side}" role="img" '
        f'data-of="{of}" aria-label="{escape(shown["names"][of])}">{beneath}'
        f"<g>{shown['drawn'][of]}</g>{held}</svg><figcaption>{caption}</figcaption></figure>"
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("landscape", LandscapeDirective)
    load(app, "landscape", "landscape.js", "landscape.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
