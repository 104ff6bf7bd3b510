"""What several backward calls leave in .grad: each call adds to it."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from torch import Tensor

from vtj.calling.tensors import as_array
from vtj.show.measured import names, number
from vtj.show.svg import Drawing, Figure, width_of

LINE = 24.0
BAR = 110.0
LIMIT = 24


def accumulation(grads: Sequence[Tensor]) -> Figure:
    """Draw what `x.grad` held after each of several calls of `y.backward(v)`.

    No call, or more than 24 numbers to draw, is a ValueError.

    Example:
        >>> import torch
        >>> accumulation([torch.tensor(2.0), torch.tensor(22.0)])
        Each call adds to x.grad. Call 1: 0 + 2 = 2. Call 2: 2 + 20 = 22.
    """
    count = sum(grad.numel() for grad in grads)
    if not 0 < count <= LIMIT:
        raise ValueError(
            f"{len(grads)} calls leave {count} numbers; the figure shows 1 to {LIMIT} numbers"
        )
    held = [0 * as_array(grads[0]).reshape(-1), *(as_array(grad).reshape(-1) for grad in grads)]
    elements = names("x", tuple(grads[0].shape))
    lines = [
        (f"call {call}" if place == 0 else "", elements[place], before, after - before, after)
        for call, (old, now) in enumerate(pairwise(held), start=1)
        for place, (before, after) in enumerate(zip(old, now, strict=True))
    ]
    sums = [
        f"{number(old)} {'−' if more < 0 else '+'} {number(abs(more))} = {number(now)}"
        for _, _, old, more, now in lines
    ]
    low, high = float(np.min(held)), float(np.max(held))
    unit = BAR / ((high - low) or 1.0)
    left = 56 + (max(map(width_of, elements)) + 8 if len(elements) > 1 else 0)
    drawing = Drawing(left + BAR + 14 + max(map(width_of, sums)), LINE * len(lines) + 8)
    for row, ((call, element, before, _, after), words) in enumerate(zip(lines, sums, strict=True)):
        y = 4 + row * LINE
        zero = left - low * unit
        drawing.text(0, y + 17, call, anchor="start", strong=True)
        if len(elements) > 1:
            drawing.text(left - 8, y + 17, element, anchor="end")
        for start, end, color in ((0.0, before, "plain"), (before, after, "accent")):
            first, last = sorted((zero + start * unit, zero + end * unit))
            drawing.box(first, y + 4, last - first, LINE - 8, color=color, shade=0.8, corner=1)
        drawing.text(left + BAR + 10, y + 17, words, anchor="start")
    drawing.line([(left - low * unit, 4), (left - low * unit, 4 + LINE * len(lines))])
    said = " ".join(
        f"Call {call[5:]}: {words}."
        if len(elements) == 1
        else f"{call} {element}: {words}.".strip()
        for (call, element, *_), words in zip(lines, sums, strict=True)
    )
    return drawing.figure("Each call adds to x.grad", said)
