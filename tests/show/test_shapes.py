"""Shapes of v, J and x.grad side by side."""

from xml.etree import ElementTree

import torch

from vtj.show import side_by_side


def test_shows_the_three_shapes() -> None:
    figure = side_by_side(
        lambda x: x @ torch.ones(3, 4, dtype=x.dtype), torch.ones(2, 3), torch.ones(2, 4)
    )
    svg = ElementTree.fromstring(figure.html)[0]
    texts = [e.text for e in svg.iter("text")]
    assert texts == ["v", "(2, 4)", "·", "J", "(2, 4, 2, 3)", "=", "x.grad", "(2, 3)"]
    assert len(list(svg.iter("rect"))) == 8 + 8 * 6 + 6
    assert float(svg.get("width", "")) <= 343
    assert figure.description == (
        "v (2, 4) has y's shape, J (2, 4, 2, 3) has y's and then x's, x.grad (2, 3) has x's."
    )


def test_long_sides_are_drawn_without_cells() -> None:
    svg = ElementTree.fromstring(side_by_side(lambda x: x.sum(), torch.ones(100)).html)[0]
    assert len(list(svg.iter("rect"))) == 3
