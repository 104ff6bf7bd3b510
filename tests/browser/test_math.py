"""Formulas are drawn in the font that the site brings, which has all their characters.

That it has them is seen when the site is built: a missing one is a warning (mathematics.missing).
"""

from pathlib import Path

from tests.browser.visiting import Visit


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
