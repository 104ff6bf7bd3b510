"""Make the math font of the site: the part of STIX Two Math that TeX formulas here can need.

Readers' machines often hold no OpenType math font, and MathML without one looks broken. The whole
font is 560 kB; this part of it is a tenth. To make it anew, from the TTF that ziamath ships::

    python -m mathml.font conf/static/fonts/site-math.woff2

The part carries a name of its own, so that no name reserved by the license is used.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

NAME = "Site Math"

_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xBF),  # ¬ ° ± ·
    (0xD7, 0xD7),  # ×
    (0xF7, 0xF7),  # ÷
    (0x131, 0x131),  # dotless i and j, for accents
    (0x237, 0x237),
    (0x2C6, 0x2DC),  # hats, bars, dots, tildes: alone and combining
    (0x300, 0x30C),
    (0x20D6, 0x20D7),
    (0x391, 0x3F6),  # Greek
    (0x2010, 0x2026),  # dashes, quotes, bullets, dots
    (0x2032, 0x2037),  # primes
    (0x2057, 0x2057),
    (0x2061, 0x2064),  # invisible operators
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x2102, 0x2102),  # letterlike: ℂ ℎ ℓ ℒ ℕ ℝ ℤ
    (0x210B, 0x2115),
    (0x211B, 0x211D),
    (0x2124, 0x2124),
    (0x212C, 0x2133),
    (0x2190, 0x2199),  # arrows
    (0x21A6, 0x21AA),
    (0x21BC, 0x21CC),
    (0x21D0, 0x21D4),
    (0x2200, 0x221E),  # mathematical operators
    (0x2223, 0x222E),
    (0x2234, 0x223C),
    (0x2243, 0x2248),
    (0x2254, 0x2265),
    (0x226A, 0x226B),
    (0x2282, 0x228B),
    (0x2295, 0x2299),
    (0x22A4, 0x22A5),
    (0x22C0, 0x22C6),
    (0x22EE, 0x22F1),
    (0x2308, 0x230B),  # floors and ceilings
    (0x23B0, 0x23B5),  # brackets and braces, over and under
    (0x23DC, 0x23E1),
    (0x25A0, 0x25A1),  # squares, triangles, circles
    (0x25B2, 0x25C3),
    (0x25CB, 0x25CF),
    (0x27E6, 0x27EB),  # angle and double brackets
    (0x27F5, 0x27FC),  # long arrows
    (0x2A7D, 0x2A7E),  # slanted ≤ and ≥
    (0x1D400, 0x1D4B5),  # bold, italic, bold italic, script capitals
    (0x1D538, 0x1D550),  # double-struck capitals
    (0x1D5A0, 0x1D5D3),  # sans-serif, for \mathsf
    (0x1D670, 0x1D6A5),  # monospace, for \mathtt; dotless italic i and j
    (0x1D6E2, 0x1D71B),  # italic Greek
    (0x1D7CE, 0x1D7D7),  # bold digits, the double-struck 1, monospace digits
    (0x1D7D9, 0x1D7D9),
    (0x1D7F6, 0x1D7FF),
)


def repertoire() -> set[int]:
    """Return the code points that the font must show where STIX Two Math can.

    Example:
        >>> ord("∂") in repertoire(), ord("⊤") in repertoire(), ord("漢") in repertoire()
        (True, True, False)
    """
    return {code for first, last in _RANGES for code in range(first, last + 1)}


def write(target: Path) -> None:
    """Write the font to ``target`` as WOFF2; the same bytes each time from the same source."""
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["ccmp", "dtls", "flac", "mark", "mkmk"]  # no ssty: half the size
    options.hinting = False
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 7, 13, 14]  # names, copyright, license
    font = TTFont(_source(), recalcTimestamp=False)
    part = subset.Subsetter(options)
    part.populate(unicodes=repertoire())
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
    write(Path(sys.argv[1]))
