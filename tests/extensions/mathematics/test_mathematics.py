"""Formulas are MathML when the site is built, and what no browser can show fails the build."""

import re
from pathlib import Path

import pytest
from mathematics import aligned
from mathematics.temml import TexError, render

from tests.extensions.conftest import built

SETTINGS = {
    "extensions": ["myst_nb", "mathematics"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
    "html_math_renderer": "mathml",
    "mathml_macros": {"mine": "x", "slope": r"\frac{#1}{#2}"},
    "myst_enable_extensions": ["dollarmath", "amsmath"],
}
NUMBERED = [rf"\begin{{{name}}}a\\b\end{{{name}}}" for name in ("align", "gather", "multline")]
LABELED = [f"```{{math}}\n:label: {tex[7:9]}\n:no-wrap:\n{tex}\n```" for tex in NUMBERED]
PAGES = {
    "deep/page": "# Title\n\nIn $x_1$ line.\n\n$$\na &= b \\\\ &= c\n$$\n\nBy {eq}`mine`.\n\n"
    "$$\nx\n$$ (mine)\n",
    "numbered": "\n\n".join(["# Numbered", *NUMBERED, *LABELED]),
    "macros": r"# Macros" "\n\n" r"$\slope{y}{\mine}$",
    "bad": "# Bad\n\n$$\na\n\\nosuch\n$$\n\n$\\bad{<}$ $漢$\n",
    "plain": "# Plain\n",
}
DISPLAY = '<math display="block" class="tml-display" style="display:block math;">'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a site with formulas, and the warnings of its build."""
    folder = tmp_path_factory.mktemp("mathematics")
    return folder, built(folder, PAGES, SETTINGS)


def page(site: tuple[Path, str], name: str) -> str:
    return (site[0] / "html" / f"{name}.html").read_text(encoding="utf-8")


def test_formulas_are_mathml_and_need_no_script(site: tuple[Path, str]) -> None:
    lines = render(r"\begin{aligned}a &= b \\ &= c\end{aligned}", display=True)
    assert lines.count("<mtr>") == 2
    assert (
        'title="Link to this heading">¶</a></h1>\n'
        '<p>In <span class="math notranslate nohighlight">'
        "<math><msub><mi>x</mi><mn>1</mn></msub></math></span> line.</p>\n"
        '<div class="math notranslate nohighlight">\n'
        f'<div class="math-scroll">{lines}</div></div>\n'
        '<p>By <a class="reference internal" href="#equation-mine">(1)</a>.</p>\n'
        '<div class="math notranslate nohighlight" id="equation-mine">\n'
        f'<div class="math-scroll">{DISPLAY}<mi>x</mi></math></div>'
        '<span class="eqno">(1)<a class="headerlink" href="#equation-mine" '
        'title="Link to this equation">¶</a></span></div>\n</section>'
    ) in page(site, "deep/page")
    assert "MathJax" not in page(site, "deep/page")


def test_an_environment_that_numbers_itself_has_one_number(site: tuple[Path, str]) -> None:
    text = page(site, "numbered")
    for tex in NUMBERED:
        starred = render(tex.replace("}", "*}"), display=True)
        assert "tml-eqn" not in starred  # Temml's own numbers
        assert text.count(f'<div class="math-scroll">{starred}</div>') == 2
    assert len(set(re.findall(r'<span class="eqno">\((\d)\)', text))) == 6


def test_a_macro_is_the_tex_it_stands_for(site: tuple[Path, str]) -> None:
    assert "<math><mfrac><mi>y</mi><mi>x</mi></mfrac></math>" in page(site, "macros")


def test_bad_tex_is_a_warning_with_file_and_line(site: tuple[Path, str]) -> None:
    here = site[0] / "docs" / "bad.md"
    assert site[1] == (
        f"{here}:3: WARNING: Unsupported function name: \\nosuch at position 3: a \\nosuch, "
        "in the formula a\n\\nosuch [mathml]\n"
        f"{here}:8: WARNING: Unsupported function name: \\bad at position 1: \\bad{{<}}, "
        "in the formula \\bad{<} [mathml]\n"
        f"{here}:8: WARNING: the math font has no 漢 (U+6F22), in the formula 漢: "
        "see mathematics/font.py [mathml]\n"
    )
    shown = '<span class="math notranslate nohighlight"><code>\\bad{&lt;}</code></span>'
    assert f"<p>{shown} " in page(site, "bad")


def test_only_pages_with_formulas_ask_for_the_font_at_once(site: tuple[Path, str]) -> None:
    text, plain = page(site, "deep/page"), page(site, "plain")
    assert (
        'initial-scale=1" />\n\n<script>if(location.protocol.startsWith("http"))'
        'document.head.append(Object.assign(document.createElement("link"),{rel:"preload",as:"font"'
        ',type:"font/woff2",crossOrigin:"",href:"../_static/fonts/site-math.woff2"}))</script>'
    ) in text
    assert '<link rel="stylesheet" type="text/css" href="../_static/mathml.css" />' in text
    assert "site-math.woff2" not in plain
    assert "mathml.css" not in plain


COLOR = (
    r"\{} sets one color for both themes, which one of them cannot show; use "
    r"\class{{row-1}}{{…}}, which the style sheet colors"
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
            r"\cancel{z}",
            "<menclose notation='updiagonalstrike'> is drawn by no browser, and mathml.css draws "
            "top and bottom alone",
        ),
        *(
            (rf"\{command}{{red}}{{x}}", COLOR.format(command))
            for command in ("color", "textcolor", "colorbox", "fcolorbox", "definecolor")
        ),
        (r"\colorful x", r"Unsupported function name: \colorful at position 1: \colorful x"),
        (r"\mine", r"Unsupported function name: \mine at position 1: \mine"),
    ],
)
def test_bad_tex_is_refused_with_what_is_wrong(tex: str, said: str) -> None:
    with pytest.raises(TexError, match=f"^{re.escape(said)}$"):
        render(tex, display=False)


@pytest.mark.parametrize(
    ("tex", "markup"),
    [
        (r"\class{row-1}{x}", '<mi class="row-1">x</mi>'),
        (r"\overline{z}", 'class="tml-overline"'),
        (r"\underline{z}", 'class="tml-underline"'),
    ],
)
def test_what_the_style_sheet_draws_is_accepted(tex: str, markup: str) -> None:
    assert markup in render(tex, display=False)


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


@pytest.mark.parametrize(
    ("tex", "brackets"),
    [(r"\begin{bmatrix}1\\2\end{bmatrix}", 2), (r"\begin{cases}1\\2\end{cases}", 0), ("[1]", 0)],
)
def test_the_brackets_of_a_matrix_are_drawn_by_the_style_sheet(tex: str, brackets: int) -> None:
    assert render(tex, display=True).count('<mo class="bracket"') == brackets
