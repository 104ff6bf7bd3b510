"""What the script computes, says and draws, compared with torch before a page with it is written.

Expected here is made of torch's y, J and x.grad, and not of the script's own.
"""

import random
from collections.abc import Sequence
from functools import cache
from math import hypot
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from devices.explorer.picture import short as five
from devices.landscape.drawing import Drawing, WrongDrawingError, read
from devices.landscape.functions import FUNCTIONS, MOST, WAYS, Function, Setting, run

SETTINGS = 200  # of each function: v points each way there is, and x is anywhere
DRAWN = 7  # of so many settings, one with its lines: hundreds of points each
REACH, SIDE, CELLS = 3, 360, 31  # of the plane of x, its picture and the grid of its heights
UNIT, LONGEST, SUMMED, TURNED = SIDE / 2 / REACH, 90, 84, 70  # pixels
ROUNDED = 0.06  # of a pixel: coordinates have one digit after the point
ONE = torch.eye(2, dtype=torch.float64)
Array = NDArray[np.float64]


@cache
def prove(script: str) -> None:
    """Compare all that is shown of random settings with torch.

    Raises:
        ValueError: With the setting and the first thing that differs.
    """
    settings = drawn_settings(SETTINGS)
    found = run(script, settings, "[compute(f, x, v), shown(f, x, v, lines)]")
    for setting, (computed, shown) in zip(settings, found, strict=True):
        try:
            _compare(FUNCTIONS[setting.name], setting, computed, shown)
        except ValueError as error:
            said = f"{setting.name} at x = {setting.x.tolist()} with v = {setting.v.tolist()}"
            raise ValueError(f"{said}: {error}") from None


def drawn_settings(count: int) -> list[Setting]:
    """Return so many settings of each function: every way in turn, and x in the middle at times."""
    drawn = random.Random(0)
    return [
        Setting(
            name,
            i * 9 % WAYS,
            (0, 0) if i % 19 == 0 else (tenths(drawn), tenths(drawn)),
            i % DRAWN == 0,
        )
        for name in FUNCTIONS
        for i in range(count)
    ]


def tenths(drawn: random.Random) -> int:
    """Return where an element of x may be."""
    return drawn.randint(-MOST, MOST)


def truth(f: Function, setting: Setting) -> dict[str, Any]:
    """Return torch's y, J, x.grad and pretend loss, and the weighted rows."""
    leaf = setting.x.clone().requires_grad_()
    y = f(leaf)
    jacobian = torch.stack([torch.autograd.grad(y, leaf, row, retain_graph=True)[0] for row in ONE])
    rows = setting.v[:, None] * jacobian
    loss = (setting.v * y).sum()
    torch.autograd.backward(y, setting.v)
    assert leaf.grad is not None
    made = {"y": y, "J": jacobian, "rows": rows, "grad": leaf.grad, "loss": loss}
    return {name: value.detach().numpy() for name, value in made.items()}


def _compare(f: Function, setting: Setting, computed: Any, shown: Any) -> None:
    true = truth(f, setting)
    for name, value in true.items():
        if not np.allclose(computed[name], value, rtol=1e-12, atol=1e-12):
            raise ValueError(f"{name} in the page is {computed[name]}; in torch it is {value}")
    heights = len(_every(f, setting, float(true["loss"])))
    said = texts(f, setting, true)
    named = names(setting, said, heights)
    for found, expected in ((shown["texts"], said), (shown["names"], named)):
        for name, words in expected.items():
            if found[name] != words:
                raise ValueError(f"the page says {found[name]!r}; expected {words!r}")
    drawings = {of: read(svg) for of, svg in shown["drawn"].items()}
    try:
        _turn(drawings["v"], shown["holds"]["v"], setting.v.numpy())
        _land(drawings["land"], shown["holds"]["land"], f, setting, true)
        _sum(drawings["sum"], true)
    except WrongDrawingError as error:
        raise ValueError(str(error)) from None


def short(number: float) -> str:
    """Write a number as the page does: whole, or with five digits, and ≈ where it has more.

    Example:
        >>> short(-0.5), short(0.1 + 0.2 - 0.3), short(2 / 3)
        ('−0.5', '0', '≈0.66667')
    """
    return five(round(float(number), 9))


def _list(numbers: Any) -> str:
    return f"[{', '.join(short(number) for number in numbers)}]"


def texts(f: Function, setting: Setting, true: dict[str, Any]) -> dict[str, str]:
    """Return the three sentences that a setting must have beneath it."""
    v = setting.v.tolist()
    (first, second), grad, loss = true["J"], true["grad"], short(true["loss"])
    sign = "−" if v[1] < 0 else "+"
    rows = f"{short(v[0])} × {_list(first)} {sign} {short(abs(v[1]))} × {_list(second)}"
    apart = f"The lines are {short(f.step)} apart: solid ones lie higher than x, dashed ones lower."
    if abs(slope(f, setting)).max() < 1e-9:
        words = (
            f"Flat: v·y is {loss} wherever x is. The weighted rows cancel, there is no line to "
            "draw, and no direction is up."
        )
    elif abs(grad).max() < 1e-9:
        words = f"x.grad is zero: at this x the landscape is level. {apart}"
    else:
        words = f"x.grad points uphill, at right angles to the line through x. {apart}"
    return {
        "numbers": f"v = {_list(v)}, x = {_list(setting.x)}, y = {_list(true['y'])}: v·y = {loss}",
        "sum": f"x.grad = {rows} = {_list(grad)}",
        "words": words,
    }


