"""Formulas: each character that a page sets in mathematics is in the font that the site brings."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from tests.browser.visiting import Visit

ITALICS = [
    ("A", "Z", 0x1D434),
    ("a", "z", 0x1D44E),
    ("Α", "Ω", 0x1D6E2),
    ("α", "ω", 0x1D6FC),
]


def italic(letter: str) -> str:
    """What a browser draws for a single letter in ``<mi>``: its mathematical italic."""
    if letter == "h":
        return "\N{PLANCK CONSTANT}"
    for first, last, start in ITALICS:
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter


@pytest.fixture(scope="session")
def drawn(site: Path) -> set[int]:
    cmap: dict[int, str] = TTFont(site / "_static" / "fonts" / "site-math.woff2").getBestCmap()
    return set(cmap)


def test_every_character_is_in_the_font(site: Path, page_path: str, drawn: set[int]) -> None:
    soup = BeautifulSoup((site / page_path).read_text(encoding="utf-8"), "html.parser")
    needed: set[str] = set()
    for formula in soup.find_all("math"):
        text = formula.get_text()
        needed.update(text)
        needed.update(
            italic(name.get_text())
            for name in formula.find_all("mi")
            if len(name.get_text()) == 1 and name.get("mathvariant") != "normal"
        )
    missing = {character for character in needed - {"\n"} if ord(character) not in drawn}
    assert {f"{character} U+{ord(character):04X}" for character in missing} == set()


def test_formulas_are_drawn_in_the_font(disk_page: Visit) -> None:
    drawn_in = disk_page.page.evaluate(
        """async () => {
          await document.fonts.ready;
          return [...document.querySelectorAll("math")].every((math) =>
            getComputedStyle(math).fontFamily.startsWith('"Site Math"'))
            && (!document.querySelector("math") || document.fonts.check('16px "Site Math"'));
        }"""
    )
    assert drawn_in


def test_a_line_over_a_conjugate_is_drawn(fresh: Visit, site: Path) -> None:
    styles = (site / "_static" / "mathml.css").read_text(encoding="utf-8")
    fresh.page.set_content(
        f"<style>{styles}</style><math><menclose notation='top' class='tml-overline'>"
        "<mi>z</mi></menclose><mo>=</mo><mi>z</mi></math>"
    )
    line = fresh.page.locator("menclose")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).borderTopWidth)") > 0
    box, name = line.bounding_box(), line.locator("mi").bounding_box()
    assert box is not None
    assert name is not None
    assert box["y"] < name["y"]
