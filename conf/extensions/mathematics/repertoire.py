"""Which characters the math font of the site can show."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

FONT = Path(__file__).parents[2] / "static" / "fonts" / "site-math.woff2"
_ITALICS = (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("Α", "Ω", 0x1D6E2), ("α", "ω", 0x1D6FC))
_NAME = re.compile(r'<mi(?![^>]*mathvariant="normal")[^>]*>([^<&])</mi>')


@cache
def repertoire() -> frozenset[int]:
    """Return the code points that the font shows.

    Example:
        >>> ord("∂") in repertoire(), ord("⊤") in repertoire(), ord("漢") in repertoire()
        (True, True, False)
    """
    return frozenset(TTFont(FONT).getBestCmap())


def missing(mathml: str) -> list[str]:
    """Return the characters of a formula that the font cannot show.

    Args:
        mathml: the formula's markup.

    Example:
        >>> missing("<math><mi>x</mi><mo>⊤</mo><mi>漢</mi></math>")
        ['漢']
    """
    shown = unescape(re.sub(r"<[^>]*>", "", mathml))
    drawn = {*shown, *map(_italic, _NAME.findall(mathml))} - {"\n"}
    return sorted(character for character in drawn if ord(character) not in repertoire())


def _italic(letter: str) -> str:
    """Return what a browser draws for a single letter in ``<mi>``."""
    if letter == "h":
        return "\N{PLANCK CONSTANT}"
    for first, last, start in _ITALICS:
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter
