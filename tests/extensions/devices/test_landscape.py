"""The landscape that v chooses: what its script computes, says and draws is what torch does."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from devices.landscape import element, functions, proof
from devices.landscape.drawing import WrongDrawingError, read
from devices.landscape.functions import FUNCTIONS, SCRIPT, WAYS, Setting, given
from devices.landscape.proof import SETTINGS, drawn_settings, prove, short

from tests.extensions.conftest import built

TURN = "# Title\n\n```{landscape}\n```\n"
SHOWN = {
    "extensions": ["myst_nb", "devices.landscape"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}
PAGES = {
    "page": TURN,
    "chosen": TURN.replace("```\n", ":function: softmax\n```\n"),
    "unknown": TURN.replace("```\n", ":function: nothing\n```\n"),
    "two": TURN + TURN,
    "plain": "# Plain\n",
}


def test_the_script_computes_says_and_draws_what_torch_does() -> None:
    prove(SCRIPT.read_text(encoding="utf-8"))


def test_each_function_is_proved_wherever_v_points_and_where_x_is_zero() -> None:
    settings = drawn_settings(SETTINGS)
    for name in FUNCTIONS:
        mine = [setting for setting in settings if setting.name == name]
        assert len(mine) >= 200
        assert {setting.way for setting in mine} == set(range(WAYS))
        assert (0, 0) in {setting.at for setting in mine}
        assert sum(setting.lines for setting in mine) > 25


FAULTS = {
    "an output": ("a * a + b * b, a * b", "a * a - b * b, a * b", "bowl .*: (y in|the page says)"),
    "a sign of J": ("[[2, 1], [1, -1]]", "[[2, 1], [1, 1]]", "mix .*: J in the page"),
    "an entry of J": ("[b, a]]", "[a, b]]", "bowl .*: J in the page"),
    "a sign of softmax": ("[-p * q, p * q]]", "[p * q, p * q]]", "softmax .*: J in the page"),
    "a row without its weight": ("v[i] * slope", "slope", "rows in the page"),
    "x.grad": ("+ rows[1][1]]", "- rows[1][1]]", "grad in the page"),
    "a way of v": ("WAYS / 4 - off", "WAYS / 4 - off + 1", "(loss|rows|grad) in the page"),
    "rounding": ("toPrecision(5)", "toPrecision(4)", "the page says"),
    "no sign of rounding": ('"≈"', '""', "the page says"),
    "what is nearly zero": ("Math.round(n * 1e9) / 1e9", "n", "the page says"),
    "no minus": ('.replace("-", "−")', "", "the page says"),
    "plus for minus": ('v[1] < 0 ? "−"', 'v[1] > 2 ? "−"', "the page says"),
    "a count of lines": ("${found.length} heights", "${found.length + 1} heights", "the page says"),
    "flat where it is not": ("!found.length\n", "found.length < 3\n", "the page says"),
    "hilly where it is flat": ("!found.length\n", "false\n", "softmax .*: the page says"),
    "a height of a line": ("(k - low[1]) /", "(k + 0.1 - low[1]) /", "steps from x is off by"),
    "a coordinate of a line": ("(REACH - place(at[1]))", "(place(at[1]) - REACH)", "the line"),
    "all lines moved": ("[(place(at[0]) + REACH) *", "[(place(at[0]) + 3.1) *", "the line"),
    "an edge of the plane": ("let i = 0; drawn", "let i = 1; drawn", "the line"),
    "a corner of a cell": ("q < k !== r < k) edges.push(2 * b + 1)",
                           "q < k !== r < k) edges.push(2 * a + 1)", "."),
    "a line left out": ("return [...linked].map", "return [...linked].slice(1).map", "."),
    "a piece left out": ("(const start of [...open, ...all])", "(const start of open)", "line"),
    "above for below": ("Math.sign(k) + 1", "1 - Math.sign(k)", "is drawn as"),
    "the bold line's middle": ("Math.hypot(...off) < 2 ? plus(middle, off)",
                               "Math.hypot(...off) < 2 ? plus(middle, off, 20)", "is off by"),
    "x.grad drawn downward": ("up(grad, LONGEST / f.most)", "up(grad, -LONGEST / f.most)", "grad"),
    "x.grad drawn too long": ("up(grad, LONGEST / f.most)", "up(grad, 91 / f.most)", "tip of grad"),
    "no arrow": ('arrow("grad", at, to) +', "", "arrows .*; expected"),
    "x elsewhere": ("up(x, UNIT)", "up(x, UNIT + 1)", "the dot to move x by"),
    "v elsewhere": ("up(v, 70)", "up(v, 71)", "the tip of v"),
    "an arrow's head": ("[-u[1] * head * 0.45,", "[u[1] * head * 0.45,", "the head of"),
    "no right angle": ("side = [-u[1], u[0]]", "side = [-u[1], -u[0]]", "right angle"),
    "head beside tail": ("tails = [[0, 0], a, [0, 0]]", "tails = [[0, 0], b, [0, 0]]", "of row-2"),
    "the rows in one lane": ("lane, i - 1)", "lane, 0)", "the tail of"),
    "a word far away": ("[u[0] * 32, u[1] * 16 + 5]", "[u[0] * 99, u[1] * 99]", "far from"),
    "another word": ('text("v"', 'text("w"', "words"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_in_the_landscape_is_refused(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejected by landscape.prove, landscape._compare, landscape._land, landscape.expect_arrows,
    landscape.expect_lines, landscape.expect_point, landscape.expect_square, landscape.expect_words.
    """
    before, after, said = FAULTS[fault]
    script = SCRIPT.read_text(encoding="utf-8")
    assert script.count(before) == 1
    monkeypatch.setattr(proof, "SETTINGS", 24)  # what 24 find, 200 do
    wrong = script.replace(before, after)
    with pytest.raises(ValueError, match=said):
        prove(wrong)


