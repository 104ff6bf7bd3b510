"""What torch answers to each kind of v, and that the script says the same, of random shapes."""

import json
import random
from decimal import ROUND_HALF_UP, Decimal
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import dukpy  # type: ignore[import-untyped]
import torch
from torch import Tensor

from vtj_site.outcomes.trials import Tried, attempt

SCRIPT = Path(__file__).parents[3] / "static" / "shapes.js"
SETTINGS = 300  # random ones, on which script and torch must agree; each refusal comes 4 times
PASSED = ("nothing", "tensor", "complex", "number", "list", "array")
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
Shape = tuple[int, ...]


class Setting(NamedTuple):
    """What a reader chooses; v is its shape, which a number and nothing have no use for."""

    x: Shape
    y: Shape
    complex: bool
    passed: str
    v: Shape

    def fields(self) -> dict[str, Any]:
        """Return it as the script takes it."""
        return {**self._asdict(), "pass": self.passed}


# A call that meets each refusal: the shape of y, whether it is complex, and what is passed.
REFUSED: dict[str, tuple[Shape, bool, str]] = {
    "several": ((5,), False, ""),
    "omitted, complex": ((), True, ""),
    "number": ((), False, "1.0"),
    "array, 0-d": ((), False, "torch.ones(()).numpy()"),
    "empty": ((), False, "[]"),
    "list, 1-d": ((5,), False, "[1.0]"),
    "list, more": ((5,), False, "[[1.0]]"),
    "array, 1-d": ((5,), False, "torch.ones(5).numpy()"),
    "array, more": ((5,), False, "torch.ones(5, 1).numpy()"),
    "shape": ((5,), False, "torch.ones(7)"),
    "complex v": ((5,), False, "torch.ones(5, dtype=torch.complex64)"),
    "real v": ((5,), True, "torch.ones(5)"),
}
START = Setting((2,), (3,), complex=False, passed="nothing", v=(3,))


def run(x_shape: Shape, y_shape: Shape, *, complex: bool, code: str) -> tuple[Tried, Shape | None]:
    """Run `code`, a call of y.backward; return what it raised, and the shape of x.grad."""
    dtype = torch.complex64 if complex else torch.float32
    x = torch.ones(x_shape, dtype=dtype, requires_grad=True)
    y = x.sum() * torch.ones(y_shape, dtype=dtype)
    tried = attempt(lambda: eval(code, {"torch": torch, "y": y}))
    return tried, None if x.grad is None else tuple(x.grad.shape)


def texts() -> dict[str, str]:
    """Return each refusal of torch, with {v} and {y} for the shapes in it."""
    found = {}
    for name, (y, is_complex, passed) in REFUSED.items():
        tried, _ = run((2,), y, complex=is_complex, code=f"y.backward({passed})")
        said = str(tried).replace("torch.Size([7])", "{v}").replace("torch.Size([5])", "{y}")
        found[name] = said if name == "shape" else str(tried)
    return found


def prove(script: str) -> None:
    """Compare all that the script says with torch, for random shapes of each kind of v.

    Raises:
        ValueError: With the first setting of which it says something else.
    """
    drawn = random.Random(0)
    settings = [draw(drawn, PASSED[i % len(PASSED)]) for i in range(SETTINGS)]
    found = dukpy.evaljs(
        script + ";dukpy.settings.map((given) => VTJ_SHAPES.told(given, dukpy.texts))",
        settings=[each.fields() for each in settings],
        texts=texts(),
    )
    for setting, said in zip(settings, found, strict=True):
        true = expected(setting, said)
        for name in true:
            if said[name] != true[name]:
                raise ValueError(
                    f"{setting}: {name} in the page is {said[name]!r}; expected {true[name]!r}"
                )


