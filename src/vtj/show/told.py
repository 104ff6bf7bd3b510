"""Tell backward's way through a graph step by step, in the numbers that its hooks saw."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vtj.contraction import contract
from vtj.show.measured import number
from vtj.show.recorded_graph import Kept, Station, Way

CALL = 1  # the step in which v is handed in; before it is forward
FIRST = 2  # the step of the first node; then one for each


def told(stations: Sequence[Station]) -> list[list[str]]:
    """Tell every step: first one sentence, then the calculations that belong to it.

    Example:
        >>> from vtj.show.recorded_graph import walk
        >>> for step in told(walk(lambda x: x**2, torch.tensor(3.0))): print(*step, sep="; ")
        Forward: x = 3 goes down to y = 9, and each operation keeps what it needs to go back.
        y.backward(): 1 arrives at y.
        y: pow gets 1 and sends 6 to x.; 1 × 6 = 6 → x; Then it frees x = 3.
        x gets 6 and backward adds it to x.grad.
    """
    root, inputs = stations[0], [s for s in stations if not s.ways and s.turn is not None]
    given = ", ".join(f"{station.name} = {written(station.value)}" for station in inputs)
    y, v = root.called, written(root.arrived)
    call = f"{y}.backward(): 1" if v == "1" else f"{y}.backward(v): v = {v}"
    steps = [
        [
            f"Forward: {given} goes down to {y} = {written(root.value)}, "
            "and each operation keeps what it needs to go back."
        ],
        [f"{call} arrives at {y}."],
    ]
    came = sorted((s for s in stations if s.turn is not None), key=lambda s: s.turn or 0)
    return steps + [_step(station, stations) for station in came]


def parts(station: Station, stations: Sequence[Station]) -> list[Tensor]:
    """Return what was sent to a node, in the order in which it came."""
    came = [
        (other.turn, way.sent)
        for other in stations
        for way in other.ways
        if stations[way.to] is station and way.output == station.output and way.sent is not None
    ]
    return [sent for _, sent in sorted(came, key=lambda part: part[0] or 0)]


def label(station: Station) -> str:
    """Return what a node is called, and its operation unless it only reads an element."""
    if not station.called or not station.ways or station.name == "select":
        return station.called or station.name
    return f"{station.called}: {station.name}"


def written(values: Tensor | None) -> str:
    """Write numbers: whole ones in full, others with a sign where they are rounded.

    Example:
        >>> written(torch.tensor([5705182.0, 0.1, 1 / 3])), written(torch.ones(4))
        ('[5705182, 0.1, ≈0.3333]', 'shape (4,)')
    """
    if values is None:
        return "not seen"
    return _listed(_array(values), 3)


def _array(values: Tensor) -> Any:
    """Return an array of the tensor's dtype, or of float32 where NumPy lacks it."""
    here = values.detach()
    return (here.float() if here.dtype == torch.bfloat16 else here).numpy(force=True)


def _listed(array: Any, most: int) -> str:
    if array.ndim == 0:
        return number(array, np.finfo(np.result_type(array.dtype, np.float16)).eps)
    if max(array.shape) > most or array.ndim > 2 or (most == 3 and array.ndim > 1):
        return f"shape {tuple(array.shape)}"
    return f"[{', '.join(_listed(part, most) for part in array)}]"


def _step(station: Station, stations: Sequence[Station]) -> list[str]:
    came, here = parts(station, stations), written(station.arrived)
    lines, gets = [], f"{label(station)} gets {here}"
    if _adds_up(came, station.arrived):
        lines.append(f"{' + '.join(map(written, came))} = {here}")
        gets += f", the sum of {len(came)} parts,"
    if not station.ways:
        return [f"{gets} and backward adds it to {station.name}.grad.", *lines]
    ways = [way for way in station.ways if way.sent is not None]
    sends = [f"{written(way.sent)} to {_name(stations[way.to])}" for way in ways]
    lines += filter(None, [_multiplied(station, way, stations) for way in ways])
    lines += [_wrong(station, way, stations) for way in station.ways if way.right is not None]
    if station.called and station is not stations[0] and station.name != "select":
        lines.append(f"Cut f here, and {here} is the v for {station.called}.backward(v).")
    if station.keeps and station.freed == station.turn:
        lines.append(f"Then it frees {_and(list(map(_kept, station.keeps)))}.")
    return [f"{gets} and sends {_and(sends or ['nothing'])}.", *lines]


def _adds_up(came: list[Tensor], arrived: Tensor | None) -> bool:
    """Whether several parts are what arrived: a hook inside of f can change it."""
    if arrived is None or len(came) < 2:
        return False
    return torch.allclose(torch.stack(came).sum(0), arrived)


def _multiplied(station: Station, way: Way, stations: Sequence[Station]) -> str:
    """Write the calculation of what a node sends, where its Jacobian gives just that."""
    slope, v, sent = way.jacobian, station.arrived, way.sent
    if slope is None or v is None or sent is None:
        return ""
    if way.right is not None:
        return ""
    if not torch.allclose(contract(v, slope).to(sent.dtype), sent):  # its backward is not linear
        return ""
    return f"{_product(v, slope, sent)} → {_name(stations[way.to])}"


def _wrong(station: Station, way: Way, stations: Sequence[Station]) -> str:
    """Write the calculation of what a node should have sent."""
    v, slope = station.arrived, way.right
    if v is None or slope is None:
        return ""
    right = _product(v, slope, contract(v, slope))
    sent = "nothing" if way.sent is None else written(way.sent)
    return f"Wrong: {right} → {_name(stations[way.to])}, but it sends {sent}."


def _product(v: Tensor, slope: Tensor, sent: Tensor) -> str:
    sign = "·" if v.ndim else "×"
    if v.ndim and v.shape == sent.shape:
        square = slope.reshape(v.numel(), -1)
        if torch.equal(square, torch.diag(square.diagonal())):  # each element on its own
            slope, sign = square.diagonal().reshape(v.shape), "×"
    factor = _listed(_array(slope), 4)
    return f"{written(v)} {sign} {factor} = {written(sent)}"


def _kept(kept: Kept) -> str:
    value = written(kept.value)
    return f"{kept.called} = {value}" if kept.called else value


def _name(station: Station) -> str:
    return station.called or station.name


def _and(items: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
