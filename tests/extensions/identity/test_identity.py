"""Picture, icons and card say what torch computes, and stand where pages look for them."""

import io
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from identity import mark
from identity.card import card, touch_icon
from identity.picture import picture
from PIL import Image

from tests.extensions.conftest import built
from vtj.show.measured import Measured, measure

STATIC = Path("conf/static")
EXAMPLE = "vtj.examples.three_outputs:three_outputs_stacked"
SETTINGS = {
    "extensions": ["myst_nb", "identity"],
    "html_theme": "basic",
    "nb_execution_mode": "off",
    "identity_example": EXAMPLE,
}


@pytest.fixture(scope="module")
def seen() -> Measured:
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0])
    return measure(
        lambda x: torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]]), x, v
    )


def texts(html: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(html).iter("text")]


def test_the_picture_shows_what_torch_computes(seen: Measured) -> None:
    drawn = picture(seen)
    assert drawn.description == "1 × (6, 0) + 10 × (2, 24) + 100 × (0, 10) = x.grad (26, 1240)."
    rows = ["1 ×", "=", "6", "6", "0", "0", "10 ×", "=", "2", "20", "24", "240"]
    rows += ["100 ×", "=", "0", "0", "10", "1000"]
    assert texts(drawn.html) == ["v", "rows of J", "v times row", *rows, "x.grad", "26", "1240"]


def test_the_parts_of_the_picture_come_in_the_order_of_the_sum(seen: Measured) -> None:
    steps = [int(step) for step in re.findall(r'data-since="(\d)"', picture(seen).html)]
    assert steps == sorted(steps)
    assert set(steps) == set(range(1, 8))
    delayed = re.findall(r'data-since="(\d)"\]', (STATIC / "front.css").read_text("utf-8"))
    assert list(map(int, delayed)) == [*range(2, 8)]  # the first waits for nothing


def test_a_wrong_gradient_is_not_drawn() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: object, *weights: torch.Tensor) -> torch.Tensor:
            return 2 * weights[0]

    with pytest.raises(AssertionError, match="backward is wrong"):
        measure(Wrong.apply, torch.ones(2), torch.ones(2))


def test_a_matrix_is_refused_with_its_shape() -> None:
    """Rejected by identity.picture."""
    matrix = measure(lambda x: 2 * x, torch.ones(2, 3), torch.ones(2, 3))
    with pytest.raises(ValueError, match=r"shows vectors x and y; x has shape \(2, 3\)"):
        picture(matrix)


@pytest.mark.parametrize(
    "weights", [[1.0, 10.0, 100.0], [1.0, -1.0], [1e6, 1e6, 1e6]], ids=["own", "signs", "large"]
)
def test_the_marks_dots_grow_with_the_weights_and_touch_nothing(weights: list[float]) -> None:
    shapes = list(mark.bars(np.array(weights)))
    dots = [shape for shape in shapes if shape.role == mark.WEIGHT]
    assert [dot.width for dot in dots] == sorted(dot.width for dot in dots)
    assert all(a.y + a.height < b.y for a, b in pairwise(dots))
    brackets_begin = min(shape.x for shape in shapes if shape.role == mark.INK)
    for dot in dots:
        assert 0 <= dot.x < dot.x + dot.width < brackets_begin
    assert all(shape.y + shape.height <= mark.SIDE for shape in shapes)


def colors(image: Image.Image) -> set[tuple[int, ...]]:
    return {pixel for _, pixel in image.getcolors(maxcolors=1 << 20) or []}


def test_icon_and_card_have_their_sizes_and_v_its_color(seen: Measured) -> None:
    orange = (0xC2, 0x56, 0x0A)
    icon, preview = touch_icon(seen.v), card(seen, "vtj")
    assert (icon.size, preview.size) == ((180, 180), (1200, 630))
    assert orange in colors(icon)
    assert orange in colors(preview)
    saved = io.BytesIO()
    preview.save(saved, "PNG", optimize=True)
    assert saved.tell() < 150_000


def test_the_card_shows_the_numbers(seen: Measured) -> None:
    other = Measured(seen.x, seen.y, seen.v, seen.J, seen.grad + 1)
    assert card(seen, "vtj").tobytes() != card(other, "vtj").tobytes()


def test_the_files_stand_beside_the_site_and_the_mark_is_handed_on(tmp_path: Path) -> None:
    page = {"front": "# Front\n\n```{motif}\n```\n"}
    assert built(tmp_path, page, SETTINGS) == ""
    static = tmp_path / "html" / "_static"
    icon = (static / "favicon.svg").read_text(encoding="utf-8")
    assert len(list(ElementTree.fromstring(icon).iter("{http://www.w3.org/2000/svg}rect"))) == 12
    for name, size in {"apple-touch-icon.png": (180, 180), "social-card.png": (1200, 630)}.items():
        with Image.open(static / name) as image:
            assert image.size == size
    html = (tmp_path / "html" / "front.html").read_text(encoding="utf-8")
    assert '<div class="vtj-motif"><div class="vtj-figure"' in html
