"""What several backward calls leave in .grad: each call adds to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.tensors import Function
from vtj.oracle.blocks import as_array
from vtj.show.measured import Array, measure, names, number
from vtj.show.svg import Drawing, Figure, width_of

LINE = 24.0
BAR = 110.0
LIMIT = 24


def accumulation(f: Function, x: Any, vs: Sequence[Any]) -> Figure:
    """Draw what `x.grad` holds after each of several `y.backward(v, retain_graph=True)`.

    No call, or more than 24 numbers to draw, is a ValueError.

    Example:
        >>> import torch
        >>> weights = [torch.tensor(1.0), torch.tensor(10.0)]
        >>> accumulation(lambda x: x**2, torch.tensor(1.0), weights)
        Each call adds to x.grad. Call 1: 0 + 2 = 2. Call 2: 2 + 20 = 22.
    """
    if not 0 < len(vs) * x.numel() <= LIMIT:
        raise ValueError(
            f"{len(vs)} calls of {x.numel()} numbers; the figure shows 1 to {LIMIT} numbers"
        )
    added = [measure(f, x, v).grad.reshape(-1) for v in vs]
    held = [np.zeros(x.numel()), *_held(f, x, vs)]
    elements = names("x", tuple(x.shape))
    lines = [
        (f"call {call}" if place == 0 else "", elements[place], before, more, after)
        for call, (old, new, now) in enumerate(zip(held, added, held[1:], strict=False), start=1)
        for place, (before, more, after) in enumerate(zip(old, new, now, strict=True))
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


def _held(f: Function, x: Any, vs: Sequence[Any]) -> list[Array]:
    """Make the calls on one fresh leaf; return what its .grad holds after each."""
    leaf = x.detach().clone().requires_grad_()
    held = []
    with random_state_kept():
        y = repeatable(f, seed=0)(leaf)
        for v in vs:
            y.backward(v if v is None else v.clone(), retain_graph=True, inputs=[leaf])
            grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.clone()
            held.append(as_array(grad).reshape(-1))
    return held
