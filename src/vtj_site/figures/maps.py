"""Maps of an image, such as saliency and Grad-CAM, over the image that they are of."""

from collections.abc import Mapping

from torch import Tensor

from vtj.show.svg import Drawing, Figure

UNIT = 16.0
GAP = 24.0


def maps(image: Tensor, found: Mapping[str, Tensor]) -> Figure:
    """Draw each map in the middle of the image: the larger a number, the stronger its color.

    None of the numbers is below zero. A map may be smaller than the image: a filter without
    padding leaves out its border.

    Example:
        >>> import torch
        >>> maps(torch.eye(4), {"saliency": torch.tensor([[0.0, 1.0], [0.5, 0.0]])}).description
        'saliency is largest at [0, 1] of (2, 2), over an image of (4, 4).'
    """
    high, wide = (UNIT * length for length in image.shape)
    drawing = Drawing(2 + len(found) * (wide + GAP) - GAP, high + 28)
    for place, (name, values) in enumerate(found.items()):
        left = 1 + place * (wide + GAP)
        _pixels(drawing, left, 1, image, "plain")
        across = left + (wide - UNIT * values.shape[1]) / 2
        _pixels(drawing, across, 1 + (high - UNIT * values.shape[0]) / 2, values, "positive")
        drawing.text(left + wide / 2, high + 20, name)
    each = [f"{name} is largest at {_top(m)} of {tuple(m.shape)}" for name, m in found.items()]
    said = f"{'; '.join(each)}, over an image of {tuple(image.shape)}."
    return drawing.figure("Maps over the image", said)


def _pixels(drawing: Drawing, left: float, top: float, values: Tensor, color: str) -> None:
    most = float(values.max()) or 1.0
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            x, y = left + UNIT * j, top + UNIT * i
            drawing.box(x, y, UNIT, UNIT, color=color, shade=value / most, corner=0)


def _top(values: Tensor) -> list[int]:
    return list(divmod(int(values.argmax()), values.shape[1]))
