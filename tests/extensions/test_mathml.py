from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mathml import aligned
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


DISPLAY = '<math display="block" class="tml-display" style="display:block math;">'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "In $x$ line.",
            '<p>In <span class="math notranslate nohighlight"><math><mi>x</mi></math></span>'
            " line.</p>\n",
        ),
        (
            "$$\nx\n$$",
            '<div class="math notranslate nohighlight">\n'
            f'<div class="math-scroll">{DISPLAY}<mi>x</mi></math></div></div>\n',
        ),
        (
            "$$\nx\n$$ (mine)",
            '<div class="math notranslate nohighlight" id="equation-mine">\n'
            f'<div class="math-scroll">{DISPLAY}<mi>x</mi></math></div>'
            '<span class="eqno">(1)<a class="headerlink" href="#equation-mine" '
            'title="Link to this equation">¶</a></span></div>\n',
        ),
        (
            r"$\bad{<}$",
            '<p><span class="math notranslate nohighlight"><code>\\bad{&lt;}</code></span></p>\n',
        ),
    ],
)
def test_what_stands_on_the_page(
    text: str, html: str, written: Callable[[str], tuple[str, str]]
) -> None:
    page, _ = written(text)
    assert f'title="Link to this heading">¶</a></h1>\n{html}</section>' in page


@pytest.mark.parametrize("environment", ["align", "gather", "equation"])
def test_an_environment_that_numbers_itself_is_left_as_it_is_but_for_its_number(
    environment: str, written: Callable[[str], tuple[str, str]]
) -> None:
    tex = rf"\begin{{{environment}}}a\end{{{environment}}}"
    page, warnings = written(f"{tex}\n\n```{{math}}\n:label: mine\n:no-wrap:\n{tex}\n```\n")
    assert warnings == ""
    starred = render(tex.replace("}", "*}"), display=True)
    assert page.count(f'<div class="math-scroll">{starred}</div>') == 2
    assert re.findall(r'<span class="eqno">\((\d)\)', page) == ["1", "2"]


def test_a_macro_that_changes_changes_the_pages(build: Build, tmp_path: Path) -> None:
    page = tmp_path / "html" / "page.html"
    for macro, shown in (("x", "<mi>x</mi>"), ("y", "<mi>y</mi>")):
        config = MATHML | {"mathml_macros": {"mine": macro}}
        assert build("mathml", config=config, fresh=False, page="# Title\n\n$\\mine$\n") == ""
        assert shown in page.read_text(encoding="utf-8")


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


def test_bad_tex_is_a_warning_with_file_and_line(
    written: Callable[[str], tuple[str, str]], tmp_path: Path
) -> None:
    _, warnings = written("$$\na\n\\nosuch\n$$\n\nText.\n\n$漢$")
    here = tmp_path / "docs" / "page.md"
    assert warnings == (
        f"{here}:8: WARNING: Unsupported function name: \\nosuch at position 3: a \\nosuch, "
        "in the formula a\n\\nosuch [mathml]\n"
        f"{here}:15: WARNING: the math font has no 漢 (U+6F22), in the formula 漢: "
        "see mathml/repertoire.py [mathml]\n"
    )


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (
            r"\frac{1}{",
            "Unexpected end of input in a macro argument, expected '}' at end of input: \\frac{1}{",
        ),
        (
            r"\includegraphics{a.png}",
            r'Function "\includegraphics" is not trusted at position 1: \includegraphics{a.png}',
        ),
        (
            r"\color{red} x",
            r"\color sets one color for both themes, which one of them cannot show; use "
            r"\class{row-1}{…}, which the style sheet colors",
        ),
    ],
)
def test_bad_tex_is_refused_with_what_is_wrong(tex: str, said: str) -> None:
    with pytest.raises(TexError, match=f"^{re.escape(said)}$"):
        render(tex, display=False)


def test_only_pages_with_formulas_ask_for_the_font_at_once(build: Build, tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    build("mathml", config=MATHML, **{"deep/page": "# Title\n\n$x$\n", "plain": "# Plain\n"})
    page, plain = (
        (tmp_path / "html" / f"{name}.html").read_text(encoding="utf-8")
        for name in ("deep/page", "plain")
    )
    assert (
        'initial-scale=1" />\n\n<script>if(location.protocol.startsWith("http"))'
        'document.head.append(Object.assign(document.createElement("link"),{rel:"preload",as:"font"'
        ',type:"font/woff2",crossOrigin:"",href:"../_static/fonts/site-math.woff2"}))</script>'
    ) in page
    assert '<link rel="stylesheet" type="text/css" href="../_static/mathml.css" />' in page
    assert "site-math.woff2" not in plain
    assert "mathml.css" not in plain


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


@pytest.mark.parametrize(
    ("tex", "lines"),
    [
        (" x ", "x"),
        ("a \n \n b\n\nc", r"\begin{aligned}a\\b\\c\end{aligned}"),
        (r"a \\ b", r"\begin{aligned}a \\ b\end{aligned}"),
        (r"\begin{a}1 \\ \begin{b}2 \\ 3\end{b}\end{a}", None),
        ("\\begin{b*}2 \\\\\n3\\end{b*} = x", None),
        (r"\begin{b}2\end{b} \\ x", r"\begin{aligned}\begin{b}2\end{b} \\ x\end{aligned}"),
    ],
)
def test_lines_are_aligned_unless_an_environment_holds_them(tex: str, lines: str | None) -> None:
    assert aligned(tex) == (tex if lines is None else lines)
