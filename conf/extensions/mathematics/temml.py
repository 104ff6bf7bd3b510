"""TeX to MathML, by Temml in a JavaScript interpreter that dukpy brings: no node, no network."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dukpy  # type: ignore[import-untyped]

VERSION = "0.13.5"  # of temml.min.js beside this file, as published on npm

# The only trusted command: it names a color that the style sheet fits to the theme.
_RENDER = r"""
(function () {
  try {
    return {
      mathml: temml.renderToString(dukpy.tex, {
        displayMode: dukpy.display,
        macros: dukpy.macros,
        throwOnError: true,
        annotate: false,
        trust: function (context) { return context.command === "\\class"; }
      })
    };
  } catch (error) {
    return { error: String(error.message) };
  }
})()
"""
_COLORS = re.compile(r"\\(?:color|textcolor|colorbox|fcolorbox|definecolor)(?![A-Za-z])")
_ENCLOSED = re.compile(r'<menclose notation="([^"]*)"')
_BRACKETS = (  # around a matrix: mathml.css draws them
    '<mo fence="true" form="prefix" stretchy="true">[</mo><mtable',
    '</mtable><mo fence="true" form="postfix" stretchy="true">]</mo>',
)
_DRAWN = ("top", "bottom")
_UNDERLINE = "\N{COMBINING LOW LINE}"  # Temml marks the faulty letters with it


class TexError(ValueError):
    """TeX that Temml cannot turn into MathML, or that this site does not allow."""


def render(tex: str, *, display: bool, macros: Mapping[str, str] | None = None) -> str:
    r"""Return the ``<math>`` element of a TeX formula without delimiters.

    ``macros`` are names, without the backslash, and their TeX; ``#1`` is the first argument.

    Raises:
        TexError: if Temml does not understand ``tex``, if it names a fixed color, or if no browser
            draws it.
    """
    if color := _COLORS.search(tex):
        raise TexError(
            f"{color[0]} sets one color for both themes, which one of them cannot show; "
            r"use \class{row-1}{…}, which the style sheet colors"
        )
    result = _interpreter().evaljs(
        _RENDER,
        tex=tex,
        display=display,
        macros={f"\\{name}": body for name, body in (macros or {}).items()},
    )
    if "error" in result:
        message = result["error"].replace(_UNDERLINE, "")
        raise TexError(" ".join(message.split()))
    mathml = str(result["mathml"])
    for notation in _ENCLOSED.findall(mathml):
        if notation not in _DRAWN:
            raise TexError(
                f"<menclose notation={notation!r}> is drawn by no browser, and mathml.css draws "
                f"{' and '.join(_DRAWN)} alone"
            )
    for bracket in _BRACKETS:
        mathml = mathml.replace(bracket, bracket.replace("<mo ", '<mo class="bracket" '))
    return mathml


@cache
def _interpreter() -> Any:
    interpreter = dukpy.JSInterpreter()
    source = Path(__file__).with_name("temml.min.js").read_text(encoding="utf-8")
    interpreter.evaljs(f"{source};0")
    return interpreter
