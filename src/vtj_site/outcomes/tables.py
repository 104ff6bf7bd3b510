"""What will backward do? Every combination tried, as tables and as data."""

import re
from functools import cache

import torch

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.outcomes.trials import SHAPES, Combination, Tried, combinations, run, several

SCHEMA = 1
SEVERAL = ("y1 = sum(x) has shape (), y2 = x**2 has shape (3,)", "at x = [1, 2, 3]")


def release() -> str:
    """Return the release of the torch that runs, without its build."""
    return torch.__version__.split("+")[0]


@cache
def outcomes() -> dict[Combination, Tried]:
    """Try every combination once."""
    return {each: run(each) for each in combinations()}


def as_json() -> dict[str, object]:
    """Return all outcomes as data for JSON.

    `schema` counts up whenever a key or its meaning changes. A row has `y_shape`, `gradient` (its
    `kind` and `shape`, null where it has none), `requires_grad`, and either `grad`, x.grad's text,
    or `error`, its `type` and `message`; the other is null.
    """
    return {
        "schema": SCHEMA,
        "torch": release(),
        "f": "y = x**2 at x = 1, 2, 3, …; the gradient is 1, 2, 3, …",
        "rows": [
            {
                "y_shape": list(each.y_shape),
                "gradient": {
                    "kind": each.kind,
                    "shape": None if each.shape is None else list(each.shape),
                },
                "requires_grad": each.requires_grad,
                **_result(tried),
            }
            for each, tried in outcomes().items()
        ],
        "several": {
            "f": " and ".join(SEVERAL),
            "rows": [{"gradients": given, **_result(tried)} for given, tried in several().items()],
        },
    }


def _result(tried: Tried) -> dict[str, object]:
    if tried.raised:
        return {"grad": None, "error": {"type": tried.raised, "message": tried.text}}
    return {"grad": tried.text, "error": None}


def of_shape(y_shape: tuple[int, ...]) -> Shown:
    """Return the outcomes for one shape of y as a table, whether x requires grad or not.

    Gradients that lead to the same share a row; so do errors that differ by the gradient's shape.

    Examples:
        >>> print(str(of_shape((3,))).splitlines()[4])
        gradient float32 (3,): tensor([ 2.,  8., 18.])
    """
    if y_shape not in SHAPES:
        raise ValueError(f"y of shape {y_shape} was not tried; expected one of {SHAPES}")
    tried = [each for each in outcomes() if each.y_shape == y_shape and each.requires_grad]
    alike: dict[tuple[str, str], list[Combination]] = {}
    for each in tried:
        both = (each, each._replace(requires_grad=False))
        with_graph, without = (_any_shape(str(outcomes()[one])) for one in both)
        alike.setdefault((with_graph, without), []).append(each)
    name = "-".join(map(str, y_shape)) or "scalar"
    rows = [
        TableRow(
            (
                ", ".join(code(each.given) for each in group),
                code(with_graph),
                "the same" if without == with_graph else code(without),
            ),
            anchor=f"y-{name}-{number}",
            value="raises" if outcomes()[group[0]].raised else "leaves a gradient",
        )
        for number, ((with_graph, without), group) in enumerate(alike.items(), start=1)
    ]
    head = ("gradient", "x requires grad", "x does not")
    text = "\n".join(f"gradient {each.given}: {outcomes()[each]}" for each in tried)
    return Shown(text, table(f"y of shape {y_shape}", head, rows, filtered_by="outcome"))


def of_several() -> Shown:
    """Return the outcomes for two outputs at once as a table."""
    rows = [
        TableRow((code(given), code(str(tried))), anchor=f"several-{number}")
        for number, (given, tried) in enumerate(several().items(), start=1)
    ]
    head = ("shapes of grad_tensors", "x.grad, or the error")
    text = "\n".join(f"grad_tensors {given}: {tried}" for given, tried in several().items())
    return Shown(text, table(", ".join(SEVERAL), head, rows))


def _any_shape(text: str) -> str:
    """Leave the shape of the gradient out of an error that repeats it."""
    named = "grad_output[0] has a shape of torch.Size(["
    return re.sub(rf"{re.escape(named)}[\d, ]*", f"{named}…", text)
