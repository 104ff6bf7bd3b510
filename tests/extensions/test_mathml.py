from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mathml import aligned
from mathml.temml import TexError, render

Build = Callable[..., str]
MATHML = {
    "nb_execution_mode": "off",
    "html_math_renderer": "mathml",
    "myst_enable_extensions": ["dollarmath", "amsmath"],
}


DISPLAY = '<math display="block" class="tml-display" style="display:block math;">'
LABELED = "By {eq}`mine`.\n\n$$\nx\n$$ (mine)"


def written(build: Build, tmp_path: Path, text: str, **config: Any) -> tuple[str, str]:
    """Build one page; return it and the warnings."""
    warnings = build("mathml", config=MATHML | config, page=f"# Title\n\n{text}\n")
    return (tmp_path / "html" / "page.html").read_text(encoding="utf-8"), warnings


def test_formulas_are_mathml_and_need_no_script(build: Build, tmp_path: Path) -> None:
    text = f"In $x_1$ line.\n\n$$\na &= b \\\\ &= c\n$$\n\n{LABELED}"
    page, warnings = written(build, tmp_path, text)
    assert warnings == ""
    assert "MathJax" not in page
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
    ) in page


def test_an_environment_that_numbers_itself_has_one_number(build: Build, tmp_path: Path) -> None:
    environments = [
        rf"\begin{{{name}}}a\\b\end{{{name}}}" for name in ("align", "gather", "multline")
    ]
    directives = [f"```{{math}}\n:label: {tex[7:9]}\n:no-wrap:\n{tex}\n```" for tex in environments]
    page, warnings = written(build, tmp_path, "\n\n".join([*environments, *directives]))
    assert warnings == ""
    for tex in environments:
        starred = render(tex.replace("}", "*}"), display=True)
        assert "tml-eqn" not in starred  # Temml's own numbers
        assert page.count(f'<div class="math-scroll">{starred}</div>') == 2
    assert re.findall(r'<span class="eqno">\((\d)\)', page) == list("123456")


def test_a_macro_that_changes_changes_the_pages(build: Build, tmp_path: Path) -> None:
    macros = {"mine": "x", "slope": r"\frac{#1}{#2}"}
    text = r"$\slope{y}{\mine}$"
    page, warnings = written(build, tmp_path, text, mathml_macros=macros)
    assert warnings == ""
    assert "<math><mfrac><mi>y</mi><mi>x</mi></mfrac></math>" in page
    changed = MATHML | {"mathml_macros": macros | {"mine": "z"}}
    assert build("mathml", config=changed, fresh=False, page=f"# Title\n\n{text}\n") == ""
    page = (tmp_path / "html" / "page.html").read_text(encoding="utf-8")
    assert "<math><mfrac><mi>y</mi><mi>z</mi></mfrac></math>" in page


def test_bad_tex_is_a_warning_with_file_and_line(build: Build, tmp_path: Path) -> None:
    page, warnings = written(build, tmp_path, "$$\na\n\\nosuch\n$$\n\n$\\bad{<}$ $漢$")
    here = tmp_path / "docs" / "page.md"
    assert warnings == (
        f"{here}:8: WARNING: Unsupported function name: \\nosuch at position 3: a \\nosuch, "
        "in the formula a\n\\nosuch [mathml]\n"
        f"{here}:13: WARNING: Unsupported function name: \\bad at position 1: \\bad{{<}}, "
        "in the formula \\bad{<} [mathml]\n"
        f"{here}:13: WARNING: the math font has no 漢 (U+6F22), in the formula 漢: "
        "see mathml/repertoire.py [mathml]\n"
    )
    shown = '<span class="math notranslate nohighlight"><code>\\bad{&lt;}</code></span>'
    assert f"<p>{shown} " in page


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


def test_a_macro_is_the_tex_it_stands_for() -> None:
    macros = {"mine": "x", "slope": r"\frac{#1}{#2}"}
    written_out = render(r"\frac{x}{2} + y", display=False)
    assert render(r"\slope{\mine}{2} + y", display=False, macros=macros) == written_out
    with pytest.raises(TexError, match=r"Unsupported function name: \\mine"):
        render(r"\mine", display=False)


def test_a_class_is_what_colors_a_row() -> None:
    assert '<mi class="row-1">x</mi>' in render(r"\class{row-1}{x}", display=False)


def test_a_name_that_only_begins_like_color_is_no_color() -> None:
    with pytest.raises(TexError, match="Unsupported function name"):
        render(r"\colorful x", display=False)


@pytest.mark.parametrize("command", ["overline", "underline"])
def test_a_line_that_the_style_sheet_draws_is_accepted(command: str) -> None:
    assert f'class="tml-{command}"' in render(rf"\{command}{{z}}", display=False)


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


def test_only_two_lines_of_an_enclosing_box_are_drawn() -> None:
    said = (
        "<menclose notation='updiagonalstrike'> is drawn by no browser, and mathml.css draws "
        "top and bottom alone"
    )
    with pytest.raises(TexError, match=f"^{re.escape(said)}$"):
        render(r"\cancel{z}", display=False)
