"""Faults in pictures: each thing in one is moved, changed in size, words or color, or left out."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest import mock
from xml.etree import ElementTree

from tests.docs.reading import Reader
from vtj_site.figures import reading

PLACES = ("x", "y", "width", "height", "d", "points", "transform")
TAGS = {"text", "rect", "path", "polygon", "title", "desc", "li", "p"}
COLORS = (  # what is drawn in one of them is drawn in the next instead
    "var(--vtj-positive, #0f766e)",
    "var(--vtj-negative, #7a3b9d)",
    "var(--vtj-accent, #b45309)",
    "var(--vtj-bad, #b3261e)",
    "currentColor",
    "var(--vtj-positive, #0f766e)",
)


def judged(reader: Reader, place: int) -> list[tuple[str, str | None, str]]:
    """Run a cell; say of each fault in each picture that it reads back what refuses it.

    That is None where nothing does. With it comes the picture without a fault.
    """
    found: list[tuple[str, str | None, str]] = []
    complaint = reading.complaint

    def each(picture: Any, **true: Any) -> str | None:
        for what, html in faults(picture.html):
            said = complaint(replace(picture, html=html), **true)
            found.append((what, said, picture.html))
        return complaint(picture, **true)

    with mock.patch.object(reading, "complaint", each):
        reader.complaint_from(place, place + 1)
    return found


def faults(html: str) -> Iterator[tuple[str, str]]:
    """Yield each fault, in words, and the picture with it."""
    root = ElementTree.fromstring(html)
    count = len(list(root.iter()))
    for number in range(count):
        for what in (
            "moved",
            "otherwise in size",
            "in other words",
            "in another color",
            "at another step",
            "left out",
        ):
            changed = deepcopy(root)
            element = list(changed.iter())[number]
            if element.tag in TAGS and change(changed, element, what):
                yield f"{element.tag} {number} {what}", ElementTree.tostring(changed, "unicode")


def change(root: ElementTree.Element, element: ElementTree.Element, what: str) -> bool:
    """Change an element; return whether there was something to change."""
    before, places = ElementTree.tostring(root), [name for name in PLACES if name in element.attrib]
    if what == "left out":
        (parent,) = (parent for parent in root.iter() if element in list(parent))
        parent.remove(element)
    elif what == "in other words" and element.text:
        element.text = reworded(element.text)
    elif what == "in another color" and (style := element.get("style")):
        color = min(COLORS, key=lambda color: (style.find(color) < 0, style.find(color)))
        element.set("style", style.replace(color, COLORS[COLORS.index(color) + 1], 1))
    elif what == "at another step" and (steps := [n for n in element.attrib if "data-" in n]):
        element.set(steps[-1], str(int(element.attrib[steps[-1]]) + 1))
    elif what == "moved" and places:
        element.set(places[0], moved(element.attrib[places[0]], first=True))
    elif what == "otherwise in size" and places:
        element.set(places[-1], moved(element.attrib[places[-1]], first=False))
    return ElementTree.tostring(root) != before


def moved(place: str, first: bool) -> str:
    """Return a number ten more; of several, another digit of the first, or of the last one."""
    if re.fullmatch(r"-?\d+(\.\d+)?", place):
        return f"{float(place) + 10:g}"
    digit = re.search(r"\d" if first else r"\d(?=(\.\d+)?\D*$)", place)
    assert digit, place
    return f"{place[: digit.start()]}{(int(digit[0]) + 1) % 10}{place[digit.end() :]}"


def reworded(words: str) -> str:
    """Return words with another first digit, or without one with another letter in the middle."""
    digit = re.search(r"\d", words)
    at = digit.start() if digit else len(words) // 2
    other = str((int(words[at]) + 1) % 10) if digit else "_"
    return f"{words[:at]}{other}{words[at + 1 :]}"
