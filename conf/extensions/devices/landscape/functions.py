"""The functions whose landscapes are shown, as a reader types them in torch; and a setting of one.

v stands on the edge of a square, in tenths, so that ones are among the ways it can point; x is in
tenths too.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any

import dukpy  # type: ignore[import-untyped]
import torch
from torch import Tensor

SCRIPT = Path(__file__).parents[3] / "static" / "landscape.js"
WAYS = 80  # that v can point
MOST = 15  # tenths that x can be moved to either side


@dataclass(frozen=True)
class Function:
    """One function of two inputs with two outputs."""

    title: str  # in the menu
    code: str  # the Python expression that computes y from x
    step: float  # of v·y from line to line
    most: float  # no element of x.grad is larger: how long the arrows are drawn
    way: int  # that v points first
    x: tuple[int, int]  # where x begins, in tenths

    def __call__(self, x: Tensor) -> Tensor:
        """Return y, from the code; x and y may have dimensions after their first."""
        y: Tensor = eval(self.compiled, {"torch": torch, "x": x})
        return y

    @cached_property
    def compiled(self) -> CodeType:
        """The code, read once."""
        return compile(self.code, "<landscape>", "eval")


FUNCTIONS = {
    "mix": Function("linear mix", "torch.stack([2 * x[0] + x[1], x[0] - x[1]])", 1, 3, 5, (5, -5)),
    "bowl": Function(
        "bowl and saddle", "torch.stack([x[0] ** 2 + x[1] ** 2, x[0] * x[1]])", 2, 4.5, 5, (10, -5)
    ),
    "softmax": Function("softmax", "torch.softmax(x, 0)", 0.1, 0.5, 2, (2, -2)),
}


@dataclass(frozen=True)
class Setting:
    """Which way v points, and where x is, in tenths."""

    name: str
    way: int
    at: tuple[int, int]
    lines: bool = True  # they take by far the longest to draw

    @cached_property
    def x(self) -> Tensor:
        """Return x as torch gets it."""
        return torch.tensor(self.at, dtype=torch.float64) / 10

    @cached_property
    def v(self) -> Tensor:
        """Return v as torch gets it: so many tenths along the edge of a square, from [1, 0] on."""
        corners = [(1, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
        side, step = divmod((self.way + 10) % WAYS, 20)
        edge = zip(corners[side], corners[side + 1], strict=True)
        tenths = [10 * one + (other - one) // 2 * step for one, other in edge]
        return torch.tensor(tenths, dtype=torch.float64) / 10


def run(script: str, settings: list[Setting], call: str) -> Any:
    """Return what the script's ``call`` of ``f, x, v, lines`` gives for each setting."""
    fields = {
        name: {"name": name, "step": function.step, "most": function.most}
        for name, function in FUNCTIONS.items()
    }
    given = [
        {"f": fields[one.name], "way": one.way, "at": one.at, "lines": one.lines}
        for one in settings
    ]
    return dukpy.evaljs(
        script + ";dukpy.given.map(({ f, way, at, lines }) => {"
        "const { compute, turned, shown } = VTJ_LANDSCAPE;"
        "const x = at.map((tenths) => tenths / 10), v = turned(way);"
        f"return {call}; }})",
        given=given,
    )


def given(script: str, name: str) -> tuple[str, dict[str, Any]]:
    """Return what the element starts with: as JSON, and what is shown of it."""
    begin = Setting(name, FUNCTIONS[name].way, FUNCTIONS[name].x)
    functions = {
        key: {"title": one.title, "code": one.code, "step": one.step, "most": one.most}
        for key, one in FUNCTIONS.items()
    }
    state = {"name": name, "way": begin.way, "x": begin.at, "functions": functions}
    (shown,) = run(script, [begin], "shown(f, x, v)")
    return json.dumps(state), shown