def draw(drawn: random.Random, passed: str) -> Setting:
    """Return a setting of small shapes, in half of which v fits."""

    def shape() -> Shape:
        return tuple(drawn.choice([0, 1, 1, 2, 3, 13]) for _ in range(drawn.choice([0, 1, 1, 2])))

    y = shape()
    v = y if drawn.random() < 0.5 else shape()
    return Setting(shape(), y, drawn.random() < 0.3, passed, v)


def expected(setting: Setting, said: dict[str, Any]) -> dict[str, Any]:
    """Return what must be said: the calls are run as they stand there."""
    x, y, is_complex = setting.x, setting.y, setting.complex
    tried, shape = run(x, y, complex=is_complex, code=said["code"])
    instead, fits = run(x, y, complex=is_complex, code=said["instead"])
    assert not instead.raised, instead
    assert fits == x, fits
    omitted, _ = run(x, y, complex=is_complex, code="y.backward()")
    held = _argument(setting)
    elements = f"{prod(y):,} elements" if prod(y) else "no element"
    kind = "y is complex" if prod(y) == 1 else f"y has {elements}"
    jacobian = _jacobian(x, y, complex=is_complex)
    entries = f"{jacobian.numel():,} entr{'y' if jacobian.numel() == 1 else 'ies'}"
    bytes_ = memory(jacobian.numel() * jacobian.element_size())
    return {
        "shapes": f"x {x}, y {y}{', complex' * is_complex}",
        "code": f"y.backward({held})",
        "answer": str(tried) if tried.raised else f"x.grad has the shape of x: {shape}",
        "refused": bool(tried.raised),
        "v": f"a tensor of the shape of y: {y}",
        "omit": f"no: {kind}" if omitted.raised else "yes: y has one element and is real",
        "J": f"{tuple(jacobian.shape)}: {entries}, {bytes_} as {str(jacobian.dtype)[6:]}",
    }


def _argument(setting: Setting) -> str:
    lengths = ", ".join(map(str, setting.v)) or "()"
    return {
        "nothing": "",
        "tensor": f"torch.ones({lengths})",
        "complex": f"torch.ones({lengths}, dtype=torch.complex64)",
        "number": "1.0",
        "list": f"torch.ones({lengths}).tolist()",
        "array": f"torch.ones({lengths}).numpy()",
    }[setting.passed]


def _jacobian(x_shape: Shape, y_shape: Shape, *, complex: bool) -> Tensor:
    """Return J as one product for each element of y builds it."""
    dtype = torch.complex64 if complex else torch.float32
    x = torch.ones(x_shape, dtype=dtype, requires_grad=True)
    y = x.sum() * torch.ones(y_shape, dtype=dtype)
    basis = torch.eye(y.numel(), dtype=dtype).reshape((y.numel(), *y_shape))
    rows = [torch.autograd.grad(y, x, each, retain_graph=True)[0] for each in basis]
    return torch.stack(rows).reshape(y_shape + x_shape) if rows else x.new_empty(y_shape + x_shape)


def memory(size: int) -> str:
    """Write a number of bytes as people read it.

    Example:
        >>> memory(24), memory(4096), memory(31360000)
        ('24 bytes', '4 KiB', '≈ 29.91 MiB')
    """
    unit = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    exact = Decimal(size) / 1024**unit
    digits = 4 - len(str(int(exact))) if unit else 0
    rounded = exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    about = "" if rounded == exact else "≈ "
    return f"{about}{rounded.normalize():f} {UNITS[unit]}"


def given(script: str) -> tuple[str, dict[str, Any]]:
    """Return what the element starts with: as JSON, and what is told of it."""
    told = dukpy.evaljs(
        script + ";VTJ_SHAPES.told(dukpy.start, dukpy.texts)", start=START.fields(), texts=texts()
    )
    written = {name: ", ".join(map(str, getattr(START, name))) for name in "xyv"}
    start = {**written, "pass": START.passed, "kind": "complex" if START.complex else "real"}
    return json.dumps({"texts": texts(), "start": start}), told
