"""Which characters the math font of the site can show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import unescape

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

_HOLES = (
    (0x3A2, 0x3A2),
    (0x3CF, 0x3CF),
    (0x3D3, 0x3D4),
    (0x3D7, 0x3D7),
    (0x3E2, 0x3EF),
    (0x3F2, 0x3F3),
    (0x2023, 0x2024),
    (0x2072, 0x2073),
    (0x208F, 0x209C),
    (0x1D455, 0x1D455),
    (0x1D49D, 0x1D49D),
    (0x1D4A0, 0x1D4A1),
    (0x1D4A3, 0x1D4A4),
    (0x1D4A7, 0x1D4A8),
    (0x1D4AD, 0x1D4AD),
    (0x1D53A, 0x1D53A),
    (0x1D53F, 0x1D53F),
    (0x1D545, 0x1D545),
    (0x1D547, 0x1D549),
)
"""Within the ranges, what is no character or what STIX Two Math does not have."""

_ITALICS = (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("Α", "Ω", 0x1D6E2), ("α", "ω", 0x1D6FC))
_NAME = re.compile(r'<mi(?![^>]*mathvariant="normal")[^>]*>([^<&])</mi>')


@cache
def repertoire() -> frozenset[int]:
    """Return the code points that the font shows.

    Example:
        >>> ord("∂") in repertoire(), ord("⊤") in repertoire(), ord("漢") in repertoire()
        (True, True, False)
    """
    return frozenset(_codes(_RANGES)) - frozenset(_codes(_HOLES))


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


def _codes(ranges: Iterable[tuple[int, int]]) -> Iterable[int]:
    return (code for first, last in ranges for code in range(first, last + 1))
