"""Gradients as curves over one number that they depend on, such as a score or an error."""

from collections.abc import Mapping

from torch import Tensor

from vtj.show.measured import number
from vtj.show.svg import Drawing, Figure, width_of

WIDE, HIGH, LINE = 240.0, 120.0, 22.0
COLORS = ("positive", "accent", "negative")


def curves(over: str, x: Tensor, found: Mapping[str, Tensor]) -> Figure:
    """Draw each gradient over the sorted numbers `x`, with a line at zero and a legend beneath.

    The second curve and each one behind it is dashed, so that one shows through where two are the
    same. More than three curves, or a number that is not finite, is a ValueError.

    Example:
        >>> import torch
        >>> x = torch.tensor([-1.0, 0.0, 1.0])
        >>> curves("error", x, {"of squares": 2 * x})
        Gradient by the error, from −1 to 1. of squares: −2, in the middle 0, at the end 2.
    """
    if len(found) > len(COLORS) or not all(values.isfinite().all() for values in found.values()):
        raise ValueError(f"{len(found)} curves; expected at most {len(COLORS)}, each finite")
    low = min(0.0, *(float(values.min()) for values in found.values()))
    high = max(0.0, *(float(values.max()) for values in found.values()))
    start, end = float(x[0]), float(x[-1])
    ticks = {number(value): value for value in (high, 0.0, low)}
    left = max(map(width_of, ticks)) + 8
    right = left + WIDE
    drawing = Drawing(right + 30, 12 + HIGH + 28 + LINE * len(found))

    def down(value: float) -> float:
        return 12 + HIGH * (high - value) / ((high - low) or 1.0)

    for words, value in ticks.items():
        drawing.text(left - 6, down(value) + 5, words, anchor="end")
    drawing.line([(left, down(0.0)), (right, down(0.0))])
    drawing.line([(left, 12), (left, 12 + HIGH)])
    for place, words in ((left, number(start)), (left + WIDE / 2, over), (right, number(end))):
        drawing.text(place, 12 + HIGH + 20, words)
    for place, (name, values) in enumerate(found.items()):
        points = [
            (left + WIDE * (at - start) / (end - start), down(value))
            for at, value in zip(x.tolist(), values.tolist(), strict=True)
        ]
        y = 12 + HIGH + 28 + LINE * place + 12
        look = {"color": COLORS[place], "dashed": place > 0}
        drawing.line(points, **look)  # type: ignore[arg-type]
        drawing.line([(left, y), (left + 24, y)], **look)  # type: ignore[arg-type]
        drawing.text(left + 32, y + 5, name, anchor="start")
    said = [f"{name}: {_told(values, (high - low) / 1000)}" for name, values in found.items()]
    title = f"Gradient by the {over}, from {number(start)} to {number(end)}"
    return drawing.figure(title, "; ".join(said) + ".")


def _told(values: Tensor, unseen: float) -> str:
    """Say three points, what lies on the line at zero as zero."""
    first, middle, last = (float(values[at]) for at in (0, len(values) // 2, -1))
    said = [number(0.0 if abs(v) < unseen else float(f"{v:.3g}")) for v in (first, middle, last)]
    return f"{said[0]}, in the middle {said[1]}, at the end {said[2]}"