@pytest.mark.parametrize(
    ("svg", "said"),
    [
        ("<circle r='3'/>", "a circle of class '' is drawn"),
        ("<line class='landscape-v' x1='0' y1='0' x2='1' y2='1'/>", "a line of class 'v' is drawn"),
    ],
)
def test_what_nobody_expects_is_refused(svg: str, said: str) -> None:
    """Rejected by landscape.read."""
    with pytest.raises(WrongDrawingError, match=said):
        read(svg)


def test_a_word_too_many_is_refused() -> None:
    """Rejected by landscape.expect_no_more."""
    with pytest.raises(WrongDrawingError, match="1 things are drawn; expected 0"):
        read("<text x='1' y='2'>word</text>").expect_no_more()


def test_v_turns_on_the_edge_of_a_square_and_can_be_ones() -> None:
    ways = [Setting("mix", way, (0, 0)).v.tolist() for way in range(WAYS)]
    assert len({tuple(v) for v in ways}) == WAYS
    assert {max(map(abs, v)) for v in ways} == {1}
    assert [ways[way] for way in (0, 10, 20, 50)] == [[1, 0], [1, 1], [0, 1], [-1, -1]]
    angles = np.unwrap([np.arctan2(b, a) for a, b in ways])
    assert (np.diff(angles) > 0).all()


@pytest.mark.parametrize("way", [10, 50])
def test_softmax_is_flat_where_the_weights_are_equal_and_says_so(way: int) -> None:
    shown = functions.run(
        SCRIPT.read_text("utf-8"), [Setting("softmax", way, (5, -5))], "shown(f, x, v)"
    )[0]
    value = "1" if way == 10 else "−1"
    assert shown["texts"]["words"].startswith(f"Flat: v·y is {value} wherever x is.")
    assert shown["texts"]["sum"].endswith("= [0, 0]")
    assert "<path" not in shown["drawn"]["land"]
    assert f"flat: v·y = {value}" in shown["drawn"]["land"]
    assert list(read(shown["drawn"]["sum"]).arrows) == ["row-1", "row-2"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_starts_with_torchs_numbers_and_they_stand_there_without_a_script(name: str) -> None:
    state, shown = given(SCRIPT.read_text("utf-8"), name)
    f = FUNCTIONS[name]
    x = torch.tensor([tenths / 10 for tenths in f.x], dtype=torch.float64, requires_grad=True)
    f(x).backward(Setting(name, f.way, f.x).v)  # type: ignore[no-untyped-call]
    assert x.grad is not None
    html = element(name, state, shown)
    assert json.loads(unescape(re.findall('data-given="(.*?)"', html)[0])) == json.loads(state)
    assert f"= [{', '.join(short(slope) for slope in x.grad.tolist())}]</p>" in html
    assert all(shown["drawn"][of] in html for of in ("v", "land", "sum"))


def test_a_page_gets_it_once_and_names_a_function_that_is_there(tmp_path: Path) -> None:
    warnings = built(tmp_path, PAGES, SHOWN)
    page, chosen, plain = (
        (tmp_path / "html" / f"{name}.html").read_text("utf-8")
        for name in ("page", "chosen", "plain")
    )
    assert "_static/landscape.js" in page
    assert "_static/landscape.css" in page
    assert "landscape" not in plain
    assert "y = torch.stack([2 * x[0] + x[1], x[0] - x[1]])" in page
    assert "y = torch.softmax(x, 0)" in chosen
    assert "ERROR: landscape: no function 'nothing'; there are mix, bowl, softmax" in warnings
    assert "two.md:7: ERROR: landscape: a page holds one, since its state is in the" in warnings


def test_a_script_that_is_wrong_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tmp_path / "landscape.js"
    wrong.write_text(SCRIPT.read_text("utf-8").replace("[b, a]]", "[a, b]]"), "utf-8")
    monkeypatch.setattr(functions, "SCRIPT", wrong)
    monkeypatch.setattr(proof, "SETTINGS", 10)
    warnings = built(tmp_path, {"page": TURN}, SHOWN)
    assert "page.md:3: ERROR: landscape: bowl at x = [" in warnings
    assert "J in the page is" in warnings
