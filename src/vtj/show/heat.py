"""J as a heat map: v weights its rows, and their sum is vᵀ·J."""

from itertools import chain
from typing import Any

import numpy as np

from vtj.calling.tensors import Function
from vtj.show.measured import Measured, measure, names, number
from vtj.show.svg import Drawing, Figure, width_of

CELL = 30.0
GAP = 4.0
LIMIT = 64
"""The most entries of J that are shown."""


def heat_map(f: Function, x: Any, v: Any = None) -> Figure:
    """Draw J of `f` at `x` with one row for each element of `y`, v beside it and vᵀ·J beneath it.

    J of more than two dimensions is laid out in two. `v` may be omitted where `y` is a scalar.

    Raises:
        ValueError: When J has no entries or more than 64.
        JacobianMismatch: When `vtj.check` does not find x.grad correct.

    Example:
        >>> import torch
        >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
        >>> heat_map(lambda x: 3 * x**2, x, v).description
        '1 × row y₁ (6, 0) + 10 × row y₂ (0, 12) = vᵀ·J (6, 120).'
    """
    seen = measure(f, x, v)
    if not 0 < seen.J.size <= LIMIT:
        raise ValueError(f"J has {seen.J.size} entries; a heat map shows 1 to {LIMIT}")
    return draw(seen)


def draw(seen: Measured) -> Figure:
    """Draw what was measured."""
    rows = seen.J.reshape(seen.y.size, seen.x.size)
    weights, total = seen.v.reshape(-1), seen.grad.reshape(-1)
    above, beside = names("x", seen.x.shape), names("y", seen.y.shape)
    cells = [[number(value) for value in row] for row in rows]
    sums = [number(value) for value in total]
    scales = [f"{number(weight)} ×" for weight in weights]

    wide = max(CELL, *(width_of(text) + 12 for text in [*sums, *above, *chain(*cells)]))
    first = max(map(width_of, scales)) + 8
    left = first + max(map(width_of, [*beside, "vᵀ·J"])) + 14
    top = CELL
    across, end = len(above) * (wide + GAP), top + len(rows) * (CELL + GAP)
    drawing = Drawing(left + across + 10, end + CELL + GAP + 14)
    largest = float(np.max(np.abs(rows))) or 1.0
    for j, name in enumerate(above):
        drawing.text(left + j * (wide + GAP) + wide / 2, top - 10, name)
    for i, (row, texts) in enumerate(zip(rows, cells, strict=True)):
        y = top + i * (CELL + GAP)
        drawing.text(first - 4, y + 20, scales[i], anchor="end", color="accent", strong=True)
        drawing.text(left - 10, y + 20, beside[i], anchor="end")
        for j, (value, text) in enumerate(zip(row, texts, strict=True)):
            at = left + j * (wide + GAP)
            color = "negative" if value < 0 else "positive"
            drawing.box(at, y, wide, CELL, color=color, shade=abs(float(value)) / largest)
            drawing.text(at + wide / 2, y + 20, text)
    for side, inward in ((left - 5, 5), (left + across + 1, -5)):  # brackets
        high, low = top - 2, end - GAP + 2
        drawing.line([(side + inward, high), (side, high), (side, low), (side + inward, low)])
    drawing.line([(left, end + 4), (left + across - GAP, end + 4)])
    drawing.text(left - 10, end + 29, "vᵀ·J", anchor="end", color="accent", strong=True)
    for j, text in enumerate(sums):
        at = left + j * (wide + GAP) + wide / 2
        drawing.text(at, end + 29, text, color="accent", strong=True)
    terms = " + ".join(
        f"{scale} row {name} ({', '.join(texts)})"
        for scale, name, texts in zip(scales, beside, cells, strict=True)
    )
    return drawing.figure("J, its rows weighted by v", f"{terms} = vᵀ·J ({', '.join(sums)}).")
