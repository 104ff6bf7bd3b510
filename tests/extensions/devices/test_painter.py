"""The image that is painted on: what its script computes and says is what torch does."""

import json
import re
from base64 import b64decode
from html import unescape
from pathlib import Path
from zlib import decompress

import pytest
import torch
from devices.painter import element, operations
from devices.painter.operations import OPERATIONS, SCRIPT, given, gradients, image, prove, written

from tests.extensions.conftest import built
from vtj_site.figures.pixels import png, tints

PAINT = "# Title\n\n```{painter}\n```\n"
SETTINGS = {
    "extensions": ["myst_nb", "devices.painter"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
}
PAGES = {
    "page": PAINT,
    "chosen": PAINT.replace("```\n", ":operation: edges\n```\n"),
    "unknown": PAINT.replace("```\n", ":operation: nothing\n```\n"),
    "two": PAINT + PAINT,
    "plain": "# Plain\n",
}


def test_the_script_computes_and_says_what_torch_does() -> None:
    prove(SCRIPT.read_text(encoding="utf-8"))


FAULTS = {
    "a coordinate of x": ("i + a - border", "i + b - border", r"(blur|edges|network): y in"),
    "a coordinate of the gradient": ("w * v[o][i][j]", "w * v[o][i][0]", "x.grad in the page"),
    "a sign": ("2 * pixel * v", "-2 * pixel * v", "square: x.grad in the page"),
    "a factor": ("2 * pixel * v", "3 * pixel * v", "square: x.grad in the page"),
    "no v": ("pixel > 0 ? v[c][i][j]", "pixel > 0 ? 1", "network: x.grad in the page"),
    "where relu bends": ("pixel > 0 ?", "pixel >= 0 ?", "network: x.grad in the page"),
    "an edge of the image": ("above < rows", "above < rows - 1", "y in the page"),
    "a layer left out on the way back": ("k >= 0", "k > 0", "x.grad in the page"),
    "rounding": ("String(number + 0)", "number.toFixed(2)", "the page says"),
    "no minus": ('.replace("-", "−")', '.replace("-", "")', "the page says"),
    "another pixel said": ("written(grad[i][j])", "written(grad[0][j])", "the page says"),
    "another name": ("x.grad = ${", "y.grad = ${", "the page says"),
    "a color of another sign": ("value < 0 ? BELOW", "value > 0 ? BELOW", "the colors of"),
    "a color too faint": ("(255 * Math", "(254 * Math", "the colors of"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_refused(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejected by painter._compare."""
    before, after, said = FAULTS[fault]
    script = SCRIPT.read_text(encoding="utf-8")
    assert before in script
    monkeypatch.setattr(operations, "SETTINGS", 5)  # what 5 find, 200 do
    with pytest.raises(ValueError, match=said):
        prove(script.replace(before, after))


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_starts_with_torchs_own_images_and_they_stand_there_without_a_script(name: str) -> None:
    state, images, at = given(name)
    x, v = images["x"], images["v"]
    y, grad = gradients(OPERATIONS[name], image(), v)
    assert torch.equal(images["y"], y)
    assert torch.equal(images["grad"], grad)
    html = element(name)
    assert json.loads(unescape(re.findall('data-given="(.*?)"', html)[0])) == json.loads(state)
    assert re.findall('src="(.*?)"', html) == [png(t) for t in (x, y, v, grad)]
    assert f"{y.numel() * x.numel():,}</span> entries" in html
    assert f"x.grad = {written(grad[tuple(at)].item())}." in html


def test_the_result_of_the_edge_filter_is_smaller_and_so_is_v() -> None:
    _, images, _ = given("edges")
    assert [tuple(images[of].shape) for of in "xyv"] == [(16, 16), (14, 14), (14, 14)]


def test_a_png_holds_one_color_for_each_number() -> None:
    values = torch.tensor([[2.0, -1.0, 0.0], [0.5, -2.0, 1.0]])
    data = b64decode(png(values).partition(",")[2])
    assert data.startswith(b"\x89PNG")
    assert data[16:24] == bytes([0, 0, 0, 3, 0, 0, 0, 2])
    size = int.from_bytes(data[33:37], "big")
    lines = decompress(data[41 : 41 + size])
    held = [[*sum(row, ())] for row in tints(values)]
    assert [*lines] == [0, *held[0], 0, *held[1]]


def test_a_page_gets_it_once_and_names_an_operation_that_is_there(tmp_path: Path) -> None:
    warnings = built(tmp_path, PAGES, SETTINGS)
    page, chosen, plain = (
        (tmp_path / "html" / f"{name}.html").read_text("utf-8")
        for name in ("page", "chosen", "plain")
    )
    assert "_static/painter.js" in page
    assert "_static/painter.css" in page
    assert "painter" not in plain.replace("page", "")
    assert "y = x * x" in page
    assert "y = conv2d(x, edges)" in chosen
    assert "ERROR: painter: no operation 'nothing'; there are square, blur, edges, net" in warnings
    assert "two.md:7: ERROR: painter: a page holds one, since its state is in the page" in warnings


def test_a_script_that_is_wrong_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejected by devices.proved."""
    wrong = tmp_path / "painter.js"
    wrong.write_text(SCRIPT.read_text("utf-8").replace("2 * pixel * v", "pixel * v"), "utf-8")
    monkeypatch.setattr(operations, "SCRIPT", wrong)
    warnings = built(tmp_path, {"page": PAINT}, SETTINGS)
    assert "page.md:3: ERROR: painter: square: x.grad in the page is tensor" in warnings
