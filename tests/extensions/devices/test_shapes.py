"""Shapes and what is passed: what the script says of them is what torch does."""

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from random import Random

import dukpy  # type: ignore[import-untyped]
import pytest
from devices.shapes import answers, element
from devices.shapes.answers import PASSED, REFUSED, SCRIPT, SETTINGS, draw, given, prove, texts

from tests.extensions.conftest import built

SHAPES = "# Title\n\n```{shapes}\n```\n"
CONF = {
    "extensions": ["myst_nb", "devices.shapes"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}


def asked(call: str, **held: object) -> object:
    """Return what the script's function gives, or the message of what it throws."""
    caught = f"(() => {{ try {{ return {call}; }} catch (error) {{ return error.message; }} }})()"
    return dukpy.evaljs(f"{SCRIPT.read_text(encoding='utf-8')};{caught}", **held)


def test_the_script_says_what_torch_does() -> None:
    prove(SCRIPT.read_text(encoding="utf-8"))


def test_each_refusal_is_met_several_times() -> None:
    """No refusal could change unseen: of 300 settings each comes at least 4 times."""
    drawn, met = Random(0), Counter[str]()
    for i in range(SETTINGS):
        setting = draw(drawn, PASSED[i % len(PASSED)])
        told = asked(
            "VTJ_SHAPES.told(dukpy.given, dukpy.texts)",
            given=setting.fields(),
            texts={name: name for name in REFUSED},
        )
        assert isinstance(told, dict)
        met[told["answer"]] += 1
    assert {name: met[name] >= 4 for name in REFUSED} == dict.fromkeys(REFUSED, True)


FAULTS = {
    "another shape": ("x ${tuple(x)}, y", "x ${tuple(y)}, y", "shapes in the page"),
    "what may be omitted": ('product(y) !== 1 ? "several"', 'product(y) > 1 ? "several"', "answer"),
    "a complex y": ('complex ? "omitted, complex"', 'v ? "omitted, complex"', "in the page"),
    "a list without elements": ('if (!v[0]) return "empty"', "", "answer"),
    "a 0-d array": ('"array, 0-d"', '"number"', "answer"),
    "the order of complaints": ("String(v) !== String(y)", "product(v) !== product(y)", "answer"),
    "the two shapes": ('"{v}", size(v)', '"{v}", size(y)', "answer"),
    "the dtype": ('"real v" : "complex v"', '"complex v" : "real v"', "answer"),
    "a shape of one": (
        'shape.length === 1 ? ","',
        'shape.length === 2 ? ","',
        "shapes in the page",
    ),
    "the order of J": ("[...y, ...x]", "[...x, ...y]", "J in the page"),
    "bytes": ("complex ? 8 : 4", "complex ? 4 : 4", "J in the page"),
    "rounding": ("toPrecision(4)", "toPrecision(3)", "J in the page"),
    "not said to be rounded": ('"≈ "', '""', "J in the page"),
    "a thousand": (r"(?=(\d{3})+$)/g", r"(?=(\d{4})+$)/g", "in the page"),
    "why not": ('many ? "y is complex"', 'many ? "y has no element"', "omit in the page"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_in_a_shape_is_refused(fault: str) -> None:
    """Rejected by shapes.prove."""
    before, after, said = FAULTS[fault]
    script = SCRIPT.read_text(encoding="utf-8")
    assert before in script
    with pytest.raises(ValueError, match=said):
        prove(script.replace(before, after))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("2, 3", [2, 3]),
        (" 2,3 ", [2, 3]),
        ("(2, 3)", [2, 3]),
        ("[2, 3]", [2, 3]),
        ("torch.Size([2, 3])", [2, 3]),
        ("(3,)", [3]),
        ("007", [7]),
        ("()", []),
        ("", []),
        ("torch.Size([])", []),
    ],
)
def test_a_shape_is_read_as_people_write_it(text: str, shape: list[int]) -> None:
    assert asked("VTJ_SHAPES.read(dukpy.text)", text=text) == shape


@pytest.mark.parametrize("text", ["2x3", "-1", "2.5", "1e3", "2,,3", "n", "٣", "<b>2</b>", "2;3"])
def test_what_is_no_shape_is_refused_with_what_came_and_what_was_expected(text: str) -> None:
    said = asked("VTJ_SHAPES.read(dukpy.text)", text=text)
    assert said == f"{text} is no shape: write whole numbers with commas between, such as 32, 10"


def test_a_jacobian_that_cannot_be_counted_is_refused() -> None:
    setting = {"x": [10**9], "y": [10**9], "complex": False, "pass": "nothing", "v": []}
    said = asked("VTJ_SHAPES.told(dukpy.given, {})", given=setting)
    assert said == "J would have more than 1,125,899,906,842,624 entries: write a smaller shape"


def test_without_a_script_it_stands_there_for_one_setting() -> None:
    state, told = given(SCRIPT.read_text(encoding="utf-8"))
    html = element(state, told)
    held = json.loads(unescape(re.findall('data-given="(.*?)"', html)[0]))
    assert held == json.loads(state)
    assert held["texts"] == texts()
    assert f">{texts()['several']}</span>" in html
    assert "(3, 2): 6 entries, 24 bytes as float32" in html
    assert ">x (2,), y (3,)<" in html


def test_a_page_gets_it_once(tmp_path: Path) -> None:
    pages = {"page": SHAPES, "two": SHAPES + SHAPES, "plain": "# Plain\n"}
    warnings = built(tmp_path, pages, CONF)
    page, plain = (
        (tmp_path / "html" / f"{name}.html").read_text("utf-8") for name in pages if name != "two"
    )
    assert "_static/shapes.js" in page
    assert "_static/shapes.css" in page
    assert "shapes" not in plain
    assert "two.md:7: ERROR: shapes: a page holds one, since its state is in the page" in warnings


def test_a_script_that_is_wrong_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tmp_path / "shapes.js"
    wrong.write_text(SCRIPT.read_text("utf-8").replace("complex ? 8 : 4", "8"), "utf-8")
    monkeypatch.setattr(answers, "SCRIPT", wrong)
    warnings = built(tmp_path, {"page": SHAPES}, CONF)
    assert "page.md:3: ERROR: shapes: Setting(x=" in warnings
    assert "J in the page is" in warnings
