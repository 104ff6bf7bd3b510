"""What a picture says beside what is true: words, numbers in words, and places."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vtj_site.figures.reading.drawn import Label

Pair = tuple[str, Any, Any]
"""What is compared, what the picture says of it, and what is true."""

NUMBER = re.compile(r"(≈?)(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
TENTHS = 0.16
"""Places are written in tenths of a pixel, and an edge is the sum of two of them."""


class Exactly(str):
    """What is true, to be said to the last digit."""

    __slots__ = ()


def same(said: Any, true: Any) -> bool:
    """Whether a picture says what is true: numbers to four digits, whole ones to the last."""
    if isinstance(true, Exactly):
        return bool(said == true)
    if isinstance(true, str):
        return isinstance(said, str) and written(said) == written(true)
    if isinstance(true, Sequence):
        return len(said) == len(true) and all(map(same, said, true))
    return bool(abs(float(said) - float(true)) <= TENTHS)


def written(text: str) -> str:
    """Return a text with its numbers written one way: with a sign where four digits round them.

    Example:
        >>> written("−3.0 × (1, 0.333333333)"), written("-3 × (1.0, ≈0.33333)")
        ('-3.0 × (1.0, ≈0.3333)', '-3.0 × (1.0, ≈0.3333)')
    """
    return NUMBER.sub(lambda found: _written(found[1], float(found[2])), text.replace("−", "-"))


def _written(rounded: str, number: float) -> str:
    six = float(f"{number:.6g}")
    # 0.1 in float32 is 0.10000000149, and a page says 0.1.
    if not rounded and (number.is_integer() or abs(six - number) < 1e-7 * abs(number)):
        return str((number if number.is_integer() else six) + 0.0)  # -0.0 is written as 0.0
    return f"≈{float(f'{number:.4g}')}"


def array(values: Any) -> NDArray[np.float64]:
    """Return what a page computed, in torch or in NumPy, as an array."""
    return np.asarray(torch.as_tensor(values).detach(), dtype=float)


def texts(values: Any) -> list[str]:
    """Return numbers as words."""
    return [str(value) for value in array(values).reshape(-1).tolist()]


def elements(letter: str, shape: Sequence[int]) -> list[str]:
    """Name the elements of a tensor, counting from 1.

    Example:
        >>> elements("x", (1, 2)), elements("y", (1, 10))[9]
        (['x₁₁', 'x₁₂'], 'y₁,₁₀')
    """
    comma = "," if max(shape, default=0) > 9 else ""
    counted = (comma.join(str(i + 1) for i in index) for index in np.ndindex(*shape))
    return [letter + "".join(chr(0x2080 + int(d)) if d != "," else d for d in c) for c in counted]


def in_lines(
    found: Sequence[Sequence[Label]], words: Sequence[Sequence[str]], accents: Sequence[Label] = ()
) -> Iterator[Pair]:
    """Compare words line by line, and where they stand with the longest line, from the right.

    All but `accents` have the color of the page's own words.
    """
    columns = [label.place[0] for label in max(found, key=len)]
    for said, true in zip_longest(found, words, fillvalue=()):
        yield "a line of words", [label.words for label in said], list(true)
        colors = [label.color for label in said]
        expected = ["accent" if label in accents else "plain" for label in said]
        yield f"the colors of {list(true)}", colors, expected
        places = [label.place[0] for label in said]
        yield f"the places of {list(true)}", places, columns[-len(places) :]
