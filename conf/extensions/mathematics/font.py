"""The math font of the site: the part of STIX Two Math that TeX formulas here can need.

Readers' machines often hold no OpenType math font, and MathML without one looks broken. The whole
font is 560 kB; this part of it is a tenth. To make it anew, from the TTF that ziamath ships, with
the characters that it has and with more of them::

    cd conf/extensions && python -m mathematics.font ../static/fonts/site-math.woff2 ∮

The part carries a name of its own, so that no name reserved by the license is used.
"""

import re
import sys
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

FONT = Path(__file__).parents[2] / "static" / "fonts" / "site-math.woff2"
NAME = "Site Math"


@cache
def repertoire() -> frozenset[int]:
    """Return the code points that the font shows."""
    return frozenset(TTFont(FONT).getBestCmap())


def missing(mathml: str) -> list[str]:
    """Return the characters of a formula that the font cannot show.

    A browser draws a single letter in italics: those the font has of all letters that it has.
    """
    shown = unescape(re.sub(r"<[^>]*>|\n", "", mathml))
    return sorted(character for character in {*shown} if ord(character) not in repertoire())


def write(target: Path, more: str = "") -> None:
    """Write the font to ``target`` as WOFF2; the same bytes each time from the same source.

    Raises:
        FileNotFoundError: if ziamath, which brings STIX Two Math, is not installed.
    """
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["ccmp", "dtls", "flac"]  # no ssty: half the size
    options.hinting = False
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 7, 13, 14]  # names, copyright, license
    font = TTFont(_source(), recalcTimestamp=False)
    part = subset.Subsetter(options)
    part.populate(unicodes=repertoire() | {*map(ord, more)})
    part.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):
            record.string = NAME.replace(" ", "") if record.nameID == 6 else NAME
    subset.save_font(font, target, options)


def _source() -> Path:
    package = find_spec("ziamath")
    if package is None or package.origin is None:
        raise FileNotFoundError(
            "STIXTwoMath-Regular.ttf comes with ziamath, which is not installed"
        )
    return Path(package.origin).with_name("fonts") / "STIXTwoMath-Regular.ttf"


if __name__ == "__main__":
    write(Path(sys.argv[1]), "".join(sys.argv[2:]))
