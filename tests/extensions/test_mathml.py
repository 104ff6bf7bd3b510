from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mathml.temml import TexError, render

Build = Callable[..., str]
MATHML = {
    "nb_execution_mode": "off",
    "html_math_renderer": "mathml",
    "mathml_macros": {"vJ": r"v^\top J", "slope": r"\frac{\partial #1}{\partial #2}"},
    "myst_enable_extensions": ["dollarmath", "amsmath"],
}


@pytest.fixture
def written(build: Build, tmp_path: Path) -> Callable[[str], tuple[str, str]]:
    """Build one page; return its body and the warnings."""

    def run(text: str) -> tuple[str, str]:
        warnings = build("mathml", config=MATHML, page=f"# Title\n\n{text}\n")
        return (tmp_path / "html" / "page.html").read_text(encoding="utf-8"), warnings

    return run


def test_a_formula_is_mathml_and_needs_no_script(written: Callable[[str], tuple[str, str]]) -> None:
    page, warnings = written("The product $x_1$.")
    assert warnings == ""
    assert "<math><msub><mi>x</mi><mn>1</mn></msub></math>" in page
    assert "MathJax" not in page


def test_macros_come_from_the_configuration(written: Callable[[str], tuple[str, str]]) -> None:
    page, warnings = written(r"$\vJ$ and $\slope{y}{x}$")
    assert warnings == ""
    assert "<mi>v</mi>" in page
    assert page.count("<mi>∂</mi>") == 2


def test_sphinx_numbers_a_labelled_equation_and_links_to_it(
    written: Callable[[str], tuple[str, str]],
) -> None:
    page, warnings = written("$$\ny = 3x\n$$ (triple)\n\nBy {eq}`triple`.")
    assert warnings == ""
    assert '<span class="eqno">(1)<a class="headerlink" href="#equation-triple"' in page
    assert '<a class="reference internal" href="#equation-triple">(1)</a>' in page


def test_an_align_environment_has_one_number(written: Callable[[str], tuple[str, str]]) -> None:
    page, warnings = written("\\begin{align}\na &= b \\\\\n&= c\n\\end{align}")
    assert warnings == ""
    assert len(re.findall(r'<span class="eqno">\(1\)', page)) == 1
    assert "tml-eqn" not in page  # Temml's own numbers


def test_the_lines_of_a_formula_stand_below_each_other(
    written: Callable[[str], tuple[str, str]],
) -> None:
    page, warnings = written("$$\ny_1 &= 3 \\\\\ny_2 &= 4\n$$")
    assert warnings == ""
    assert page.count("<mtr>") == 2


def test_a_display_formula_scrolls_in_its_own_box(
    written: Callable[[str], tuple[str, str]],
) -> None:
    page, _ = written("$$x$$")
    assert '<div class="math-scroll"><math display="block"' in page


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"\frac{1}{", "Unexpected end of input"),
        (r"\nosuchcommand", r"Unsupported function name: \nosuchcommand"),
        (r"\color{red} x", r"\color sets one color for both themes"),
        (r"\includegraphics{a.png}", "is not trusted"),
    ],
)
def test_bad_tex_is_a_warning_with_file_and_line(
    tex: str, said: str, written: Callable[[str], tuple[str, str]]
) -> None:
    page, warnings = written(f"Text.\n\n${tex}$")
    assert said in warnings
    assert re.search(r"page\.md:\d+: WARNING: .*\[mathml\]", warnings)
    assert tex in page


def test_only_pages_with_formulas_ask_for_the_font_at_once(
    written: Callable[[str], tuple[str, str]], tmp_path: Path
) -> None:
    page, _ = written("$x$")
    assert 'href:"_static/fonts/site-math.woff2"' in page
    without = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert "site-math.woff2" not in without


@pytest.mark.parametrize("command", ["color", "textcolor", "colorbox", "fcolorbox", "definecolor"])
def test_every_command_that_fixes_a_color_is_refused(command: str) -> None:
    with pytest.raises(TexError, match=r"use \\class"):
        render(rf"\{command}{{red}}{{x}}", display=False)


def test_a_class_is_what_colors_a_row() -> None:
    assert '<mi class="row-1">x</mi>' in render(r"\class{row-1}{x}", display=False)


def test_a_name_that_only_begins_like_color_is_no_color() -> None:
    with pytest.raises(TexError, match="Unsupported function name"):
        render(r"\colorful x", display=False)


@pytest.mark.parametrize("command", ["overline", "underline"])
def test_a_line_that_the_style_sheet_draws_is_accepted(command: str) -> None:
    assert f'class="tml-{command}"' in render(rf"\{command}{{z}}", display=False)


def test_what_no_browser_draws_is_refused() -> None:
    with pytest.raises(TexError, match=r"updiagonalstrike.* is drawn by no browser"):
        render(r"\cancel{z}", display=False)
