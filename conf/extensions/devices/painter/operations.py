"""The operations on an image: as a reader types them in torch, and as layers that the script knows.

The script's code computes every number that a reader can see. It is run beside torch before a page
with it is written.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dukpy  # type: ignore[import-untyped]
import torch
from torch import Tensor
from torch.nn.functional import conv2d

from vtj_site.figures.pixels import tints

SCRIPT = Path(__file__).parents[3] / "static" / "painter.js"
SIDE = 16  # pixels: each can be hit by a finger on a phone
SETTINGS = 200  # random images and weights of each operation, on which script and torch must agree
FILTERS = {
    "blur": torch.tensor([[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]) / 16,
    "edges": torch.tensor([[[[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]]]),
    # Not symmetric, and some of what they give is below zero: a flipped filter shows.
    "first": torch.tensor([[[[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]],
                           [[[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 2.0]]]]),
    "second": torch.tensor([[[[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],
                             [[1.0, 0.0, 0.0], [0.0, -1.0, 3.0], [0.0, 0.0, 0.0]]]]),
}  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """One operation: its Python expression of x, and the layers that the script computes."""

    title: str
    code: str
    layers: tuple[Mapping[str, Any], ...]

    def __call__(self, x: Tensor) -> Tensor:
        """Return y of an image, from the code."""
        known = {"conv2d": conv2d, "relu": torch.relu, "x": x[None, None]}
        known |= {name: weight.to(x.dtype) for name, weight in FILTERS.items()}
        y: Tensor = eval(self.code, known)
        return y[0, 0]


def _filter(name: str, border: int) -> Mapping[str, Any]:
    return {"kind": "filter", "weight": FILTERS[name].tolist(), "border": border}


OPERATIONS = {
    "square": Operation("Square", "x * x", ({"kind": "square"},)),
    "blur": Operation("Blur", "conv2d(x, blur, padding=1)", (_filter("blur", 1),)),
    "edges": Operation("Edge filter", "conv2d(x, edges)", (_filter("edges", 0),)),
    "network": Operation(
        "Small network",
        "conv2d(relu(conv2d(x, first, padding=1)), second, padding=1)",
        (_filter("first", 1), {"kind": "relu"}, _filter("second", 1)),
    ),
}


def image() -> Tensor:
    """Return the image: a disk that gets brighter, on a dark ground with a bar."""
    row, column = torch.meshgrid(*2 * [torch.arange(float(SIDE))], indexing="ij")
    disk = (row - 7) ** 2 + (column - 6) ** 2 < 26
    x = torch.where(disk, 2 + torch.div(row + column, 4, rounding_mode="floor"), 0.0)
    x[:, 13] = 9
    return x


def gradients(operation: Operation, x: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Return torch's y and x.grad."""
    leaf = x.clone().requires_grad_()
    y = operation(leaf)
    torch.autograd.backward(y, v)
    assert leaf.grad is not None
    return y.detach(), leaf.grad


def prove(script: str) -> None:
    """Compare what the script computes and says with torch, on random images and weights.

    All of it is whole, or sixteenths: no difference is small enough to pass.

    Raises:
        ValueError: With the first number that differs.
    """
    torch.manual_seed(0)
    for name, operation in OPERATIONS.items():
        given, expected = [], []
        for _ in range(SETTINGS):
            # Small ones, and not square: rows for columns would show, and a build does not wait.
            size = [int(torch.randint(3, 9, ())) for _ in range(2)]
            x = torch.randint(-9, 10, size, dtype=torch.float64)
            v = torch.randint(-1, 2, operation(x).shape, dtype=torch.float64)
            at = [int(torch.randint(length, ())) for length in v.shape]
            y, grad = gradients(operation, x, v)
            given.append({"x": x.tolist(), "v": v.tolist(), "at": at})
            expected.append({"x": x, "y": y, "v": v, "grad": grad, "at": tuple(at)})
        found = dukpy.evaljs(
            script + ";dukpy.given.map(({ x, v, at }) => {"
            "const { y, grad } = VTJ_PAINTER.compute(dukpy.layers, x, v);"
            "const { sentence, tint, largest } = VTJ_PAINTER, top = largest(grad);"
            "return { y, grad, said: sentence({ x, y, v, grad }, ...at),"
            " tints: grad.map((row) => row.map((value) => tint(value, top))) }; })",
            given=given,
            layers=operation.layers,
        )
        for said, true in zip(found, expected, strict=True):
            _compare(name, said, true)


def _compare(name: str, said: Mapping[str, Any], true: Mapping[str, Any]) -> None:
    for what, tensor in (("y", true["y"]), ("x.grad", true["grad"])):
        shown = torch.tensor(said[what.removeprefix("x.")], dtype=torch.float64)
        if not torch.equal(shown, tensor):
            raise ValueError(f"{name}: {what} in the page is {shown}; in torch it is {tensor}")
    if said["tints"] != [list(map(list, row)) for row in tints(true["grad"])]:
        raise ValueError(f"{name}: the colors of {true['grad']} in the page are {said['tints']}")
    i, j = true["at"]
    values = {"x": true["x"], "y": true["y"], "v": true["v"], "x.grad": true["grad"]}
    each = ", ".join(f"{name} = {written(values[name][i, j].item())}" for name in values)
    sentence = f"At [{i}, {j}]: {each}."
    if said["said"] != sentence:
        raise ValueError(f"{name}: the page says {said['said']!r}; in torch it is {sentence!r}")


def written(value: float) -> str:
    """Write a number in full.

    Example:
        >>> written(-3.0), written(0.0625), written(-0.0)
        ('−3', '0.0625', '0')
    """
    return f"{value + 0.0:.6f}".rstrip("0").rstrip(".").replace("-", "−")


def given(name: str) -> tuple[str, dict[str, Tensor], list[int]]:
    """Return what the element starts with: as JSON, and torch's own images; and which pixel.

    v is one in a patch at the edge of the disk, so that what a neighbor feeds can be seen.
    """
    x, operation = image(), OPERATIONS[name]
    v = torch.zeros_like(operation(x))
    v[4:8, 9:13] = 1
    y, grad = gradients(operation, x, v)
    at = [4, 9]
    functions = {
        key: {
            "title": one.title,
            "code": one.code,
            "layers": one.layers,
            "shape": list(one(x).shape),
        }
        for key, one in OPERATIONS.items()
    }
    start = {"name": name, "v": v.int().tolist(), "at": at}
    state = {"x": x.int().tolist(), "start": start, "functions": functions}
    return json.dumps(state), {"x": x, "y": y, "v": v, "grad": grad}, at
