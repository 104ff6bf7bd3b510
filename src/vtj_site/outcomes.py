"""What will backward do? Every combination tried, as tables and as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import torch

from vtj_site.markup import Row, code, table
from vtj_site.trials import SHAPES, Trial, Tried, run, several, trials

SCHEMA = 1
SEVERAL = ("y1 = sum(x) has shape (), y2 = x**2 has shape (3,)", "at x = [1, 2, 3]")


def release() -> str:
    """Return the release of the torch that runs, without its build.

    Examples:
        >>> release().count(".")
        2
    """
    return torch.__version__.split("+")[0]


@cache
def outcomes() -> dict[Trial, Tried]:
    """Try every combination once.

    Examples:
        >>> str(outcomes()[Trial((3,), "float32", (3,), True)])
        'tensor([ 2.,  8., 18.])'
    """
    return {trial: run(trial) for trial in trials()}


def as_json() -> dict[str, object]:
    """Return all outcomes as data for JSON.

    `schema` counts up whenever a key or its meaning changes. A row has `y_shape`, `gradient` (its
    `kind` and `shape`, null where it has none), `requires_grad`, and either `grad`, x.grad's text,
    or `error`, its `type` and `message`; the other is null.

    Examples:
        >>> as_json()["rows"][0]["grad"]
        'tensor(2.)'
    """
    return {
        "schema": SCHEMA,
        "torch": release(),
        "f": "y = x**2 at x = 1, 2, 3, …; the gradient is 1, 2, 3, …",
        "rows": [
            {
                "y_shape": list(trial.y_shape),
                "gradient": {
                    "kind": trial.kind,
                    "shape": None if trial.shape is None else list(trial.shape),
                },
                "requires_grad": trial.requires_grad,
                **_result(tried),
            }
            for trial, tried in outcomes().items()
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


@dataclass(frozen=True)
class Outcomes:
    """The outcomes for one shape of y as a table, whether x requires grad or not.

    Gradients that lead to the same share a row; so do errors that differ by the gradient's shape.

    Args:
        y_shape: one of `SHAPES`.

    Raises:
        ValueError: if that shape was not tried.

    Examples:
        >>> print(str(Outcomes((3,))).splitlines()[4])
        gradient float32 (3,): tensor([ 2.,  8., 18.])
    """

    y_shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.y_shape not in SHAPES:
            raise ValueError(f"y of shape {self.y_shape} was not tried; expected one of {SHAPES}")

    def _trials(self) -> list[Trial]:
        return [t for t in outcomes() if t.y_shape == self.y_shape and t.requires_grad]

    def _alike(self) -> dict[tuple[str, str], list[Trial]]:
        """Return the trials by what came of them, with and without a graph."""
        groups: dict[tuple[str, str], list[Trial]] = {}
        for trial in self._trials():
            both = (trial, trial._replace(requires_grad=False))
            with_graph, without = (_any_shape(str(outcomes()[each])) for each in both)
            groups.setdefault((with_graph, without), []).append(trial)
        return groups

    def __str__(self) -> str:
        return "\n".join(f"gradient {_given(t)}: {outcomes()[t]}" for t in self._trials())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shape = "-".join(map(str, self.y_shape)) or "scalar"
        rows = [
            Row(
                (
                    ", ".join(code(_given(trial)) for trial in alike),
                    code(with_graph),
                    "the same" if without == with_graph else code(without),
                ),
                anchor=f"y-{shape}-{number}",
                value="raises" if outcomes()[alike[0]].raised else "leaves a gradient",
            )
            for number, ((with_graph, without), alike) in enumerate(self._alike().items(), start=1)
        ]
        head = ("gradient", "x requires grad", "x does not")
        return table(f"y of shape {self.y_shape}", head, rows, filtered_by="outcome")


@dataclass(frozen=True)
class SeveralOutcomes:
    """The outcomes for two outputs at once as a table.

    Examples:
        >>> print(str(SeveralOutcomes()).splitlines()[1])
        grad_tensors [(), (3,)]: tensor([ 3.,  9., 19.])
    """

    def __str__(self) -> str:
        return "\n".join(f"grad_tensors {given}: {tried}" for given, tried in several().items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            Row((code(given), code(str(tried))), anchor=f"several-{number}")
            for number, (given, tried) in enumerate(several().items(), start=1)
        ]
        return table(", ".join(SEVERAL), ("shapes of grad_tensors", "x.grad, or the error"), rows)


def _any_shape(text: str) -> str:
    """Leave the shape of the gradient out of an error that repeats it."""
    named = "grad_output[0] has a shape of torch.Size(["
    return re.sub(rf"{re.escape(named)}[\d, ]*", f"{named}…", text)


def _given(trial: Trial) -> str:
    return trial.kind if trial.shape is None else f"{trial.kind} {trial.shape}"
