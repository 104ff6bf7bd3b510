"""What a reader writes in the explorer: it is right against torch, or refused by name."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import dukpy  # type: ignore[import-untyped]
import pytest
from devices.explorer import language
from devices.explorer.language import (
    FAMILIES,
    LONGEST,
    SCRIPT,
    answers,
    ask,
    compare,
    points,
    prove,
)

from tests.extensions.conftest import built
from tests.extensions.devices.expressions import REFUSED, RIGHT
from tests.extensions.devices.texts import texts

pytestmark = pytest.mark.filterwarnings(  # what torch.func imports uses what torch has deprecated
    r"ignore:`torch\.jit\.script` is deprecated:DeprecationWarning"
)


def script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


def read(text: str, n: int = 2) -> dict[str, Any]:
    """Shape and code of a text, or why it is refused."""
    found: dict[str, Any] = dukpy.evaljs(
        f"{script()};const read = VTJ_LANGUAGE.read(dukpy.text, dukpy.n); read", text=text, n=n
    )
    return found


def test_the_script_computes_and_writes_what_torch_does() -> None:
    prove(script())


def test_of_each_family_there_are_200_settings_and_most_are_finite() -> None:
    drawn = Random(0)
    asked = [(family, ask(drawn, family)) for family in FAMILIES for _ in range(language.TEXTS)]
    settings, finite = Counter[str](), Counter[str]()
    for (family, _), answer in zip(asked, answers(script(), [q for _, q in asked]), strict=True):
        settings[family] += len(answer["points"])
        finite[family] += sum(said["said"] is not None for said in answer["points"])
    assert set(settings.values()) == {200}
    assert min(finite.values()) >= 100, finite


FAULTS = {
    "the slope of +": ("(a, b) => a + b, () => [1, 1]", "(a, b) => a + b, () => [1, -1]"),
    "the slope of -": ("() => [1, -1]]", "() => [1, 1]]"),
    "factors swapped": ("(a, b) => [b, a]", "(a, b) => [a, b]"),
    "the slope above the line": ("[1 / b, -a / b / b]", "[b, -a / b / b]"),
    "the slope below the line": ("[1 / b, -a / b / b]", "[1 / b, a / b / b]"),
    "the slope of a base": ("b * a ** (b - 1)", "b * a ** b"),
    "the slope of an exponent": ("y * Math.log(a)]", "y * a]"),
    "the power 0 of 0": ("b === 0 ? 0 : b", "b === 1 ? 0 : b"),
    "powers of 0": ("a === 0 && b >= 0 ? 0", "a === 1 && b >= 0 ? 0"),
    "the slope of a sign": ("() => [-1]]", "() => [1]]"),
    "the slope of sin": ("(a) => [Math.cos(a)]", "(a) => [Math.sin(a)]"),
    "the slope of cos": ("[-Math.sin(a)]", "[Math.sin(a)]"),
    "the slope of exp": ("exp: [Math.exp, (a, _, y) => [y]]", "exp: [Math.exp, (a) => [a]]"),
    "the slope of log": ("(a) => [1 / a]", "(a) => [1 / (a * a)]"),
    "the slope of sqrt": ("1 / (2 * y)", "1 / y"),
    "the slope of tanh": ("[1 - y * y]", "[1 - y]"),
    "the slope of sigmoid": ("[(1 - y) * y]", "[1 - y]"),
    "the slope of relu": ("a <= 0 ? 0 : 1", "a <= 0 ? 0 : a"),
    "where relu bends": ("a <= 0 ? 0 : 1", "a < 0 ? 0 : 1"),
    "the slope of abs": ("[(a > 0) - (a < 0)]", "[1]"),
    "where abs bends": ("[(a > 0) - (a < 0)]", "[a < 0 ? -1 : 1]"),
    "a value": ("sin: [Math.sin,", "sin: [Math.cos,"),
    "a constant": ("Math.PI", "3.14"),
    "what mean divides by": ("total, entries.length)]", "total, 2)]"),
    "a column of a matrix": ("right.entries[k * columns + j]", "right.entries[j * inner + k]"),
    "a row of a matrix": ("left.entries[i * inner + k]", "left.entries[k * rows + i]"),
    "an index from the end": ("index < 0 ? index + length", "index < 0 ? 0"),
    "shapes that are joined": ("(shape[0] > 1 ? i : 0)", "i"),
    "what binds first": ('PRODUCT, "*", "/", "@"), SUM, "+", "-")',
                         'SUM, "+", "-"), PRODUCT, "*", "/", "@")'),
    "a sign before a power": ("sign ? this.signed() : this.power()",
                              "sign ? this.element() : this.power()"),
    "a power of a power": ("const exponent = this.signed();", "const exponent = this.element();"),
    "parentheses on the left": ("within(value, level)} ${sign", "value.code} ${sign"),
    "parentheses on the right": ("within(right, level + 1)", "within(right, level)"),
    "parentheses of a base": ("within(base, ATOM)", "within(base, POWER)"),
    "parentheses after a sign": ("`-${within(value, SIGN)}`", "`-${value.code}`"),
    "an index in the code": ("[${index}]`", "[0]`"),
    "the digits in the code": ("String(number));", "number.toFixed(1));"),
    "backward in the code": ("y.backward(v)", "y.sum().backward()"),
    "forward in the code": ("(x,), (u,))", "(x,), (x,))"),
    "parts that do not add up": ("sent[to] += ", "sent[to] = "),
    "the order of reverse mode": ("let k = values.length - 1; k >= x.length; k -= 1",
                                  "let k = x.length; k < values.length; k += 1"),
    "the sum of forward mode": ("sum + moved[from] * slope", "moved[from] * slope"),
    "rows for columns": ("columns.map((column) => column[i])", "columns[i] || columns[0]"),
    "a number of passes": ("passes(J.length)", "passes(J[0].length)"),
    "a script that breaks": ("values.push(y);", "values.push(Y);"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_in_what_is_written_is_refused(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejected by explorer.prove, explorer.compare, explorer._run."""
    before, after = FAULTS[fault]
    assert before in script()
    monkeypatch.setattr(language, "TEXTS", 10)  # what 20 settings of each find, 200 do
    monkeypatch.setattr(language, "POINTS", 2)
    with pytest.raises(ValueError, match=r"in the page|in torch|the page says|refused|fails"):
        prove(script().replace(before, after))


