"""Forward and back between two processes: who computes what, and what goes over the line."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from vtj.show.svg import Drawing, Figure, width_of
from vtj_site.figures.listening import Event

BOX, HIGH, ROW = 104.0, 28.0, 62.0
TOP = 30.0


class Pass(NamedTuple):
    """A forward or a backward of a process; `source` is who sent what it was given."""

    row: int  # passes in one row may run at the same time
    process: int
    words: str
    backward: bool
    source: int | None
    given: str  # what came over the line


def passes(events: Sequence[Sequence[Event]], names: tuple[str, str]) -> Figure:
    """Draw the passes of two processes from top to bottom, and what each got from the other.

    Two passes stand side by side where neither waits for the other. No pass is a ValueError.

    Example:
        >>> import torch
        >>> y, v = torch.ones(3), torch.tensor([1.0, 2.0, 3.0])
        >>> client = [("forward", torch.zeros(2)), ("sent", y), ("backward", v)]
        >>> server = [("forward", y), ("backward", None), ("sent", v)]
        >>> passes([client, server], ("client", "server"))  # doctest: +NORMALIZE_WHITESPACE
        Forward and back between processes. client: forward. server: forward of y (3,), which
        client sent. server: backward. client: backward of v (3,), which server sent.
    """
    found = sorted(_passes(events))
    if not found:
        raise ValueError(f"{len(events)} processes were heard; expected passes of two")
    between = max(width_of(each.given) for each in found) + 24
    middles = (BOX / 2 + 2, BOX / 2 + 2 + max(between, BOX + 8))
    last = max(each.row for each in found)
    drawing = Drawing(middles[1] + BOX / 2 + 2, _top(last) + HIGH + 2)
    for process, middle in enumerate(middles):
        drawing.text(middle, 16, names[process], strong=True)
        start = 22.0
        for each in [each for each in found if each.process == process]:
            drawing.line([(middle, start), (middle, _top(each.row))], dashed=True)
            start = _top(each.row) + HIGH
        if start < _top(last):
            drawing.line([(middle, start), (middle, _top(last) + HIGH)], dashed=True)
    for each in found:
        color = "accent" if each.backward else "plain"
        middle, top = middles[each.process], _top(each.row)
        shade = 0.5 if each.backward else 0.0
        drawing.box(middle - BOX / 2, top, BOX, HIGH, color=color, shade=shade)
        drawing.text(middle, top + 19, each.words)
        if each.source is not None:
            back = 7 if middles[each.source] < middle else -7
            y, tip = top - 9, middle
            drawing.line([(middles[each.source], y), (tip, y)], color=color)
            head = [(tip - back, y - 4), (tip, y), (tip - back, y + 4)]
            drawing.line(head, color=color)
            drawing.text(sum(middles) / 2, y - 6, each.given, color=color, strong=True)
    return drawing.figure(
        "Forward and back between processes", " ".join(_told(each, names) for each in found)
    )


def _top(row: int) -> float:
    return TOP + (row - 1) * ROW


def _told(each: Pass, names: tuple[str, str]) -> str:
    came = f" of {each.given}, which {names[each.source]} sent" if each.source is not None else ""
    return f"{names[each.process]}: {each.words}{came}."


def _passes(events: Sequence[Sequence[Event]]) -> list[Pass]:
    found = []
    for process, heard in enumerate(events):
        for place, (kind, given) in enumerate(heard):
            if kind == "sent":
                continue
            same = [at for at, (other, _) in enumerate(heard) if other == kind]
            number = f" {same.index(place) + 1}" if len(same) > 1 else ""
            sent = _sent(events, process, given)
            came = "" if given is None else f"{'yv'[kind == 'backward']}{number} {_shape(given)}"
            row, source = _row(events, process, place), sent[0] if sent else None
            words = kind + number
            found.append(
                Pass(row, process, words, kind == "backward", source, came if sent else "")
            )
    return found


def _row(events: Sequence[Sequence[Event]], process: int, place: int) -> int:
    """Return the first row in which an event can stand: below what it needs."""
    kind, given = events[process][place]
    above = _row(events, process, place - 1) if place else 0
    if kind == "sent":
        return above
    sent = _sent(events, process, given)
    return 1 + max(above, _row(events, *sent) if sent else 0)


def _sent(
    events: Sequence[Sequence[Event]], process: int, given: Tensor | None
) -> tuple[int, int] | None:
    """Find the event of the other process in which what a pass was given was sent."""
    found = (
        (other, place)
        for other, heard in enumerate(events)
        for place, (kind, tensor) in enumerate(heard)
        if other != process and kind == "sent" and _alike(tensor, given)
    )
    return next(found, None)


def _alike(one: Tensor | None, other: Tensor | None) -> bool:
    return one is not None and other is not None and torch.equal(one, other)


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))
