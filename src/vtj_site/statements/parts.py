"""The parts of the zoo that a sentence can speak of: each name is a phrase that the reader reads.

A part is told from the case alone, or from what its tensors are, and never from what came of it.
There are fifteen, and no part is cut to fit a sentence: a sentence that needs another one says too
much. A page's sentence has to say a part by one of its words.
"""

from collections.abc import Callable
from typing import NamedTuple

from vtj_site.statements.facts import Record


class Part(NamedTuple):
    """A part of the zoo: how a sentence says it, and which records are in it."""

    words: tuple[str, ...]
    holds: Callable[[Record], bool]


def _after_a_write(record: Record) -> bool:
    return record.x_written or record.y_written


PARTS: dict[str, Part] = {
    "of backward": Part(("backward",), lambda r: ".backward(" in r.case.call.code),
    "of autograd.grad": Part(("autograd.grad",), lambda r: "autograd.grad(" in r.case.call.code),
    "of torch.func": Part(("torch.func", "func."), lambda r: "torch.func" in r.case.script),
    "of a leaf": Part(("leaf", "leaves"), lambda r: bool(r.x and r.x.leaf and r.x.requires_grad)),
    "of a non-leaf": Part(
        ("non-leaf", "no leaf", "not a leaf", "no leaves"), lambda r: bool(r.x and not r.x.leaf)
    ),
    "for a real y": Part(("real",), lambda r: bool(r.y and r.y.is_real)),
    "for a complex y": Part(("complex",), lambda r: bool(r.y and r.y.is_complex)),
    "with one element": Part(
        ("one element", "one number", "single element", "scalar"),
        lambda r: bool(r.y and r.y.elements == 1),
    ),
    "with several elements": Part(
        ("several elements", "more than one element", "several numbers"),
        lambda r: bool(r.y and r.y.elements > 1),
    ),
    "with v": Part(("with v", "pass", "your v", "v"), lambda r: bool(r.case.call.v)),
    "without v": Part(
        ("without", "omit", "leave", "left out", "omit v", "leave v out"),
        lambda r: r.case.call.v == "",
    ),
    "a second time": Part(
        ("second", "twice", "again", "each call", "next"),
        lambda r: r.case.call.first.startswith("y.backward("),
    ),
    "through a checkpoint": Part(("checkpoint",), lambda r: "checkpoint(" in r.case.script),
    "with inputs=": Part(("inputs",), lambda r: "inputs=" in r.case.call.code),
    "after a write": Part(("write", "writes", "written", "overwritten"), _after_a_write),
}

_OPPOSITES = (
    ("of a leaf", "of a non-leaf"),
    ("for a real y", "for a complex y"),
    ("with one element", "with several elements"),
    ("with v", "without v"),
)
OPPOSITE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
"""A sentence that speaks of one of these may not say the other one too: it is two sentences."""
