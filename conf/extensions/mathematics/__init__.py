"""A math renderer that writes MathML when the site is built, so that pages need no script for it.

Sphinx numbers the equations and makes their permalinks, as with its own renderers. TeX that cannot
be rendered is a warning with file and line, and so fails a build that runs with ``-W``.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from mathematics.font import missing
from mathematics.temml import TexError, render

logger = logging.getLogger(__name__)

FONT = "_static/fonts/site-math.woff2"

_ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}(?:(?!\\begin\{).)*?\\end\{\1\}", re.DOTALL)
_NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather|multline|eqnarray)\}")

# From disk a preload would be refused, and logged as an error, so it waits for a server.
_PRELOAD = """
<script>if(location.protocol.startsWith("http"))document.head.append(Object.assign(\
document.createElement("link"),{{rel:"preload",as:"font",type:"font/woff2",crossOrigin:"",\
href:"{font}"}}))</script>"""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer ``mathml`` and its one option, ``mathml_macros``."""
    app.add_config_value("mathml_macros", {}, "html")
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", add_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(_mathml(self, node, node.astext(), display=False))
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its number, in a box that scrolls if it must."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    tex = node.astext()
    tex = unnumbered(tex) if node["nowrap"] else aligned(tex)
    self.body.append('<div class="math-scroll">')
    self.body.append(_mathml(self, node, tex, display=True))
    self.body.append("</div>")
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def unnumbered(tex: str) -> str:
    """Star the environments that number themselves, since Sphinx numbers the equations."""
    return _NUMBERED.sub(r"\\\1{\2*}", tex)


def aligned(tex: str) -> str:
    r"""Set the lines of a formula (``\\``) and its paragraphs (blank lines) below each other."""
    formula = r"\\".join(part.strip() for part in re.split(r"\n\s*\n", tex.strip()))
    outside, found = formula, 1
    while found:
        outside, found = _ENVIRONMENT.subn("", outside)
    return rf"\begin{{aligned}}{formula}\end{{aligned}}" if r"\\" in outside else formula


def add_font(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Let a page with formulas ask for the font at once, so that nothing moves when it comes."""
    if context.get("has_maths_elements"):
        app.add_css_file("mathml.css")
        context["metatags"] += _PRELOAD.format(font=context["pathto"](FONT, 1))


def _mathml(self: HTML5Translator, node: nodes.Element, tex: str, *, display: bool) -> str:
    try:
        formula = render(tex, display=display, macros=self.config.mathml_macros)
    except TexError as error:
        logger.warning("%s, in the formula %s", error, tex, location=node, type="mathml")
        return f"<code>{self.encode(tex)}</code>"
    for character in missing(formula):
        logger.warning(
            "the math font has no %s (U+%04X), in the formula %s: see mathematics/font.py",
            *(character, ord(character), tex),
            location=node,
            type="mathml",
        )
    return formula