def test_a_mode_that_is_wrong_is_seen_beside_the_other() -> None:
    """The page compares them too: what breaks forward mode alone is said there."""
    wrong = script().replace("sum + moved[from] * slope", "sum + moved[from] + slope")
    (answer,) = answers(
        wrong, [{"text": "x[0] * x[1]", "points": [{"x": [2, 5], "v": [1], "u": []}]}]
    )
    (said,) = answer["points"]
    assert said["said"] == (
        "Reverse mode (1 pass) and forward mode (2 passes) do not agree: "
        "in J they differ by ≈6 at most."
    )


@pytest.mark.parametrize("text", RIGHT)
def test_what_a_reader_may_write_is_right(text: str) -> None:
    """Beside torch code that was written by hand."""
    n, torch_code = RIGHT[text]
    question = {"text": torch_code, "points": points(Random(text), n)}
    (answer,) = answers(script(), [{**question, "text": text}])
    compare(question, answer)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_known_is_refused_by_name_and_place(text: str) -> None:
    assert read(text)["refused"] == REFUSED[text]


def test_a_hundred_expressions_of_which_a_third_is_refused() -> None:
    assert len(RIGHT) + len(REFUSED) >= 100
    assert 3 * len(REFUSED) >= len(RIGHT) + len(REFUSED)


def test_whatever_is_typed_is_right_or_refused_and_nothing_hangs() -> None:
    typed = texts(Random(0), 3000)
    asked = [{"text": text, "points": points(Random(0), 3)[:1]} for text in typed]
    results = dukpy.evaljs(
        "var ran = false; var alert = () => { ran = true; };"
        f"{script()}; const took = [];"
        "const read = VTJ_LANGUAGE.read;"
        "VTJ_LANGUAGE.read = (...given) => {"
        "  const before = Date.now(), found = read(...given);"
        "  if (found.at) found.at([1, 2, 3]);"
        "  took.push(Date.now() - before);"
        "  return found;"
        "};"
        f"const found = {language.ASKED.strip().removeprefix(';')};"
        "({ found, ran, slowest: Math.max(...took), left: Object.keys(Object.prototype),"
        "  of: typeof ({}).polluted })",
        asked=asked,
    )
    assert (results["ran"], results["left"], results["of"]) == (False, [], "undefined")
    assert results["slowest"] < 1000  # ms
    refused = right = 0
    for question, answer in zip(asked, results["found"], strict=True):
        if "refused" in answer:
            assert 0 < len(answer["refused"]) < 300, question
            refused += 1
        else:
            compare(question, answer, typed=False)
            right += 1
    assert refused >= 1000, refused
    assert right >= 200, right


@pytest.mark.parametrize(
    "text",
    ["x" * 10**6, "(" * 10**5, "[" * 300, "-" * 299 + "x", "x" + "**x" * 99, "x+" * 149 + "x"],
    ids=["long", "longer", "brackets", "signs", "powers", "a long sum"],
)
def test_what_is_long_or_deep_has_its_limit(text: str) -> None:
    said = read(text)
    if len(text) > LONGEST:
        assert said["refused"] == f"The text has {len(text)} characters; at most 300 are read."
    elif "+" in text:
        assert said["code"] == " + ".join(["x"] * 150)
    else:
        assert said["refused"].endswith(" is inside more than 30 brackets, signs or powers.")


def test_the_script_runs_no_text_and_writes_no_markup() -> None:
    for word in ("eval", "Function(", "innerHTML", "document", "import(", "setTimeout"):
        assert word not in script()


def test_a_script_that_is_wrong_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tmp_path / "explorer-language.js"
    wrong.write_text(script().replace("[Math.cos(a)]", "[-Math.cos(a)]"), "utf-8")
    monkeypatch.setattr(language, "SCRIPT", wrong)
    settings = {
        "extensions": ["myst_nb", "devices.explorer"],
        "html_theme": "basic",
        "nb_execution_mode": "off",
        "explorer_functions": {"sum": "vtj.examples.scalar_output:total"},
    }
    warnings = built(tmp_path, {"page": "# Title\n\n```{explorer}\n```\n"}, settings)
    assert "page.md:3: ERROR: explorer: " in warnings
    assert "x.grad in the page is" in warnings