def names(setting: Setting, said: dict[str, str], count: int) -> dict[str, str]:
    """Return what the three pictures are called, if there are so many lines."""
    return {
        "v": f"v = {_list(setting.v)} as an arrow",
        "land": f"The plane of x, with v·y at {count} heights as lines. {said['words']}",
        "sum": f"The weighted rows, head to tail: {said['sum']}",
    }


def slope(f: Function, setting: Setting) -> Array:
    """Return x.grad all over the plane: where all of it is zero, the landscape is flat."""
    x = torch.from_numpy(_grid()).requires_grad_()
    torch.autograd.backward((setting.v[:, None, None] * f(x)).sum())
    assert x.grad is not None
    return x.grad.numpy()


def _grid() -> Array:
    ticks = np.linspace(-REACH, REACH, CELLS + 1)
    return np.stack(np.meshgrid(ticks, ticks, indexing="ij"))


def _steps(f: Function, setting: Setting, loss: float, x: Array) -> Array:
    """Return how many steps v·y is higher there than at the setting's x."""
    y = f(torch.from_numpy(x)).numpy()
    return (np.tensordot(setting.v.numpy(), y, 1) - loss) / f.step


def _every(f: Function, setting: Setting, loss: float) -> Array:
    """Return the heights at which there is a line."""
    heights = _steps(f, setting, loss, _grid())
    return np.arange(np.ceil(heights.min() + 1e-6), heights.max() - 1e-6)


def levels(f: Function, setting: Setting, loss: float) -> dict[int, Array]:
    """Return, for each line by its steps from x, where it crosses the grid, in pixels."""
    x, every = _grid(), _every(f, setting, loss)
    heights = _steps(f, setting, loss, x)
    starts, ends, of = [], [], []
    for one, other in (np.s_[:-1, :], np.s_[1:, :]), (np.s_[:, :-1], np.s_[:, 1:]):
        below = heights[None] < every[:, None, None]
        k, i, j = np.nonzero(below[:, *one] != below[:, *other])
        starts.append(x[:, *one][:, i, j])
        ends.append(x[:, *other][:, i, j])
        of.append(every[k])
    start, end, level = (np.concatenate(parts, -1) for parts in (starts, ends, of))
    upward = _steps(f, setting, loss, end) >= level
    for _ in range(16):  # halves: a 65,536th of an edge is far less than a pixel
        middle = (start + end) / 2
        beyond = (_steps(f, setting, loss, middle) >= level) == upward
        start, end = np.where(beyond, start, middle), np.where(beyond, middle, end)
    return {int(k): pixels(end[:, level == k].T) for k in every}


def pixels(x: Array) -> Array:
    """Return where points of the plane are in its picture."""
    return np.array([SIDE / 2, SIDE / 2]) + UNIT * x * [1, -1]


def _turn(drawing: Drawing, hold: Sequence[float], v: Array) -> None:
    tip = np.array([100, 100]) + TURNED * v * [1, -1]
    drawing.expect_arrows({"v": (np.array([100, 100]), tip)}, ROUNDED)
    drawing.expect_point("the dot to turn v by", hold, tip, ROUNDED)
    drawing.expect_words({"v": (np.array([100, 100]) + tip) / 2}, within=25)
    drawing.expect_no_more()


def _land(
    drawing: Drawing,
    hold: Sequence[float],
    f: Function,
    setting: Setting,
    true: dict[str, Any],
) -> None:
    at = pixels(setting.x.numpy())
    along = LONGEST / f.most * true["grad"] * [1, -1]
    long = hypot(*along)
    drawing.expect_point("the dot to move x by", hold, at, ROUNDED)
    lines = levels(f, setting, float(true["loss"])) if setting.lines else {}
    drawing.expect_lines(lines, reach=1.5 * SIDE / CELLS)
    for k, line in drawing.lines.items():
        point = ((line.points - SIDE / 2) * [1, -1] / UNIT).T
        off = abs(_steps(f, setting, float(true["loss"]), point) - k).max()
        if off > 0.012:  # of a step: coordinates are rounded
            raise WrongDrawingError(f"the line {k} steps from x is off by {off:.3f} steps")
    drawing.expect_arrows({"grad": (at, at + along)} if long >= ROUNDED else {}, ROUNDED)
    if long >= 30:
        ahead = along / long * 14
        beside = ahead[::-1] * [-1, 1]
        drawing.expect_square(np.array([at + ahead, at + ahead + beside, at + beside]), ROUNDED)
    words = {"x.grad": at + along} if long >= ROUNDED else {}
    if abs(slope(f, setting)).max() < 1e-9:
        words[f"flat: v·y = {short(true['loss'])}"] = np.array([90, 50])
    drawing.expect_words(words, within=45)
    drawing.expect_no_more()


def _sum(drawing: Drawing, true: dict[str, Any]) -> None:
    scale = SUMMED / (abs(true["J"]).sum(0).max() or 1)
    first, second, grad = (scale * row * [1, -1] for row in [*true["rows"], true["grad"]])
    sides = [first, second, grad]
    length = max(hypot(*side) for side in sides)
    longest = next(side for side in sides if hypot(*side) > length - 1e-6)
    # The nearer the three lie to one line, the farther they are drawn from each other.
    height = abs(first[0] * second[1] - first[1] * second[0]) / length if length else 0
    lane = 7 * max(0, 1 - height / 14) * longest[::-1] * [-1, 1] / (length or 1)
    middle = np.array([100, 100])
    arrows = {
        "row-1": (middle - lane, middle - lane + first),
        "row-2": (middle + first, middle + first + second),
        "grad": (middle + lane, middle + lane + grad),
    }
    seen = {kind: ends for kind, ends in arrows.items() if hypot(*(ends[1] - ends[0])) >= ROUNDED}
    drawing.expect_arrows(seen, ROUNDED)
    drawing.expect_no_more()
