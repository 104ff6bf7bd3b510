"""Square maps of numbers with a sign, one for each of some names: such as of who meets whom."""

from collections.abc import Mapping

from torch import Tensor

from vtj.show.svg import Drawing, Figure, width_of

UNIT, GAP, TOP = 24.0, 20.0, 24.0


def pairs(found: Mapping[str, Tensor]) -> Figure:
    """Draw each map beneath its name, positive and negative numbers in two colors.

    The shade says how large a number is beside the largest of all maps; a zero stays empty.

    Example:
        >>> import torch
        >>> pairs({"all": torch.tensor([[-1.0, 1.0], [0.5, -0.5]]), "some": -torch.eye(2)})
        Gradient of each pair. all: 4 of 4 pairs are not zero; some: 2 of 4 pairs are not zero.
    """
    most = max(float(values.abs().max()) for values in found.values()) or 1.0
    wide = [max(UNIT * values.shape[1], width_of(name)) for name, values in found.items()]
    high = max(UNIT * len(values) for values in found.values())
    drawing = Drawing(2 + sum(wide) + GAP * (len(wide) - 1), TOP + high + 2)
    left = 1.0
    for (name, values), width in zip(found.items(), wide, strict=True):
        drawing.text(left + width / 2, 16, name)
        start = left + (width - UNIT * values.shape[1]) / 2
        for i, row in enumerate(values.tolist()):
            for j, value in enumerate(row):
                place = start + UNIT * j, TOP + UNIT * i, UNIT, UNIT
                color = "negative" if value < 0 else "positive"
                drawing.box(*place, color=color, shade=abs(value) / most, corner=0)
        left += width + GAP
    return drawing.figure("Gradient of each pair", "; ".join(map(_told, found.items())) + ".")


def _told(one: tuple[str, Tensor]) -> str:
    name, values = one
    return f"{name}: {int(values.count_nonzero())} of {values.numel()} pairs are not zero"
