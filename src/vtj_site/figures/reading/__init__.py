"""Pictures are read back from their SVG, and what they say is held against what is true.

Nothing in this room knows how a picture is drawn: each reading takes the words, boxes and lines
that a browser is given. What is true comes from elsewhere: from a page's cells, or from a record.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from vtj.show import Figure
from vtj_site.figures.reading import (
    charts,
    gradients,
    graphs,
    images,
    loops,
    passes,
    tables,
    timelines,
)
from vtj_site.figures.reading.compared import Pair, same
from vtj_site.figures.reading.drawn import drawn
from vtj_site.markup import Shown

Picture = TypeVar("Picture", Figure, Shown)

READINGS: dict[str, Callable[..., Iterator[Pair]]] = {
    "J, its rows weighted by v": tables.heat_map,
    "Shapes of v, J and x.grad": tables.side_by_side,
    "Each call adds to x.grad": charts.accumulation,
    "Operations for J": charts.cost,
    "Time of a cold build": partial(charts.build_times, key="", unit="s"),
    "Peak memory of all processes": partial(charts.build_times, key=" memory", unit="GiB"),
    "Maps over the image": images.maps,
    "Gradient of each pair": gradients.pairs,
    "Gradient by the ": gradients.curves,
    "Values forward, gradients back": graphs.graph,
    "Forward and back between processes": passes.passes,
    "How check decides": loops.loop,
    "How certify decides": loops.loop,
}
"""How each picture is read, by the beginning of its title: so a title names what is drawn."""


class PictureError(AssertionError):
    """A picture says something else than is true."""


def read_back(picture: Picture, **true: Any) -> Picture:
    """Return a picture, once what it says has been read from its SVG and found true.

    `true` holds the values under the names that the picture gives them: `J`, `v` and `grad` for a
    heat map and for shapes, `sums` for calls, `f`, `x` and `v` for a graph, `names`, `y` and `v`
    for passes of processes, `f` and `x` for the loop of a verdict, `over`, `x` and what was
    `found` for curves, the `questions` of a timeline.
    What a record says is looked up.

    Raises:
        PictureError: With what the picture says, and what is true.

    Example:
        >>> import torch
        >>> from vtj.show import heat_map
        >>> drawing = heat_map(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]), torch.ones(2))
        >>> read_back(drawing, J=[[6, 0], [0, 12]], v=[1, 1], grad=[6, 12]).title
        'J, its rows weighted by v'
    """
    if said := complaint(picture, **true):
        raise PictureError(said)
    return picture


def complaint(picture: Figure | Shown, **true: Any) -> str | None:
    """Return the first thing that a picture says and that is not true, or nothing."""
    if isinstance(picture, Shown):
        reading: Callable[..., Iterator[Pair]] | None = timelines.timeline
    else:
        title = drawn(picture).title
        reading = next((READINGS[name] for name in READINGS if title.startswith(name)), None)
    if reading is None:
        return f"no picture has the title {title!r}; expected one of {', '.join(READINGS)}"
    try:
        for what, said, right in reading(picture, **true):
            if not same(said, right):
                return f"{what}: the picture says {said}, true is {right}"
    except (ValueError, IndexError, KeyError) as error:
        return f"a part of the picture is missing, or is one too many: {error}"
    return None
