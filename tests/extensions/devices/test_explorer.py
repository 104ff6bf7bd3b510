import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

import dukpy  # type: ignore[import-untyped]
import numpy as np
import pytest
import torch
from devices.explorer.functions import explored, expression, script
from devices.explorer.picture import picture, short
from torch import Tensor

from tests.extensions.conftest import built
from vtj.cases.example import Example
from vtj.engines import jacobian

HERE = __name__
STATIC = Path(__file__).parents[3] / "conf" / "static"
FUNCTIONS = {
    "R² → R³": "vtj.examples.three_outputs:three_outputs_stacked",
    "sum": "vtj.examples.scalar_output:total",
    'softmax, "smooth"': f"{HERE}:smooth",
}
EXPLORE = "# Title\n\n```{explorer}\n```\n"
SETTINGS = {
    "extensions": ["myst_nb", "devices.explorer"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}
PAGES = {
    "page": EXPLORE,
    "chosen": EXPLORE.replace("```\n", ":function: smooth\n```\n"),
    "unknown": EXPLORE.replace("```\n", ":function: nothing\n```\n"),
    "two": EXPLORE + EXPLORE,
    "plain": "# Plain\n",
}


def smooth() -> Example:
    def f(x: Tensor) -> Tensor:
        """Return a docstring too."""
        return torch.softmax(x, 0)

    return Example("smooth", f, torch.tensor([0.0, 1.5, 2.0]), torch.ones(3), None)


def of_four() -> Example:
    def f(x: Tensor) -> Tensor:
        return x**2

    x = torch.tensor([1.0, -2.0, 0.5, 1 / 3])
    return Example("of_four", f, x, torch.tensor([1.0, -10.0, 0.25, 0.0]), None)


def of_two_lines(x: Tensor) -> Tensor:
    doubled = 2 * x
    return doubled + 1


def of_another_name(weight: Tensor) -> Tensor:
    return 2 * weight


@pytest.mark.parametrize("address", FUNCTIONS.values())
def test_the_script_computes_what_torch_computes(address: str) -> None:
    function = explored("title", address)
    at = [0.5, -1.25, 2.0][: len(function.x)]
    result = dukpy.evaljs(
        "var window = {};"
        + script([function])
        + ";var f = window.VTJ_FUNCTIONS[dukpy.name]; [f.y(dukpy.x), f.J(dukpy.x)]",
        name=function.name,
        x=at,
    )
    x = torch.tensor(at, dtype=torch.float64)
    y = function.example.f(x)
    slopes = jacobian(function.example.f, x, "forward")
    assert isinstance(y, Tensor)
    assert isinstance(slopes, Tensor)
    np.testing.assert_allclose(result[0], y.reshape(-1), rtol=1e-14)
    np.testing.assert_allclose(result[1], slopes.reshape(-1, len(at)), rtol=1e-14)


def test_the_script_says_how_the_reader_begins() -> None:
    functions = [
        explored("sum", FUNCTIONS["sum"]),
        explored('say "x" \\ y²', f"{HERE}:of_four"),
    ]
    assert script(functions) == (
        "/* Written by the build from the formulas that the pages print. */\n"
        "window.VTJ_FUNCTIONS = {\n"
        '"total": { title: "sum", code: "sum(x)",\n'
        "  shape: [], x: [1, 2], v: [1],\n"
        "  y: (x) => [x[0] + x[1]],\n"
        "  J: (x) => [[1, 1]] },\n"
        '"of_four": { title: "say \\"x\\" \\\\ y²", code: "x ** 2",\n'
        "  shape: [4], x: [1, -2, 0.5, 0.3333333432674408], v: [1, -10, 0.25, 0],\n"
        "  y: (x) => [Math.pow(x[0], 2), Math.pow(x[1], 2), Math.pow(x[2], 2), "
        "Math.pow(x[3], 2)],\n"
        "  J: (x) => [[2*x[0], 0, 0, 0], [0, 2*x[1], 0, 0], [0, 0, 2*x[2], 0], "
        "[0, 0, 0, 2*x[3]]] }\n"
        "};\n"
    )


def test_derivatives_keep_their_digits_where_terms_nearly_cancel() -> None:
    function = explored("softmax", f"{HERE}:smooth")
    x = [40.0, 0.0, 0.0]
    source = f"(function (x) {{ return {function.J[0][0]}; }})(dukpy.x)"
    shown = dukpy.evaljs(source, x=x)
    assert shown == pytest.approx(2 * np.exp(-40.0), rel=1e-12)


ONE, MATRIX = torch.ones(2), torch.ones(2, 2)
SMALL = (
    "the explorer shows a vector x and a vector or number y of up to 4 elements, without branches; "
    "x has shape {}, y has shape {}"
)


@pytest.mark.parametrize(
    ("f", "x", "v", "said"),
    [
        (lambda x: 2 * x.sum(), MATRIX, None, SMALL.format("(2, 2)", "()")),
        (lambda x: 2 * x.reshape(2, 1), ONE, torch.ones(2, 1), SMALL.format("(2,)", "(2, 1)")),
        (lambda x: 2 * x.sum(), torch.ones(5), None, SMALL.format("(5,)", "()")),
        (lambda x: 2 * x.repeat(3), ONE, torch.ones(6), SMALL.format("(2,)", "(6,)")),
        (torch.relu, ONE, ONE, SMALL.format("(2,)", "(2,)")),
        (lambda x: 2 * x, ONE, None, "y has shape (2,) and the example gives no v of that shape"),
    ],
)
def test_what_does_not_fit_a_phone_is_refused_with_its_shapes(
    f: Any, x: Tensor, v: Tensor | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejected by explorer.explored."""
    example = Example("refused", f, x, v, None)
    monkeypatch.setattr(sys.modules[HERE], "refused", lambda: example, raising=False)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{HERE}:refused: {said}')}$"):
        explored("title", f"{HERE}:refused")


@pytest.mark.parametrize("f", [of_two_lines, of_another_name, lambda x: 2 * x])
def test_what_is_no_single_expression_of_x_is_refused(f: Any) -> None:
    """Rejected by explorer.expression."""
    said = f"{f.__qualname__}: the explorer shows functions of x that only return"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        expression(f)


def test_the_picture_holds_torchs_numbers() -> None:
    function = explored("R² → R³", FUNCTIONS["R² → R³"])
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', picture(function))
    numbers = [re.sub(r"<[^>]*>", " ", row).split() for row in rows]
    assert numbers == [
        ["y₁", "=", "3", "6", "0"],
        ["y₂", "=", "17", "2", "24"],
        ["y₃", "=", "20", "0", "10"],
        ["v₁", "=", "1", "×", "6", "0"],
        ["v₂", "=", "10", "×", "20", "240"],
        ["v₃", "=", "100", "×", "0", "1000"],
        ["x.grad", "26", "1240"],
    ]


def rows(head: list[str], *body: tuple[str, ...]) -> str:
    names = "".join(f'<th scope="col">{name}</th>' if name else "<td></td>" for name in head)
    lines = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in body
    )
    return f"<thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"


def test_the_picture_is_two_tables_and_says_where_they_hold() -> None:
    first = rows(["y", "x₁", "x₂"], ("y = 3", "1", "1"))
    second = rows(["", "x₁", "x₂"], ("v = 1 ×", "1", "1"), ("x.grad", "1", "1"))
    assert picture(explored("sum", FUNCTIONS["sum"])).replace("\n", "") == (
        f'<div class="vtj-tables"><div><table class="vtj"><caption>y and J(x)</caption>{first}'
        '</div><div><table class="vtj"><caption>Each row of J times its weight</caption>'
        f"{second}</div></div>"
        '<p class="vtj-shapes"><code>y = sum(x)</code> at x₁ = 1, x₂ = 2. '
        "With JavaScript you can change all of these numbers here, and write a function of your "
        "own.</p>"
    )


def test_the_picture_escapes_what_it_shows_and_rounds_to_five_digits() -> None:
    function = explored("four", f"{HERE}:of_four")
    drawn = picture(dataclasses.replace(function, code="x if x < 1 else 2"))
    assert "<code>y = x if x &lt; 1 else 2</code> at x₁ = 1, x₂ = −2, x₃ = 0.5, " in drawn
    assert "x₄ = ≈0.33333. With" in drawn
    assert rows(
        ["", "x₁", "x₂", "x₃", "x₄"],
        ("v₁ = 1 ×", "2", "0", "0", "0"),
        ("v₂ = −10 ×", "0", "40", "0", "0"),
        ("v₃ = 0.25 ×", "0", "0", "0.25", "0"),
        ("v₄ = 0 ×", "0", "0", "0", "0"),
        ("x.grad", "2", "40", "0.25", "0"),
    ) in drawn.replace("\n", "")


@pytest.mark.parametrize(
    "number",
    [
        0.0,
        -0.0,
        1240.0,
        -0.090031,
        3 * 0.7**2,
        -2 / 3,
        99999.5,
        5705182.0,
        1e20,
        2.0**57,
        2e-5,
        1e-6,
    ],
)
def test_the_picture_writes_a_number_as_the_script_does(number: float) -> None:
    """Compared with the lines of `explorer.js` that write numbers."""
    written = (STATIC / "explorer.js").read_text(encoding="utf-8")
    lines = re.findall(r"^const (five|mark|short) = \(n\) => (.*);$", written, re.MULTILINE)
    functions = "".join(f"function {name}(n) {{ return {value} }}" for name, value in lines)
    assert short(number) == dukpy.evaljs(
        f"{functions} short(dukpy.number * dukpy.sign)",
        number=abs(number),
        sign=np.copysign(1, number),
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a site that explores, and the warnings of its build."""
    folder = tmp_path_factory.mktemp("explorer")
    warnings = built(folder, PAGES, SETTINGS | {"explorer_functions": FUNCTIONS})
    return folder / "html", warnings


def test_a_page_that_explores_brings_what_it_needs(site: tuple[Path, str]) -> None:
    page, plain = ((site[0] / f"{name}.html").read_text("utf-8") for name in ("page", "plain"))
    assert '<vtj-explorer function="three_outputs_stacked"><div class="vtj-tables">' in page
    scripts = re.findall(r'<script defer="defer" src="_static/(explorer[\w-]*\.js)', page)
    assert scripts == ["explorer-functions.js", "explorer-language.js", "explorer.js"]
    assert 'href="_static/explorer.css"' in page
    written = (site[0] / "_static" / "explorer-functions.js").read_text(encoding="utf-8")
    assert written.count("title:") == len(FUNCTIONS)
    assert 'title: "R² → R³"' in written
    assert "explorer" not in plain
    chosen = (site[0] / "chosen.html").read_text(encoding="utf-8")
    assert '<vtj-explorer function="smooth">' in chosen


@pytest.mark.parametrize(
    "said",
    [
        "unknown.md:3: ERROR: explorer: no function 'nothing'; "
        "there are three_outputs_stacked, total, smooth [docutils]",
        "two.md:7: ERROR: explorer: a page holds one, since its state is in the page's address ",
    ],
)
def test_what_cannot_be_explored_fails_the_build(site: tuple[Path, str], said: str) -> None:
    assert said in site[1]


def test_an_explorer_of_nothing_fails_the_build(tmp_path: Path) -> None:
    """Rejected by explorer.run."""
    assert (
        "page.md:3: ERROR: explorer: explorer_functions in conf.py is empty; "
        'expected {"a title": "module:builder"} [docutils]'
    ) in built(tmp_path, {"page": EXPLORE}, SETTINGS)
    assert not (tmp_path / "html" / "_static" / "explorer-functions.js").exists()
