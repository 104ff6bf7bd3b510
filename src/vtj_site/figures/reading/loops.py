"""The loop of a verdict, beside what `check` and `certify` are seen to doubt and to do."""

import sys
from collections.abc import Iterator
from functools import cache, partial
from types import CodeType, FrameType
from typing import Any

import numpy as np

import vtj
from vtj.oracle import directions, reexamination
from vtj.report import Report
from vtj.show import Figure
from vtj_site.figures.reading.compared import Exactly, Pair
from vtj_site.figures.reading.drawn import drawn

DOUBTS: dict[str, Any] = {"check": reexamination.DOUBTS, "certify": directions.DOUBTS}


def loop(figure: Figure, *, f: Any, x: Any) -> Iterator[Pair]:
    """Compare the picture with a run of what its title names on that function."""
    seen = drawn(figure)
    question = next(name for name in DOUBTS if seen.title == f"How {name} decides")
    taken, report = taken_by(question, f, x)
    before, said = "", []
    for doubt, _ in taken:
        said.append(f"{'Still' if doubt == before else 'Doubt'}: {doubt}")
        before = doubt
    said.append("Nothing more to ask" if report.verdict == "undecided" else "No doubt is left")
    boxes, in_boxes, between = seen.boxes, seen.labels[::2], seen.labels[1::2]
    words = [in_boxes[0].words, *(remedy for _, remedy in taken), report.verdict]
    yield "what is done", [label.words for label in in_boxes], list(map(Exactly, words))
    yield "what is doubted", [label.words for label in between], list(map(Exactly, said))
    told = [f"{doubt}, so {done}." for doubt, done in zip(said, words[1:], strict=True)]
    yield "the description", seen.description, Exactly(" ".join([f"{words[0]}.", *told]))

    first, step = boxes[0], boxes[1].top - boxes[0].top
    tops = [first.top + step * number for number in range(len(words))]
    places = [[first.left, top, first.width, first.height] for top in tops]
    yield "the boxes", [[b.left, b.top, b.width, b.height] for b in boxes], places
    yield "room between them", 0 < first.height < step and first.left > 0, True
    yield "room for all", [seen.width, seen.height], [first.right + 2, boxes[-1].bottom + 2]
    last = len(words) - 1
    looks = [("plain", number == last) for number in range(len(words))]
    yield "what is tinted", [(box.color, box.shade > 0) for box in boxes] == looks, True
    looks_of_words = [(one.color, one.strong, one.anchor) for one in in_boxes]
    yield "how words look", looks_of_words == [(*look, "middle") for look in looks], True
    plain = {(one.color, one.strong, one.anchor) for one in between}
    yield "how doubts look", plain == {("plain", False, "start")}, True
    below = in_boxes[0].place[1] - first.top
    yield "words in boxes", 0 < below < first.height, True
    at = [[first.middle[0], top + below] for top in tops]
    yield "the places of words", [list(one.place) for one in in_boxes], at
    ways, heads = seen.lines[::2], seen.lines[1::2]
    left = ways[0].points[0][0]
    begin = between[0].place[0], between[0].place[1] - first.bottom
    yield "a doubt beside its arrow", left < begin[0] and 0 < begin[1] < step - first.height, True
    at = [[begin[0], box.bottom + begin[1]] for box in boxes[:-1]]
    yield "the places of doubts", [list(one.place) for one in between], at
    fits = all(one.right <= first.right and one.left >= first.left for one in seen.labels)
    yield "words within the boxes", fits and first.left < left, True
    down = [[[left, top + first.height], [left, top + step]] for top in tops[:-1]]
    yield "the ways down", [[list(p) for p in way.points] for way in ways], down
    (x0, y0), tip, _ = heads[0].points
    half, high = tip[0] - x0, tip[1] - y0
    yield "room for a head", 0 < half < left - first.left and 0 < high < step / 2, True
    tips = [
        [[left - half, end - high], [left, end], [left + half, end - high]] for _, (_, end) in down
    ]
    yield "their heads", [[list(p) for p in head.points] for head in heads], tips
    lines = {(line.color, line.dashed) for line in seen.lines}
    yield "how lines look", lines == {("plain", False)}, True


@cache  # a picture is read once for each fault that is planted in it
def taken_by(question: str, f: Any, x: Any) -> tuple[list[tuple[str, str]], Report]:
    """Watch the calls that `check` or `certify` makes: each remedy, and what was doubted then."""
    signs: dict[CodeType, str] = {}
    remedies: dict[CodeType, str] = {}
    for doubt in DOUBTS[question]:
        signs[doubt.sign.__code__] = doubt.name
        remedies |= {remedy.take.__code__: remedy.name for remedy in doubt.remedies}
    taken: list[tuple[str, str]] = []
    doubted = ""
    inside: list[FrameType] = []  # a remedy, which may go through doubts of its own

    def watch(frame: FrameType, event: str, came: Any) -> None:
        nonlocal doubted
        if not inside and event == "return" and frame.f_code in signs and np.any(came):
            doubted = signs[frame.f_code]
        if not inside and event == "call" and frame.f_code in remedies:
            taken.append((doubted, remedies[frame.f_code]))
            inside.append(frame)
        elif event == "return" and inside == [frame]:
            inside.clear()

    ask = partial(getattr(vtj, question), f, x)
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        report = ask()
    finally:
        sys.setprofile(before)
    return taken, report
