"""The shapes of v, J and x.grad side by side: why one vᵀ·J fits and another does not."""

from typing import Any

from vtj.calling.tensors import Function
from vtj.show.measured import measure
from vtj.show.svg import Drawing, Figure, width_of

UNIT = 14.0
GAP = 24.0
MOST = 8
"""The most cells that are drawn along a side; a longer side is drawn this long, without cells."""


def side_by_side(f: Function, x: Any, v: Any = None) -> Figure:
    """Draw v, J and x.grad of `f` at `x` as blocks, to scale, with their shapes.

    v is drawn as a row as long as J is high; the result is as long as J is wide.

    Example:
        >>> import torch
        >>> side_by_side(lambda x: x.sum(), torch.ones(2)).description
        "v () has y's shape, J (2,) has y's and then x's, x.grad (2,) has x's."
    """
    seen = measure(f, x, v)
    m, n = seen.y.size, seen.x.size
    blocks = [
        ("v", seen.v.shape, 1, m),
        ("J", seen.J.shape, m, n),
        ("x.grad", seen.grad.shape, 1, n),
    ]
    widths = [
        max(UNIT * min(across, MOST), width_of(str(shape)), width_of(name))
        for name, shape, _, across in blocks
    ]
    tall = UNIT * min(max(m, 1), MOST)
    drawing = Drawing(sum(widths) + 2 * GAP + 2, tall + 62)
    at = 1.0
    signs = ("·", "=", "")
    for (name, shape, down, across), width, sign in zip(blocks, widths, signs, strict=True):
        middle = at + width / 2
        high, wide = UNIT * min(down, MOST), UNIT * min(across, MOST)
        drawing.text(middle, 16, name, strong=True)
        _block(drawing, middle - wide / 2, 26 + (tall - high) / 2, down, across)
        drawing.text(middle, tall + 50, str(tuple(shape)))
        if sign:
            drawing.text(at + width + GAP / 2, 26 + tall / 2 + 5, sign, strong=True)
        at += width + GAP
    said = (
        f"v {seen.v.shape} has y's shape, J {seen.J.shape} has y's and then x's, "
        f"x.grad {seen.grad.shape} has x's."
    )
    return drawing.figure("Shapes of v, J and x.grad", said)


def _block(drawing: Drawing, x: float, y: float, down: int, across: int) -> None:
    if max(down, across) > MOST:
        sides = UNIT * min(across, MOST), UNIT * min(down, MOST)
        drawing.box(x, y, *sides, color="accent", shade=0.4, corner=1)
        return
    for i in range(down):
        for j in range(across):
            drawing.box(x + j * UNIT, y + i * UNIT, UNIT, UNIT, color="accent", shade=0.4, corner=1)
