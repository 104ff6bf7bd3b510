"""Timelines: which releases a bar spans, and what it says of them."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree

from vtj_site.figures.reading.compared import Pair
from vtj_site.markup import Shown
from vtj_site.records.releases import NOT_ASKED, recorded

CHARACTER = 6.7
"""The width of a character in a bar, in pixels; words that need more than the bar are left out."""


def timeline(shown: Shown, *, questions: Sequence[str]) -> Iterator[Pair]:
    """Compare bars with the recorded answers: how far each reaches, and all of its words."""
    (svg,) = ElementTree.fromstring(shown.html)
    marks = [text for text in svg.findall("text") if "transform" in text.attrib]
    heads = [text for text in svg.findall("text") if "transform" not in text.attrib]
    releases = [row["torch"] for row in recorded()]
    yield "the releases", [mark.text for mark in marks], releases
    turned = [list(map(int, re.findall(r"-?\d+", mark.attrib["transform"]))) for mark in marks]
    step = (turned[-1][0] - turned[0][0]) / (len(releases) - 1)
    places = [[turned[0][0] + step * k, *turned[0][1:]] for k in range(len(releases))]
    yield "where the releases stand", turned, places
    yield "the questions", [head.text for head in heads], list(questions)
    first = heads[0].attrib["x"]
    yield "where the questions stand", [head.attrib["x"] for head in heads], [first] * len(heads)

    bars, text = [], []
    for question, head in zip(questions, heads, strict=True):
        text.append(question)
        answers = [(row["outcomes"].get(question, NOT_ASKED), row["torch"]) for row in recorded()]
        for answer, pairs in groupby(answers, key=lambda pair: pair[0]):
            names = [name for _, name in pairs]
            span = " … ".join(dict.fromkeys((names[0], names[-1])))
            error = answer.partition(":")[0].endswith("Error")
            short = answer.partition(":")[0] if error else " ".join(answer.split())
            start, end = (places[releases.index(name)][0] for name in (names[0], names[-1]))
            value = short.removeprefix("tensor(").removesuffix(")")
            fits = len(value) * CHARACTER < end - start + step - 2
            title = f"torch {span}: {answer}"
            bars.append((title, start, end, head.attrib["y"], error, value if fits else ""))
            text.append(f"  {span}: {short}")
    yield "the words for those who hear it", svg.findtext("title"), "\n".join(text)
    yield "the number of bars", len(svg.findall("g")), len(bars)
    first_bar: tuple[float, ...] | None = None
    for group, (title, start, end, line, error, words) in zip(svg.findall("g"), bars, strict=True):
        said, rect, label = group
        x, y, width = (float(rect.attrib[name]) for name in ("x", "y", "width"))
        beside = x + width - float(label.attrib["x"]), float(label.attrib["y"]) - y
        height = float(rect.attrib["height"])
        edges = (start - x, x + width - end, y - float(line), height, *beside)
        first_bar = first_bar or edges
        yield f"the edges of the bar of {title!r}, and its words", edges, first_bar
        yield "a bar from its first release to its last", 0 < min(edges) < max(edges) < step, True
        yield "what a bar says", (said.text, label.text or ""), (title, words)
        yield f"a dashed bar for {title!r}", "stroke-dasharray" in rect.attrib, error
